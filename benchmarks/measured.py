"""What a process and all its children cost."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Cost:
    """cpu and wall in seconds, peak in MB of the largest process; said is the JSON that it printed last."""

    cpu: float
    wall: float
    peak: float
    said: Any = None


def measured(command: Sequence[str | Path]) -> Cost:
    """Runs a command and waits for it.

    CPU seconds count processes that were waited for, as joblib's workers are; unlike seconds on the clock they say
    something on a machine that does other work too. Raises CalledProcessError where it fails.
    """
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - began
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output)
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, _last_json(output))


def _last_json(output: str) -> Mapping[str, Any] | None:
    lines = output.strip().splitlines()
    found: Mapping[str, Any] | None = json.loads(lines[-1]) if lines and lines[-1].startswith("{") else None
    return found
