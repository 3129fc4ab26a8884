"""kill -9: what was done is kept, and --resume ends the sweep as if nothing had happened."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.holding import Start, statuses, wait_until
from tests.cli.program import invoke

from chunksweep.embedders.cache import TEXTS_PER_WRITE
from chunksweep.embedders.store import VectorStore

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a process cannot be killed in this way here")

# 2,235 characters in windows of 5: more texts than are written at once.
GRID = ("sweep", "chunker=fixed,whole", "size=5", "embedder=test", "hydra.launcher.n_jobs=1")


def kill(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def resumed(tmp_path: Path) -> Any:
    outcome = invoke(*GRID, f"cache.dir={tmp_path / 'cache'}", "--resume", "--format", "json")
    assert outcome.code == 0, outcome.err
    return outcome.json


def without_ids_and_times(shape: Any) -> Any:
    """What two sweeps of the same plan have in common."""
    return {
        run["params"]["chunker"]: {
            name: value for name, value in run["metrics"].items() if not name.startswith("time/")
        }
        for run in shape["runs"]
    }, [(verdict["n"], verdict["status"], verdict["warnings"]) for verdict in shape["verdict"]]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The same sweep, in a store of its own."""
    folder = tmp_path_factory.mktemp("undisturbed")
    store = f"sqlite:///{folder / 'mlflow.db'}"
    outcome = invoke(*GRID, f"cache.dir={folder / 'cache'}", "--tracking-uri", store, "--format", "json")
    return without_ids_and_times(outcome.json)


def test_while_embedding(start: Start, place: Path, tmp_path: Path, undisturbed: Any) -> None:
    process = start("embedding", *GRID)
    wait_until((tmp_path / "reached").exists, process)
    kill(process)
    assert statuses(place) == {"cell": [], "sweep": ["RUNNING"]}
    assert VectorStore(tmp_path / "cache").info().entries == TEXTS_PER_WRITE
    shape = resumed(tmp_path)
    assert (shape["plan"]["cached_texts"], shape["skipped"]["resumed"]) == (TEXTS_PER_WRITE, 0)
    assert without_ids_and_times(shape) == undisturbed
    assert statuses(place) == {"cell": ["FINISHED"] * 2, "sweep": ["FINISHED"]}


def test_while_measuring(start: Start, place: Path, tmp_path: Path, undisturbed: Any) -> None:
    process = start("measuring", *GRID)
    wait_until(lambda: (tmp_path / "reached").exists() and statuses(place)["cell"] == ["FINISHED"], process)
    kill(process)
    finished = invoke("compare", "--format", "json").json
    shutil.rmtree(tmp_path / "cache")  # what is finished needs it no more
    shape = resumed(tmp_path)
    assert (shape["sweep_id"], shape["planned"], shape["skipped"]["resumed"]) == (finished["sweep_id"], 2, 1)
    assert finished["runs"][0]["run_id"] in [run["run_id"] for run in shape["runs"]]
    # One text of whole, ten sentences around facts and ten questions; none of the 447 of fixed.
    assert shape["plan"]["embedded_texts"] == 21
    assert without_ids_and_times(shape) == undisturbed
    assert invoke("compare", "--format", "json").json["skipped"]["resumed"] == 1


def test_while_logging(start: Start, place: Path, tmp_path: Path, undisturbed: Any) -> None:
    process = start("logging", *GRID)
    wait_until((tmp_path / "reached").exists, process)
    kill(process)
    assert statuses(place) == {"cell": ["FINISHED"], "sweep": ["RUNNING"]}  # no run is half there
    shape = resumed(tmp_path)
    assert (shape["finished"], shape["skipped"]["resumed"]) == (2, 1)
    assert without_ids_and_times(shape) == undisturbed
    assert statuses(place) == {"cell": ["FINISHED", "FINISHED"], "sweep": ["FINISHED"]}


def test_the_next_start_marks_what_a_dead_process_left_and_nothing_that_lives(
    start: Start, place: Path, tmp_path: Path
) -> None:
    process = start("embedding", *GRID)
    wait_until((tmp_path / "reached").exists, process)
    other = ("run", "chunker=whole", "embedder=test", f"cache.dir={tmp_path / 'other'}")
    assert invoke(*other).code == 0
    assert statuses(place)["sweep"] == ["FINISHED", "RUNNING"]
    refused = invoke(*GRID, f"cache.dir={tmp_path / 'cache'}", "--resume")
    assert (refused.code, refused.err.count("\n")) == (2, 2)
    assert "still running in another process" in refused.err
    kill(process)
    assert invoke(*other).code == 0
    assert statuses(place)["sweep"] == ["FINISHED", "FINISHED", "KILLED"]


def test_interrupted_and_resumed(start: Start, place: Path, tmp_path: Path, undisturbed: Any) -> None:
    process = start("measuring", *GRID)
    wait_until(lambda: (tmp_path / "reached").exists() and statuses(place)["cell"] == ["FINISHED"], process)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate()
    assert statuses(place)["sweep"] == ["KILLED"]
    shape = resumed(tmp_path)
    assert shape["skipped"]["resumed"] == 1
    assert without_ids_and_times(shape) == undisturbed


def test_a_run_is_a_sweep_of_one_cell_and_is_not_resumed(place: Path) -> None:
    outcome = invoke("run", "embedder=test", "--resume")
    assert (outcome.code, outcome.err) == (
        2,
        "chunksweep: --resume is not a flag of chunksweep run. See chunksweep run --help.\n",
    )
