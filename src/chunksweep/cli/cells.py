"""From arguments to settings, and for `run` and `sweep` to a finished sweep."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from chunksweep.cli import hydra_app
from chunksweep.cli.arguments import require_hydra_flags
from chunksweep.cli.console import Bars, note
from chunksweep.errors import ConfigError
from chunksweep.settings import Settings
from chunksweep.sweep.launcher import Configuration
from chunksweep.sweep.plan import Grid, grid_of
from chunksweep.sweep.session import SweepOutcome, run_sweep
from chunksweep.tracking import Store, resolve_uri

MESSAGES_SHOWN = 10


def execute(
    own: argparse.Namespace,
    overrides: Sequence[str],
    *,
    name: str | None = None,
    single: bool = False,
) -> tuple[SweepOutcome, Store] | None:
    """Runs what the arguments compose; None where they asked Hydra only to show something.

    single  refuse more than one cell

    Raises ChunksweepError for whatever is wrong with arguments, inputs or store, before anything is embedded.
    """
    finished: list[tuple[SweepOutcome, Store]] = []

    def cells(configurations: Sequence[Configuration], n_jobs: int) -> None:
        if single and len(configurations) > 1:
            raise ConfigError(
                f"{len(configurations)} configurations were given to run, which takes one. "
                "Run them with `chunksweep sweep`, or quote a comma that belongs to a value."
            )
        require_jobs(n_jobs)
        grid = grid_of(configurations)
        tracking = grid.cells[0].tracking
        store = Store(resolve_uri(own.tracking_uri, tracking.uri), tracking.experiment)
        with Bars() as bars:
            outcome = run_sweep(
                grid,
                name=name,
                store=store,
                n_jobs=n_jobs,
                watcher=bars,
                dry_run=getattr(own, "dry_run", False),
                resume=getattr(own, "resume", False),
            )
        finished.append((outcome, store))

    hydra_app.compose(overrides, cells, name)
    if not finished:
        return None
    tell_left_out(finished[0][0])
    return finished[0]


def require_jobs(n_jobs: object) -> None:
    """Raises ConfigError for a number of worker processes that cannot be."""
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0 or n_jobs < -1:
        raise ConfigError(f"hydra.launcher.n_jobs={n_jobs}: at least 1, or -1 for one process a core.")


def settings_of(overrides: Sequence[str], command: str) -> list[Settings] | None:
    """The distinct cells that the arguments compose, in order; None where they asked Hydra only to show something.

    command  whose arguments these are, for the message about a flag that nobody knows

    Cells that cannot exist or are equal to another are dropped, and that is said. Raises ConfigError for whatever is
    wrong with the arguments, and where no cell can exist.
    """
    require_hydra_flags(overrides, command)
    grids: list[Grid] = []
    hydra_app.compose(overrides, lambda configurations, _n_jobs: grids.append(grid_of(configurations)))
    if not grids:
        return None
    tell_dropped(grids[0].impossible, grids[0].duplicates)
    return list(grids[0].cells)


def tell_left_out(outcome: SweepOutcome) -> None:
    """Says what was left out, and why: files not read, entries without a question, cells not run."""
    for corpus, files in outcome.unread.items():
        tell_some([f"{corpus}: {document} was not read: it {reason}" for document, reason in files])
    for corpus, warnings in outcome.warnings.items():
        tell_some([f"{corpus}: {warning}" for warning in warnings])
    tell_dropped(outcome.impossible, outcome.duplicates)


def tell_some(messages: Sequence[str]) -> None:
    """Says the first of many messages of a kind, and how many more there are."""
    for message in messages[:MESSAGES_SHOWN]:
        note(message)
    if len(messages) > MESSAGES_SHOWN:
        note(f"and {len(messages) - MESSAGES_SHOWN} more of this kind; `chunksweep check --format json` lists all.")


def tell_dropped(impossible: Mapping[str, int], duplicates: int) -> None:
    """Says how many cells cannot exist, by reason, and how many are equal to another."""
    for reason, count in impossible.items():
        note(f"{count} cell{'' if count == 1 else 's'} dropped: {reason}")
    if duplicates:
        differ = "cell differs" if duplicates == 1 else "cells differ"
        note(f"{duplicates} {differ} from another only in what their strategy ignores: run once.")


def exit_code(outcome: SweepOutcome) -> int:
    """1 where a cell failed."""
    return 1 if outcome.with_status("FAILED") else 0
