"""What `run` and `sweep` share: from arguments to a finished sweep."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from omegaconf import DictConfig

from chunksweep.cli import hydra_app
from chunksweep.cli.console import Bars, note
from chunksweep.errors import ConfigError
from chunksweep.sweep.plan import grid_of
from chunksweep.sweep.session import SweepOutcome, run_sweep
from chunksweep.tracking import Store, resolve_uri

UNREAD_SHOWN = 10


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

    def cells(configurations: Sequence[DictConfig], n_jobs: int) -> None:
        if single and len(configurations) > 1:
            raise ConfigError(
                f"{len(configurations)} configurations were given to run, which takes one. "
                "Run them with `chunksweep sweep`, or quote a comma that belongs to a value."
            )
        grid = grid_of(configurations)
        tracking = grid.cells[0].tracking
        store = Store(resolve_uri(own.tracking_uri, tracking.uri), tracking.experiment)
        with Bars() as bars:
            outcome = run_sweep(
                grid, name=name, store=store, n_jobs=n_jobs, watcher=bars, dry_run=getattr(own, "dry_run", False)
            )
        finished.append((outcome, store))

    hydra_app.compose(overrides, cells, name)
    if not finished:
        return None
    tell_left_out(finished[0][0])
    return finished[0]


def tell_left_out(outcome: SweepOutcome) -> None:
    """Says what was not done, and why: files that could not be read, cells that cannot exist or are equal."""
    for corpus, files in outcome.unread.items():
        for document, reason in files[:UNREAD_SHOWN]:
            note(f"{corpus}: {document} was not read: {reason}")
        if len(files) > UNREAD_SHOWN:
            note(f"{corpus}: {len(files) - UNREAD_SHOWN} more files were not read.")
    for reason, count in outcome.impossible.items():
        note(f"{count} cells dropped: {reason}")
    if outcome.duplicates:
        note(f"{outcome.duplicates} cells differ from another only in what their strategy ignores: run once.")


def exit_code(outcome: SweepOutcome) -> int:
    """1 where a cell failed."""
    return 1 if outcome.with_status("FAILED") else 0
