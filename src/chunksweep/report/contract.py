"""What became of a trial of a strategy: in words, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from chunksweep.contract.promises import PROMISES
from chunksweep.contract.trial import Trial


def view(trials: Sequence[tuple[str, Trial]]) -> RenderableType:
    """A table of the promises for each trial, under what its configuration is called."""
    return Group(*(part for name, trial in trials for part in (Text(_head(name, trial), style="bold"), _table(trial))))


def shape(trials: Sequence[tuple[str, Trial]]) -> dict[str, Any]:
    """The JSON of the trials. `kept` is null for a promise that the strategy does not make."""
    return {"kept": all(not trial.broken for _, trial in trials), "trials": [_shape(*named) for named in trials]}


def _shape(name: str, trial: Trial) -> dict[str, Any]:
    return {
        "chunker": name,
        "documents": trial.documents,
        "cuts": trial.cuts,
        "promises": [
            {
                "name": promise,
                "kept": None if promise in trial.exempt else promise not in trial.broken,
                "broken": trial.broken[promise].times if promise in trial.broken else 0,
                "first": trial.broken[promise].first if promise in trial.broken else None,
            }
            for promise in PROMISES
        ],
    }


def _head(name: str, trial: Trial) -> str:
    return f"{name}: {trial.documents:,} documents cut {trial.cuts:,} times"


def _table(trial: Trial) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    for promise, meaning in PROMISES.items():
        if promise in trial.exempt:
            table.add_row("not promised", promise, trial.exempt[promise], style="dim")
        elif promise in trial.broken:
            broken = trial.broken[promise]
            table.add_row("BROKEN", promise, f"{broken.times:,} times, first in {broken.first}", style="bold red")
        else:
            table.add_row("kept", promise, meaning)
    return table
