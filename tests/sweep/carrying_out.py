"""Carries out a sweep of the tiny corpus without a command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chunksweep.records import CellResult
from chunksweep.settings import Settings
from chunksweep.sweep.execute import Execution
from chunksweep.sweep.plan import Grid, Plan
from chunksweep.sweep.session import SweepOutcome, run_sweep
from chunksweep.sweep.worker import Outcome
from chunksweep.tracking import Store


@dataclass
class Watcher:
    """Keeps what it is told."""

    steps: list[tuple[str, int]] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def step(self, name: str, total: int) -> None:
        self.steps.append((name, total))
        self.done.append(0)

    def advance(self, parts: int = 1) -> None:
        self.done[-1] += parts

    def failed(self, name: str, reason: str) -> None:
        self.failures.append((name, reason))

    def note(self, message: str) -> None:
        self.notes.append(message)


def grid(cells: Sequence[Settings]) -> Grid:
    return Grid(tuple(cells), len(cells))


def planned(cells: Sequence[Settings], folder: Path) -> Plan:
    """The plan alone; nothing is embedded."""
    execution = Execution(grid(cells), 1, Watcher(), folder)
    execution.read()
    return execution.plan()


def carried_out(
    cells: Sequence[Settings], folder: Path, n_jobs: int = 1, watcher: Watcher | None = None
) -> dict[Settings, Outcome]:
    """The outcome of every cell."""
    execution = Execution(grid(cells), n_jobs, watcher or Watcher(), folder)
    execution.read()
    return dict(execution.run(execution.plan()))


def swept(
    cells: Sequence[Settings],
    store: Store,
    watcher: Watcher | None = None,
    n_jobs: int = 1,
    *,
    resume: bool = False,
) -> SweepOutcome:
    """A whole sweep, logged."""
    watcher = watcher or Watcher()
    return run_sweep(grid(cells), name="tiny", store=store, n_jobs=n_jobs, watcher=watcher, resume=resume)


def untimed(outcome: Outcome) -> CellResult:
    """A result without the metrics that no two runs share."""
    assert isinstance(outcome, CellResult), outcome
    metrics = {name: value for name, value in outcome.metrics.items() if not name.startswith("time/")}
    return CellResult(outcome.questions, metrics, outcome.everything_sent)
