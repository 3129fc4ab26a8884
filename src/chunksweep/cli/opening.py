"""Which past sweep is meant, and how to look at it in the MLflow UI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chunksweep.errors import TrackingError
from chunksweep.tracking import Store, resolve_uri


def how_to_open(sweep_id: str | None, store: Store) -> str:
    """The command that starts the UI and prints the address that shows exactly these runs."""
    elsewhere = "" if store.uri == resolve_uri(None, None) else f" \\\n  --tracking-uri {store.uri}"
    return f"These runs in the MLflow UI: chunksweep ui --sweep {sweep_id}{elsewhere}"


def chosen(store: Store, beginning: str | None) -> Mapping[str, Any]:
    """The sweep whose id begins so, or the latest.

    Raises TrackingError where there is none or more than one.
    """
    sweeps = store.sweeps()
    if not sweeps:
        raise TrackingError(f"no sweep is in {store.uri}. Run one with `chunksweep sweep runbooks`.")
    if beginning is None:
        return sweeps[0]
    fitting = [sweep for sweep in sweeps if sweep["sweep_id"].startswith(beginning)]
    exact = [sweep for sweep in fitting if sweep["sweep_id"] == beginning]
    if len(exact or fitting) != 1:
        raise TrackingError(f"--sweep {beginning}: {len(fitting)} sweeps begin so. `chunksweep list` shows their ids.")
    return (exact or fitting)[0]
