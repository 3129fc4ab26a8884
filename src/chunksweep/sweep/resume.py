"""What a sweep takes over from an earlier one of the same plan, so that it goes on where that one ended."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from chunksweep import __version__, stages
from chunksweep.errors import TrackingError
from chunksweep.records import FloatArray, RunRecord
from chunksweep.settings import CorpusSettings, Settings
from chunksweep.sweep.values import VALUES, read_values
from chunksweep.tracking import PastSweep, Store


@dataclass(frozen=True, slots=True, order=True)
class Identity:
    """What a cell's result hangs on beside the version of this program.

    config_hash   of the configuration, documents and questions included, see Settings.config_hash
    model_sha256  of the embedder's weights
    """

    config_hash: str
    model_sha256: str


@dataclass(frozen=True, slots=True)
class TakenOver:
    """What an earlier sweep of the same plan has done.

    finished  cells that need not run again, with their runs
    values    of these cells, float64 (questions,): what the verdict compares
    replaced  run ids that no longer count once their cell has run again: failed ones, and those of another version
    """

    past: PastSweep
    finished: Mapping[Settings, RunRecord] = field(default_factory=dict)
    values: Mapping[Settings, FloatArray] = field(default_factory=dict)
    replaced: Mapping[Settings, Sequence[str]] = field(default_factory=dict)


def identities_of(
    cells: Sequence[Settings], inputs: Mapping[CorpusSettings, stages.Inputs]
) -> dict[Settings, Identity]:
    """The identity of every cell."""
    models = {cell.embedder: stages.model_sha256(cell.embedder) for cell in cells}
    return {
        cell: Identity(
            cell.config_hash(
                inputs[cell.corpus].corpus_sha256, inputs[cell.corpus].questions_sha256, models[cell.embedder]
            ),
            models[cell.embedder],
        )
        for cell in cells
    }


def plan_sha256(identities: Iterable[Identity]) -> str:
    """Names a plan: equal for sweeps of the same cells on the same documents and questions, in whatever order."""
    rows = sorted((identity.config_hash, identity.model_sha256) for identity in identities)
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def take_over(store: Store, identities: Mapping[Settings, Identity]) -> TakenOver | None:
    """What the latest sweep of the same plan has done; None where there is no such sweep.

    The results of another version of this program are not taken over: it may measure differently.
    """
    past = store.latest_of_plan(plan_sha256(identities.values()))
    if past is None:
        return None
    runs: dict[Identity, list[RunRecord]] = {}
    for run in reversed(store.cells(past.sweep_id)):
        identity = Identity(run.tags["chunksweep.config_hash"], run.tags["chunksweep.model_sha256"])
        runs.setdefault(identity, []).append(run)
    finished: dict[Settings, RunRecord] = {}
    replaced: dict[Settings, list[str]] = {}
    values: dict[Settings, FloatArray] = {}
    for cell, run in _claimed(identities, runs):
        kept = _values(store, cell, run)
        if kept is None:
            replaced.setdefault(cell, []).append(run.run_id)
        else:
            finished[cell], values[cell] = run, kept
    return TakenOver(past, finished, values, replaced)


def require_ended(past: PastSweep) -> None:
    """Raises TrackingError for a sweep that may be running on another machine: two would do the same work."""
    if past.status == "RUNNING":
        raise TrackingError(
            f"sweep {past.sweep_id} is running, or was started on another machine and left without an end. "
            "Resume it there, or leave out --resume to begin a new sweep."
        )


def _claimed(
    identities: Mapping[Settings, Identity], runs: Mapping[Identity, list[RunRecord]]
) -> Iterable[tuple[Settings, RunRecord]]:
    """Each run with its cell. The same documents under two names make two cells alike: then the parameters tell."""
    cells: dict[Identity, list[Settings]] = {}
    for cell, identity in identities.items():
        cells.setdefault(identity, []).append(cell)
    for identity, alike in cells.items():
        for run in runs.get(identity, ()):
            yield next((cell for cell in alike if cell.params() == run.params), alike[0]), run


def _values(store: Store, cell: Settings, run: RunRecord) -> FloatArray | None:
    """What a finished run of this version kept for the verdict; None for any other, which has to run again."""
    if run.status != "FINISHED" or run.tags["chunksweep.version"] != __version__ or not store.has(run.run_id, VALUES):
        return None
    kept = read_values(store.artifact(run.run_id, VALUES))
    return np.array(kept.values[cell.verdict.metric], dtype=np.float64)
