"""A past run again: identical, or what changed is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.program import Outcome, invoke, plug_in, working_folder, write

from chunksweep.tracking import Store, resolve_uri

FILES = {
    "docs/birds.md": "# Birds\n\nA heron hunts at dawn. A kestrel hovers over the field.\n",
    "docs/fish.md": "# Fish\n\nA pike waits in the reeds. Eels swim at night.\n",
    "questions.jsonl": "\n".join(
        json.dumps(entry)
        for entry in (
            {"question": "When does a heron hunt?", "fact": "A heron hunts at dawn"},
            {"question": "Where does a pike wait?", "fact": "in the reeds"},
        )
    ),
}
CONFIGURATION = ("corpus.path=docs", "corpus.questions=questions.jsonl", "chunker=sentences", "embedder=test")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A working folder with one run in its store, and the run's id."""
    parent = tmp_path_factory.mktemp("recorded")
    with working_folder(parent) as folder:
        write(folder, FILES)
        run_id: str = invoke("run", "--format", "json", *CONFIGURATION, "prices.input=3").json["run_id"]
    return parent, run_id


@pytest.fixture
def past(recorded: tuple[Path, str]) -> Iterator[tuple[Path, str]]:
    """The same, to be changed by one test: the files are put back afterwards."""
    parent, run_id = recorded
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(parent / "work")
        patch.delenv("MLFLOW_TRACKING_URI", raising=False)
        patch.setattr("chunksweep.paths.user_cache_dir", lambda _name: str(parent / "cache"))
        yield parent, run_id
        shutil.rmtree("docs", ignore_errors=True)
        write(parent / "work", FILES)


def test_the_same_inputs_give_the_same_metrics(past: tuple[Path, str]) -> None:
    done = invoke("reproduce", past[1][:8], "--format", "json")
    assert done.code == 0
    assert done.json["identical"] is True
    assert done.json["inputs"] == {
        "changed": [],
        "missing": [],
        "new": [],
        "questions": "same",
        "model": "same",
        "versions": {},
    }
    metrics = done.json["metrics"]
    assert {"retrieval/mrr", "cost/sent_tokens", "cost/usd_per_1k_questions", "chunks/count"} <= metrics.keys()
    assert not any(name.startswith("time/") for name in metrics)
    assert all(value["logged"] == value["now"] for value in metrics.values())


def test_nothing_is_logged(past: tuple[Path, str]) -> None:
    before = len(invoke("list", "--format", "json").json["past_sweeps"])
    invoke("reproduce", past[1])
    assert len(invoke("list", "--format", "json").json["past_sweeps"]) == before


def test_a_lost_cache_changes_nothing(past: tuple[Path, str]) -> None:
    shutil.rmtree(past[0] / "cache")
    assert invoke("reproduce", past[1]).code == 0


def change_a_word() -> None:
    Path("docs/fish.md").write_text(FILES["docs/fish.md"].replace("Eels", "Carps"))


def remove_a_document() -> None:
    Path("docs/birds.md").unlink()


def add_a_document() -> None:
    Path("docs/newts.md").write_text("Newts sleep.")


def change_the_questions() -> None:
    Path("questions.jsonl").write_text(FILES["questions.jsonl"].replace("wait?", "hide?"))


@pytest.mark.parametrize(
    ("change", "key", "expected", "said"),
    [
        pytest.param(change_a_word, "changed", ["fish.md"], "document changed: fish.md", id="one word"),
        pytest.param(remove_a_document, "missing", ["birds.md"], "document missing: birds.md", id="a document gone"),
        pytest.param(add_a_document, "new", ["newts.md"], "document new: newts.md", id="a document more"),
        pytest.param(change_the_questions, "questions", "changed", "questions changed", id="the questions"),
    ],
)
def test_changed_inputs_are_named_and_nothing_is_computed(
    past: tuple[Path, str], change: object, key: str, expected: object, said: str
) -> None:
    assert callable(change)
    change()
    done = invoke("reproduce", past[1], "--format", "json")
    assert (done.code, done.json["identical"], done.json["metrics"]) == (2, False, {})
    assert done.json["inputs"][key] == expected
    table = invoke("reproduce", past[1])
    assert table.code == 2
    assert said in table.out


