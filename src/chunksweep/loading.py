"""A past sweep as a table to compute with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chunksweep.tracking import Store, resolve_uri

if TYPE_CHECKING:
    import pandas as pd


def load(sweep_id: str | None = None, tracking_uri: str | None = None) -> pd.DataFrame:
    """The runs of a sweep, a row a cell in the order they were logged.

    sweep_id      a unique beginning will do; None: the latest sweep
    tracking_uri  None: MLFLOW_TRACKING_URI, else ./mlruns

    The index is the run id. Columns: `status`, `everything_sent`, then parameters (typed) and metrics (float, NaN where
    a run has none) under their names in MLflow.

    Raises TrackingError where there is no such sweep.
    """
    import pandas as pd  # noqa: PLC0415 - takes longer to import than the rest of the program

    store = Store(resolve_uri(tracking_uri, None))
    runs = store.cells(store.sweep(sweep_id)["sweep_id"])
    rows = [{"status": run.status, "everything_sent": run.everything_sent, **run.params, **run.metrics} for run in runs]
    frame = pd.DataFrame(rows, index=pd.Index([run.run_id for run in runs], name="run_id"))
    params = list(dict.fromkeys(key for run in runs for key in run.params))
    # Whole numbers stay whole where a strategy has none: pandas would make floats of them.
    frame[params] = frame[params].convert_dtypes()
    return frame
