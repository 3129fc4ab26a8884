"""The program as the tests call it: in this process, or as a process of its own."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from chunksweep.cli import main

COMMAND = (sys.executable, "-c", "import sys; from chunksweep.cli import main; sys.exit(main(sys.argv[1:]))")
# Twice what a command takes on a busy machine with two slow cores.
PATIENCE = 120


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left behind: exit code, standard output, standard error."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, all of it, as JSON."""
        return json.loads(self.out)


def invoke(*arguments: str) -> Outcome:
    """Runs a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    return Outcome(code, out.getvalue(), err.getvalue())


def spawn(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], command: Sequence[str] = COMMAND
) -> subprocess.Popen[str]:
    """Starts a command in a process group of its own, as a terminal does, so that it can be interrupted as there."""
    return subprocess.Popen(
        [*command, *arguments],
        cwd=folder,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - sets a signal and no more
    )


def heed_interrupts() -> None:
    """In a new process: Ctrl-C interrupts it, also where the tests run in the background of a shell that ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def working_folder(parent: Path) -> Iterator[Path]:
    """An empty working folder below `parent`, with an empty cache beside it and no tracking store of the user's."""
    folder = parent / "work"
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("MLFLOW_TRACKING_URI", raising=False)
        patch.setattr("chunksweep.paths.user_cache_dir", lambda _name: str(parent / "cache"))
        yield folder


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Writes files by their paths below the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def plug_in(folder: Path, name: str, source: str, config: str) -> None:
    """A package in folder/plugins that brings the chunker `name`, and its configuration in folder/conf."""
    class_name = "".join(part.capitalize() for part in name.split("_"))
    package = f"{name}_plugin"
    write(
        folder,
        {
            f"plugins/{package}.py": source,
            f"plugins/{package}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n",
            f"plugins/{package}-1.0.dist-info/entry_points.txt": (
                f"[chunksweep.chunkers]\n{name} = {package}:{class_name}\n"
            ),
            f"conf/chunker/{name}.yaml": config,
        },
    )
