"""Fixtures for the commands."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.holding import HELD, Start
from tests.cli.program import spawn, working_folder


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """An empty working folder, which the test works in; the embedding cache is tmp_path / "cache"."""
    with working_folder(tmp_path) as folder:
        yield folder


@pytest.fixture
def start(place: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts a command that is held at a place; it is ended with the test, whatever happens."""
    running: list[subprocess.Popen[str]] = []

    def start(at: str, *arguments: str) -> subprocess.Popen[str]:
        environment = {"PYTHONPATH": str(Path(__file__).parent), "HOLD_AT": at, "HOLD_FOLDER": str(tmp_path)}
        running.append(spawn([*arguments, f"cache.dir={tmp_path / 'cache'}"], place, environment, HELD))
        return running[-1]

    yield start
    for process in running:
        with process:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
