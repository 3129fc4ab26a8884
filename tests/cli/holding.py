"""Commands that are held at a place (see held.py), and what a test sees of them meanwhile."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.cli.program import PATIENCE

HELD = (sys.executable, "-c", "import sys, held; sys.exit(held.held_main(sys.argv[1:]))")
Start = Callable[..., subprocess.Popen[str]]


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Waits while the process runs; fails where it ends before."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.05)


def statuses(place: Path) -> dict[str, list[str]]:
    """Kind of run -> the statuses of its runs, sorted; empty as long as there is no store."""
    query = (
        "SELECT tags.value, runs.status FROM runs JOIN tags USING (run_uuid) WHERE tags.key = 'chunksweep.kind'"
        " ORDER BY runs.status"
    )
    found: dict[str, list[str]] = {"cell": [], "sweep": []}
    if (place / "mlruns" / "mlflow.db").exists():
        with closing(sqlite3.connect(place / "mlruns" / "mlflow.db")) as connection:
            if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'tags'").fetchone():
                for kind, status in connection.execute(query):
                    found.setdefault(kind, []).append(status)
    return found
