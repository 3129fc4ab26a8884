"""The JSON that commands print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chunksweep.records import RunRecord
from chunksweep.report.verdict import Judged
from chunksweep.report.whole import whole_corpora
from chunksweep.sweep.session import SweepOutcome


def run_shape(record: RunRecord) -> dict[str, Any]:
    """A run: id, status, typed params, metrics under their MLflow names, and why it failed if it did."""
    shape: dict[str, Any] = {
        "run_id": record.run_id,
        "status": record.status,
        "params": record.params,
        "metrics": record.metrics,
        "everything_sent": record.everything_sent,
    }
    return shape | ({"error": record.error} if record.error else {})


def sweep_shape(outcome: SweepOutcome, runs: Sequence[RunRecord]) -> dict[str, Any]:
    """A sweep that was just run, or planned, with its plan and what embedding was to take, as far as it was known."""
    estimated = {"estimated_seconds": outcome.estimate.seconds, "estimated_usd": outcome.estimate.usd}
    return {
        **_shape(
            outcome.sweep_id,
            outcome.name,
            outcome.planned,
            runs,
            skipped={
                "duplicate": outcome.duplicates,
                "impossible": sum(outcome.impossible.values()),
                "resumed": outcome.resumed,
            },
            judged=outcome.judged,
        ),
        "plan": {**outcome.counts, **{name: amount for name, amount in estimated.items() if amount is not None}},
    }


def past_sweep_shape(
    sweep: Mapping[str, Any], runs: Sequence[RunRecord], limit: int | None = None, judged: Sequence[Judged] = ()
) -> dict[str, Any]:
    """A past sweep as read from the tracking store; `sweep` as Store.sweeps() gives it.

    limit    how many of the runs are shown; all are counted
    judged  as Store.judged() gives it
    """
    params = sweep["params"]
    skipped = {"duplicate": params.get("skipped.duplicate", 0), "impossible": params.get("skipped.impossible", 0)}
    shape = _shape(
        sweep["sweep_id"],
        sweep["sweep_name"],
        params.get("plan.distinct_cells"),
        runs,
        skipped={**skipped, "resumed": sweep["resumed"]},
        judged=judged,
    )
    return shape | {"runs": shape["runs"][:limit]}


def _shape(
    sweep_id: str | None,
    name: str | None,
    planned: int | None,
    runs: Sequence[RunRecord],
    *,
    skipped: dict[str, int],
    judged: Sequence[Judged],
) -> dict[str, Any]:
    return {
        "sweep_id": sweep_id,
        "sweep_name": name,
        "planned": planned,
        "finished": sum(run.status == "FINISHED" for run in runs),
        "failed": sum(run.status == "FAILED" for run in runs),
        "skipped": skipped,
        "runs": [run_shape(run) for run in runs],
        "verdict": [one.shape for one in judged] or None,
        "no_retrieval": whole_corpora(runs),
    }
