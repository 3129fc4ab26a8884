"""What machine a benchmark ran on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIBRARIES = ("torch", "sentence-transformers", "langchain-classic", "numpy", "mlflow")


def described() -> str:
    """Processor, cores and versions in one sentence."""
    libraries = ", ".join(f"{library} {_version(library)}" for library in LIBRARIES)
    return (
        f"{_processor()}, {len(os.sched_getaffinity(0))} cores, {platform.system()}, "
        f"Python {platform.python_version()}, {libraries}"
    )


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    named = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()
