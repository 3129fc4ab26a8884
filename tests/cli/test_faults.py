"""What happens to long jobs, really done: two at once, no room, no right to write, a damaged cache, a lost store."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.holding import Start, statuses, wait_until
from tests.cli.program import COMMAND, PATIENCE, invoke, spawn

from chunksweep.embedders.cache import TEXTS_PER_WRITE, CachedEmbedder
from chunksweep.embedders.store import VectorStore
from chunksweep.embedders.test import WordInitials

GRID = ("sweep", "chunker=fixed,recursive", "size=200,400", "embedder=test", "hydra.launcher.n_jobs=1")
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="rights and limits are taken away as Linux does")
PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2


def metrics(shape: Any) -> dict[str, Any]:
    """Label of a cell -> its metrics, times aside."""
    return {
        f"{run['params']['chunker']} {run['params']['size']}": {
            name: value for name, value in run["metrics"].items() if not name.startswith("time/")
        }
        for run in shape["runs"]
    }


def test_two_sweeps_at_once_share_a_new_cache_and_a_new_store(place: Path, tmp_path: Path) -> None:
    arguments = (*GRID, f"cache.dir={tmp_path / 'cache'}", "--format", "json")
    both = [spawn(arguments, place, {}) for _ in range(2)]
    outputs = [process.communicate(timeout=2 * PATIENCE) for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    one, two = (json.loads(out) for out, _ in outputs)
    assert [err for _, err in outputs] == ["", ""]
    assert metrics(one) == metrics(two)
    assert one["sweep_id"] != two["sweep_id"]
    assert statuses(place) == {"cell": ["FINISHED"] * 8, "sweep": ["FINISHED"] * 2}
    assert VectorStore(tmp_path / "cache").info().entries == one["plan"]["distinct_texts"]


def limited(
    arguments: tuple[str, ...], place: Path, prepare: Callable[[], None], command: tuple[str, ...] = COMMAND
) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own that `prepare` takes something from before it starts."""
    return subprocess.run(
        [*command, *arguments],
        cwd=place,
        capture_output=True,
        text=True,
        preexec_fn=prepare,
        timeout=2 * PATIENCE,
        check=False,
    )


def one_line(process: subprocess.CompletedProcess[str]) -> str:
    """The message of a command that could not go on."""
    assert (process.returncode, process.stdout, process.stderr.count("\n")) == (2, "", 1), process
    return process.stderr


@ON_LINUX
def test_a_store_without_room_ends_the_sweep_and_keeps_the_cells_before(place: Path, tmp_path: Path) -> None:
    cached = f"cache.dir={tmp_path / 'cache'}"
    assert invoke("run", "chunker=whole", "embedder=test", cached).code == 0
    # What is there may be rewritten, but the log beside it has no room for all cells.
    most = (place / "mlruns" / "mlflow.db").stat().st_size + 100_000
    many = (*GRID[:2], "size=100,200,300,400,500,600", "overlap=0,0.2", *GRID[3:], cached)
    process = limited(many, place, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
    assert "the tracking store" in one_line(process)
    kept = [run["run_id"] for run in invoke("compare", "--format", "json").json["runs"]]
    assert 0 < len(kept) < 24
    shape = invoke(*many, "--resume", "--format", "json").json
    assert (shape["finished"], shape["skipped"]["resumed"]) == (24, len(kept))
    assert set(kept) <= {run["run_id"] for run in shape["runs"]}


MANY = """
import sys
from pathlib import Path
from chunksweep.embedders.cache import CachedEmbedder
from chunksweep.embedders.test import WordInitials
from chunksweep.errors import CacheError
try:
    CachedEmbedder(WordInitials(), Path(sys.argv[1])).embed([f"text {row}" for row in range(5_000)], "passage")
except CacheError as error:
    sys.exit(f"{error}")
"""


@ON_LINUX
def test_a_cache_without_room_keeps_the_blocks_before(place: Path, tmp_path: Path) -> None:
    # A row has some 250 bytes, a block some 64,000: the log has room for a few of the twenty blocks.
    most = 400_000
    process = limited(
        (str(tmp_path / "cache"),),
        place,
        lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        (sys.executable, "-c", MANY),
    )
    assert process.returncode == 1
    assert "cannot be used" in process.stderr
    assert "cache.dir=FOLDER" in process.stderr
    entries = VectorStore(tmp_path / "cache").info().entries
    assert 0 < entries < 5_000
    assert entries % TEXTS_PER_WRITE == 0
    missing = CachedEmbedder(WordInitials(), tmp_path / "cache").missing(
        [f"text {row}" for row in range(5_000)], "passage"
    )
    assert len(missing) == 5_000 - entries


def heed_rights() -> None:
    """In a new process: rights of files hold for it, also where the tests run as root."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
            libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


@ON_LINUX
@pytest.mark.parametrize("filled", [False, True])
def test_a_cache_that_may_not_be_written_is_named(place: Path, tmp_path: Path, filled: bool) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    if filled:
        assert invoke(*GRID, f"cache.dir={cache}").code == 0
        for file in cache.iterdir():
            file.chmod(0o444)
    cache.chmod(0o555)
    try:
        message = one_line(limited((*GRID, f"cache.dir={cache}"), place, heed_rights))
    finally:
        cache.chmod(0o755)
    assert str(cache) in message
    assert "cache.dir=FOLDER" in message


@ON_LINUX
def test_a_store_that_may_not_be_written_is_named(place: Path, tmp_path: Path) -> None:
    (place / "mlruns").mkdir(mode=0o555)
    message = one_line(limited((*GRID, f"cache.dir={tmp_path / 'cache'}"), place, heed_rights))
    assert "mlruns cannot be written" in message
    assert not VectorStore(tmp_path / "cache").info().entries


def test_a_shortened_cache_file_is_begun_anew(place: Path, tmp_path: Path) -> None:
    arguments = (*GRID, f"cache.dir={tmp_path / 'cache'}", "--format", "json")
    first = invoke(*arguments).json
    file = VectorStore(tmp_path / "cache").path
    os.truncate(file, file.stat().st_size // 2)
    process = spawn(arguments, place, {})
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "damaged" in err
    again = json.loads(out)
    assert metrics(again) == metrics(first)
    assert VectorStore(tmp_path / "cache").info().entries == first["plan"]["distinct_texts"]


def test_a_store_that_vanishes_ends_the_sweep_and_the_vectors_are_kept(
    start: Start, place: Path, tmp_path: Path
) -> None:
    arguments = ("sweep", "chunker=fixed,whole", "embedder=test", "hydra.launcher.n_jobs=1")
    process = start("measuring", *arguments)
    wait_until(lambda: (tmp_path / "reached").exists() and statuses(place)["cell"] == ["FINISHED"], process)
    shutil.rmtree(place / "mlruns")
    (tmp_path / "go").touch()
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err.count("\n")) == (2, "", 1)
    assert "mlflow.db was deleted or replaced while it was in use" in err
    assert not (place / "mlruns").exists()
    plan = invoke(*arguments, f"cache.dir={tmp_path / 'cache'}", "--dry-run", "--format", "json").json["plan"]
    assert plan["embedded_texts"] == 0
