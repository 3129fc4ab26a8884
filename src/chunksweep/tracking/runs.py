"""Runs as plain data, on their way into the store and out of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chunksweep.plain_text import param_value
from chunksweep.records import RunRecord

if TYPE_CHECKING:
    from mlflow.entities import Run


@dataclass(frozen=True, slots=True)
class CellRun:
    """All that is logged of one cell.

    files  artifact name -> content
    """

    name: str
    params: Mapping[str, Any]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    files: Mapping[str, str]
    status: str
    began_ms: int


@dataclass(frozen=True, slots=True)
class PastSweep:
    """The run of a past sweep: its id in the store, its status, and when it began in milliseconds since 1970."""

    run_id: str
    sweep_id: str
    status: str
    began_ms: int


def record_of(run: Run) -> RunRecord:
    """A run of the store as plain data."""
    return RunRecord(
        run_id=run.info.run_id,
        status=run.info.status,
        params={key: param_value(text) for key, text in run.data.params.items()},
        metrics=dict(run.data.metrics),
        everything_sent=run.data.tags.get("chunksweep.everything_sent") == "true",
        error=run.data.tags.get("chunksweep.error"),
        tags={key: value for key, value in run.data.tags.items() if key.startswith("chunksweep.")},
    )


def now_ms() -> int:
    """Milliseconds since 1970, as MLflow counts time."""
    return time.time_ns() // 1_000_000
