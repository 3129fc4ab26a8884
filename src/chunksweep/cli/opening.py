"""How to look at runs in the MLflow UI."""

from __future__ import annotations

from chunksweep.tracking import Store, resolve_uri


def how_to_open(sweep_id: str | None, store: Store) -> str:
    """The command that starts the UI and prints the address that shows exactly these runs."""
    elsewhere = "" if store.uri == resolve_uri(None, None) else f" \\\n  --tracking-uri {store.uri}"
    return f"These runs in the MLflow UI: chunksweep ui --sweep {sweep_id}{elsewhere}"