def test_documents_may_lie_elsewhere(past: tuple[Path, str]) -> None:
    shutil.move("docs", "moved")
    assert failure(invoke("reproduce", past[1])).count("docs") >= 1
    assert invoke("reproduce", past[1], "--corpus", "moved").code == 0


def test_a_metric_that_differs_is_shown(past: tuple[Path, str]) -> None:
    store = Store(resolve_uri(None, None))
    store.find(past[1])
    client = store._connected()
    then = client.get_run(past[1]).data.metrics["retrieval/mrr"]
    client.log_metric(past[1], "retrieval/mrr", then - 0.25, step=1)
    done = invoke("reproduce", past[1])
    assert done.code == 1
    assert "retrieval/mrr" in done.out
    assert "1 differ" in done.out
    client.log_metric(past[1], "retrieval/mrr", then, step=2)


def test_versions_that_differ_are_said_but_do_not_stop(past: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunksweep.reproduction.environment", lambda: {"python": "3.99.0"})
    done = invoke("reproduce", past[1], "--format", "json")
    assert done.code == 0
    assert done.json["inputs"]["versions"]["python"]["now"] == "3.99.0"


def test_a_written_configuration_is_the_same_configuration(past: tuple[Path, str]) -> None:
    assert invoke("reproduce", past[1], "--write-config", "past.yaml").code == 0
    assert "past.yaml" in failure(invoke("reproduce", past[1], "--write-config", "past.yaml"))
    run_id = invoke("run", "--format", "json", "--config-dir", ".", "--config-name", "past").json["run_id"]
    store = Store(resolve_uri(None, None))
    hashes = [store.find(one).tags["chunksweep.config_hash"] for one in (past[1], run_id)]
    assert hashes[0] == hashes[1]
    Path("past.yaml").unlink()


def test_a_sweep_itself_is_refused(past: tuple[Path, str]) -> None:
    store = Store(resolve_uri(None, None))
    sweep = next(store._search("tags.`chunksweep.kind` = 'sweep'"))
    assert "no run of a configuration" in failure(invoke("reproduce", sweep.info.run_id))


@pytest.mark.parametrize("run_id", ["0", "no-run", "zz"])
def test_a_run_that_is_not_there_is_refused(past: tuple[Path, str], run_id: str) -> None:
    assert run_id in failure(invoke("reproduce", f"{run_id}ffffffffffffffffffffffffffffffffff"))


def test_code_of_others_is_not_run_unless_asked(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        "from dataclasses import dataclass\n"
        "from chunksweep.chunkers.base import Chunker, Sizing\n"
        "from chunksweep.records import Span\n"
        "@dataclass(frozen=True, slots=True, kw_only=True)\n"
        "class Halves(Chunker):\n"
        "    def sizing(self):\n        return None\n"
        "    def split(self, document, ruler):\n"
        "        middle = len(document.text) // 2\n"
        "        yield Span(0, middle)\n        yield Span(middle, len(document.text))\n"
    )
    plug_in(place, "halves", source, "name: halves\n")
    write(place, FILES)
    monkeypatch.syspath_prepend(str(place / "plugins"))
    arguments = ("corpus.path=docs", "corpus.questions=questions.jsonl", "embedder=test", "chunker=halves")
    run_id = invoke("run", "--format", "json", "--config-dir", "conf", *arguments).json["run_id"]
    assert "--trust-code" in failure(invoke("reproduce", run_id))
    assert invoke("reproduce", run_id, "--trust-code").code == 0


def failure(done: Outcome) -> str:
    """The one line of an error."""
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    return done.err
