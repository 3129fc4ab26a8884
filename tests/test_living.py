"""Which sweeps live: told by a lock that ends with the process, so that none is mistaken for dead."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from chunksweep.errors import TrackingError
from chunksweep.living import Living

HOLDER = """
import sys, time
from pathlib import Path
from chunksweep.living import Living
with Living(Path(sys.argv[1])).hold("held"):
    print("holding", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def living(tmp_path):
    return Living(tmp_path / "running")


@pytest.fixture
def holder(living):
    """Another process that lives and runs the sweep "held"."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(living.folder)], stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout.readline() == "holding\n"
        yield process
        process.kill()


def test_a_living_sweep_is_not_dead_and_cannot_be_held_twice(living, holder):
    assert list(living.dead()) == []
    with pytest.raises(TrackingError, match="sweep held is still running in another process"), living.hold("held"):
        pass


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a process cannot be killed in this way here")
def test_a_killed_one_is_dead_once(living, holder):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert list(living.dead()) == ["held"]
    assert list(living.dead()) == []


def test_a_dead_one_can_be_held_again(living, holder):
    holder.kill()
    holder.wait()
    with living.hold("held"):
        assert list(living.dead()) == []
    assert list(living.dead()) == []


def test_where_nothing_ran_nothing_is_dead(living):
    assert list(living.dead()) == []
    assert not living.folder.exists()


def test_one_that_ended_leaves_nothing(living):
    with pytest.raises(ZeroDivisionError), living.hold("held"):
        _ = 1 / 0
    assert list(living.folder.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(TrackingError, match="cannot be written"), Living(tmp_path / "file" / "running").hold("held"):
        pass
