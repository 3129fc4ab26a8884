"""Ctrl-C: what was finished is kept, nothing is left RUNNING, nothing but one line is printed."""

from __future__ import annotations

import os
import signal
import subprocess
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.cli.holding import Start, statuses, wait_until
from tests.cli.program import PATIENCE, invoke

from chunksweep.embedders.cache import TEXTS_PER_WRITE
from chunksweep.embedders.store import VectorStore
from chunksweep.tracking import Store

INTERRUPTED = 130


def interrupt(process: subprocess.Popen[str]) -> str:
    """Interrupts the process and its workers as a terminal does; gives what is on standard error."""
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (INTERRUPTED, "")
    return err


def test_while_embedding_the_vectors_are_kept(start: Start, place: Path, tmp_path: Path) -> None:
    # 2,235 characters in windows of 5: more texts than are written at once.
    arguments = ("chunker=fixed", "size=5", "embedder=test")
    process = start("embedding", "run", *arguments)
    wait_until((tmp_path / "reached").exists, process)
    assert interrupt(process) == "chunksweep: interrupted; what was finished is kept.\n"
    assert statuses(place) == {"cell": [], "sweep": ["KILLED"]}
    assert VectorStore(tmp_path / "cache").info().entries == TEXTS_PER_WRITE
    plan = invoke("sweep", *arguments, "--dry-run", "--format", "json").json["plan"]
    assert plan["cached_texts"] == TEXTS_PER_WRITE < plan["distinct_texts"]


@pytest.mark.parametrize("n_jobs", [pytest.param(1, marks=pytest.mark.long), 2])
def test_while_measuring_the_finished_cells_are_kept(start: Start, place: Path, tmp_path: Path, n_jobs: int) -> None:
    process = start("measuring", "sweep", "chunker=fixed,whole", "embedder=test", f"hydra.launcher.n_jobs={n_jobs}")
    wait_until(lambda: (tmp_path / "reached").exists() and statuses(place)["cell"] == ["FINISHED"], process)
    assert interrupt(process) == "chunksweep: interrupted; what was finished is kept.\n"
    assert statuses(place) == {"cell": ["FINISHED"], "sweep": ["KILLED"]}
    shape = invoke("compare", "--format", "json").json
    assert (shape["planned"], shape["finished"]) == (2, 1)
    assert [run["params"]["chunker"] for run in shape["runs"]] == ["fixed"]


def test_while_logging_no_half_written_run_is_left(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # the tests themselves can still be interrupted
    write_files, written = Store._write_files, count()

    def interrupted_first(*arguments: Any) -> None:
        if next(written) == 0:
            raise KeyboardInterrupt
        write_files(*arguments)

    monkeypatch.setattr(Store, "_write_files", interrupted_first)
    assert invoke("run", "embedder=test").code == INTERRUPTED
    assert statuses(place) == {"cell": [], "sweep": ["KILLED"]}
