"""Which tracking store."""

from __future__ import annotations

import os
from pathlib import Path

from chunksweep.errors import TrackingError

SQLITE = "sqlite:///"


def resolve_uri(flag: str | None, configured: str | None) -> str:
    """The address of the store: `--tracking-uri`, then `tracking.uri`, then MLFLOW_TRACKING_URI, then ./mlruns.

    Raises TrackingError for a folder, which MLflow no longer writes to.
    """
    uri = flag or configured or os.environ.get("MLFLOW_TRACKING_URI")
    if not uri:
        return f"{SQLITE}{Path('mlruns', 'mlflow.db').absolute()}"
    if "://" not in uri or uri.startswith("file:"):
        folder = Path(uri.removeprefix("file://").removeprefix("file:")).absolute()
        raise TrackingError(
            f"{uri} is a folder, and MLflow no longer keeps runs in folders. "
            f"Use {SQLITE}{folder / 'mlflow.db'} instead."
        )
    if uri.startswith(SQLITE):
        return f"{SQLITE}{Path(uri.removeprefix(SQLITE)).absolute()}"
    return uri
