"""`chunksweep report`: the file, its copy in MLflow, and what is refused."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import html
from tests.cli.program import invoke, working_folder

from chunksweep.tracking import REPORT, Store, resolve_uri


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The id of a sweep of two cells on each of two corpora."""
    with working_folder(tmp_path_factory.mktemp("report")):
        found = invoke(
            "sweep",
            "corpus=runbooks,handbook_natural",
            "chunker=fixed,whole",
            "size=400",
            "embedder=test",
            "hydra.launcher.n_jobs=1",
            "--format",
            "json",
        )
        assert found.code == 0, found.err
        sweep_id: str = found.json["sweep_id"]
        yield sweep_id


def test_the_file_stands_in_the_working_folder_and_in_mlflow(sweep: str) -> None:
    outcome = invoke("report")
    path = Path(f"report-{sweep}.html")
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith(f"{path}: sweep {sweep}, 0.")
    page = path.read_text(encoding="utf-8")
    store = Store(resolve_uri(None, None))
    (run,) = store._search("tags.`chunksweep.kind` = 'sweep'")
    assert store.artifact(run.info.run_id, REPORT) == page
    parts = html.fromstring(page).cssselect("section.part > h2")
    assert [each.text_content() for each in parts] == ["runbooks: verdict", "handbook_natural: verdict"]


def test_passages_have_their_text(sweep: str) -> None:
    outcome = invoke("report", "--sweep", sweep[:15], "--out", "other.html", "--format", "json")
    written = Path("other.html").read_bytes()
    assert outcome.json == {"sweep_id": sweep, "path": "other.html", "bytes": len(written)}
    scripts = html.fromstring(written.decode()).cssselect("script[type='application/json']")
    # The document, and the end of its last sentence: `whole` sends all of it.
    assert "# Operations runbooks" in scripts[0].text
    assert "It gets a ticket, not another retry." in scripts[0].text


def test_in_a_folder_that_was_moved(sweep: str, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree("mlruns", moved)
    uri = f"sqlite:///{moved / 'mlflow.db'}"
    for report in Path("mlruns").rglob(REPORT):
        report.unlink()
    assert invoke("report", "--tracking-uri", uri, "--out", "moved.html").code == 0
    assert list(Path("mlruns").rglob(REPORT)) == []
    (copy,) = moved.rglob(REPORT)
    assert copy.read_text(encoding="utf-8") == Path("moved.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["--sweep", "1999"], "1999: 0 sweeps begin so.", id="no such sweep"),
        pytest.param(["--out", "nowhere/report.html"], "--out nowhere/report.html: a file in a folder", id="no folder"),
        pytest.param(["--out", "."], "--out .: a file in a folder that exists", id="a folder"),
    ],
)
def test_what_is_refused(sweep: str, arguments: list[str], said: str) -> None:
    outcome = invoke("report", *arguments)
    assert outcome.code == 2
    assert said in outcome.err
    assert outcome.out == ""
