"""What the database of a local store allows beyond MLflow's client: a write-ahead log, and runs in one transaction.

The client takes a dozen transactions and some two hundred objects for a run. Written into the tables that MLflow's own
models describe, one transaction serves many runs and takes a tenth of the time; the rows are the same.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunksweep.plain_text import param_text
from chunksweep.tracking.runs import CellRun, now_ms

if TYPE_CHECKING:
    from sqlalchemy import Engine

# Table, as the class that MLflow describes it by, -> the rows of one run.
Rows = Mapping[Any, Sequence[Mapping[str, Any]]]


def require_database(path: Path) -> None:
    """Raises sqlite3.Error where a file is there that is no database: MLflow would try it again for 100 seconds."""
    if path.exists():
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA schema_version")


@cache
def make_sqlite_fast() -> None:
    """Sets write-ahead logging on MLflow's SQLite connections: readers never wait, a commit costs no full sync."""
    from sqlalchemy import Engine, event  # noqa: PLC0415 - comes with MLflow

    @event.listens_for(Engine, "connect")
    def _set(connection: Any, _record: Any) -> None:
        if not isinstance(connection, sqlite3.Connection):
            return
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=NORMAL")
        cursor.execute("PRAGMA busy_timeout=60000")
        cursor.close()


def rows_of(run_id: str, cell: CellRun, tags: Mapping[str, str], place: Mapping[str, Any]) -> Rows:
    """A run that has ended, as rows of MLflow's tables.

    tags   besides those of the cell
    place  experiment_id and artifact_uri

    Raises MlflowException for what MLflow's client would refuse.
    """
    from mlflow.entities import Metric, Param  # noqa: PLC0415 - MLflow takes more than a second
    from mlflow.store.tracking.dbmodels import models  # noqa: PLC0415
    from mlflow.utils.validation import _validate_batch_log_data  # noqa: PLC0415

    at = now_ms()
    metrics, params, _ = _validate_batch_log_data(  # type: ignore[no-untyped-call]
        [Metric(key, float(value), at, 0) for key, value in cell.metrics.items()],
        [Param(key, param_text(value)) for key, value in cell.params.items()],
        [],
    )
    run = {
        **place,
        "run_uuid": run_id,
        "name": cell.name,
        "source_type": "UNKNOWN",
        "source_name": "",
        "source_version": "",
        "entry_point_name": "",
        "user_id": tags["mlflow.user"],
        "status": cell.status,
        "start_time": cell.began_ms,
        "end_time": at,
        "lifecycle_stage": "active",
    }
    measured = [
        {"run_uuid": run_id, "key": metric.key, "value": metric.value, "timestamp": at, "step": 0, "is_nan": False}
        for metric in metrics
    ]
    return {
        models.SqlRun: [run],
        models.SqlTag: [
            {"run_uuid": run_id, "key": key, "value": value}
            for key, value in {**tags, **cell.tags, "mlflow.runName": cell.name}.items()
        ],
        models.SqlParam: [{"run_uuid": run_id, "key": param.key, "value": param.value} for param in params],
        models.SqlMetric: measured,
        models.SqlLatestMetric: measured,
    }


def insert(engine: Engine, runs: Sequence[Rows]) -> None:
    """Writes runs in one transaction, all or none.

    Raises sqlalchemy's errors.
    """
    from sqlalchemy import insert as into  # noqa: PLC0415 - comes with MLflow

    with engine.begin() as connection:
        for model in runs[0] if runs else ():
            rows = [row for run in runs for row in run[model]]
            if rows:
                connection.execute(into(model.__table__), rows)
