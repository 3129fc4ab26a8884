"""A cell that fails is shown at once and kept with its reason; the others finish."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
from tests.cli.program import PATIENCE, invoke, plug_in, spawn

from chunksweep.records import RunRecord
from chunksweep.tracking import Store

BOOM = """\
from dataclasses import dataclass

from chunksweep.chunkers.base import Chunker, Sizing


@dataclass(frozen=True, slots=True, kw_only=True)
class Boom(Chunker):
    def sizing(self):
        return Sizing("characters", 400)

    def split(self, document, ruler):
        raise RuntimeError(f"no fuse in {document.id}")
"""
CONFIG = "# Fails.\n#   chunksweep run chunker=boom\nname: boom\n"
REASON = "RuntimeError: no fuse in runbooks.md"
SWEEP = ("sweep", "chunker=fixed,boom,whole", "size=200", "embedder=test", "--config-dir", "../conf")


@pytest.fixture
def boom(place: Path, tmp_path: Path) -> Path:
    plug_in(tmp_path, "boom", BOOM, CONFIG)
    return place


def cells(place: Path, sweep_id: str) -> dict[str, RunRecord]:
    store = Store(f"sqlite:///{place / 'mlruns' / 'mlflow.db'}")
    return {record.params["chunker"]: record for record in store.cells(sweep_id)}


def test_over_worker_processes_it_is_shown_before_the_others_are_measured(boom: Path, tmp_path: Path) -> None:
    environment = {
        "PYTHONPATH": f"{tmp_path / 'plugins'}:{Path(__file__).parent}",
        "HOLD_AT": "measuring",
        "HOLD_FOLDER": str(tmp_path),
    }
    held = (sys.executable, "-c", "import sys, held; sys.exit(held.held_main(sys.argv[1:]))")
    arguments = [*SWEEP, "hydra.launcher.n_jobs=2", "--format", "json", f"cache.dir={tmp_path / 'cache'}"]
    with spawn(arguments, boom, environment, held) as process:
        assert process.stderr is not None
        watchdog = threading.Timer(PATIENCE, process.kill)
        watchdog.start()
        assert process.stderr.readline() == f"chunksweep: boom 200 failed: {REASON}\n"
        (tmp_path / "go").touch()
        out, err = process.communicate()
        watchdog.cancel()
    assert (process.returncode, err) == (1, "")
    assert '"failed": 1' in out


def test_the_others_finish_and_the_reason_is_kept(boom: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path / "plugins"))
    outcome = invoke(*SWEEP, "hydra.launcher.n_jobs=1", "--format", "json")
    shape = outcome.json
    assert outcome.code == 1
    assert outcome.err == f"chunksweep: boom 200 failed: {REASON}\n"
    assert (shape["planned"], shape["finished"], shape["failed"]) == (3, 2, 1)
    assert {run["params"]["chunker"]: (run["status"], run.get("error")) for run in shape["runs"]} == {
        "fixed": ("FINISHED", None),
        "boom": ("FAILED", REASON),
        "whole": ("FINISHED", None),
    }
    logged = cells(boom, shape["sweep_id"])
    assert {chunker: record.status for chunker, record in logged.items()} == {
        "fixed": "FINISHED",
        "boom": "FAILED",
        "whole": "FINISHED",
    }
    failed = logged["boom"]
    assert (failed.tags["chunksweep.error"], failed.metrics) == (REASON, {})
    trace = Store(f"sqlite:///{boom / 'mlruns' / 'mlflow.db'}").artifact(failed.run_id, "error.txt")
    assert trace.startswith("Traceback")
    assert trace.rstrip().endswith(REASON)
    table = invoke("compare").out
    assert "boom 200 FAILED" in table
    assert max(map(len, table.splitlines())) <= 80


def test_a_run_alone_that_fails_says_so(boom: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path / "plugins"))
    outcome = invoke("run", "chunker=boom", "embedder=test", "--config-dir", "../conf")
    assert (outcome.code, outcome.err) == (1, f"chunksweep: boom 400 failed: {REASON}\n")
    assert "FAILED" in outcome.out


def test_a_chunking_that_leaves_no_chunk_takes_no_other_with_it(place: Path) -> None:
    (place / "heads.md").write_text("# Nodes\n\n## Draining\n")
    (place / "heads.jsonl").write_text('{"question": "What is it about?", "fact": "Draining"}\n')
    outcome = invoke(
        "sweep",
        "corpus.path=heads.md",
        "corpus.questions=heads.jsonl",
        "chunker=headings,whole",
        "embedder=test",
        "hydra.launcher.n_jobs=1",
        "--format=json",
    )
    assert outcome.code == 1
    assert outcome.err.startswith("chunksweep: headings failed: chunker=headings leaves no chunk of 1 documents.")
    assert [(run["params"]["chunker"], run["status"]) for run in outcome.json["runs"]] == [
        ("headings", "FAILED"),
        ("whole", "FINISHED"),
    ]
