"""The JSON of runs and sweeps, as the contract has it."""

from __future__ import annotations

import pytest

from chunksweep.records import RunRecord
from chunksweep.report.shapes import past_sweep_shape, run_shape, sweep_shape
from chunksweep.sweep.session import SweepOutcome

GOOD = RunRecord("a1", "FINISHED", {"size": 400}, {"retrieval/mrr": 0.5}, everything_sent=True)
BAD = RunRecord("b2", "FAILED", {"size": 200}, {}, error="no chunk")
SWEEP_KEYS = ["sweep_id", "sweep_name", "planned", "finished", "failed", "skipped", "runs", "verdict", "no_retrieval"]


@pytest.mark.parametrize(
    ("record", "shape"),
    [
        pytest.param(
            GOOD,
            {
                "run_id": "a1",
                "status": "FINISHED",
                "params": {"size": 400},
                "metrics": {"retrieval/mrr": 0.5},
                "everything_sent": True,
            },
            id="finished",
        ),
        pytest.param(
            BAD,
            {
                "run_id": "b2",
                "status": "FAILED",
                "params": {"size": 200},
                "metrics": {},
                "everything_sent": False,
                "error": "no chunk",
            },
            id="failed",
        ),
    ],
)
def test_run(record, shape):
    assert run_shape(record) == shape


def test_sweep():
    counts = {"cells": 6, "distinct_cells": 3, "texts": 9}
    outcome = SweepOutcome("s", "name", counts, 2, {"too large": 1}, (GOOD, BAD), resumed=1)
    shape = sweep_shape(outcome, outcome.records)
    assert list(shape) == [*SWEEP_KEYS, "plan"]
    assert (shape["sweep_id"], shape["sweep_name"], shape["planned"]) == ("s", "name", 3)
    assert (shape["finished"], shape["failed"], shape["verdict"]) == (1, 1, None)
    assert shape["skipped"] == {"duplicate": 2, "impossible": 1, "resumed": 1}
    assert shape["plan"] == counts
    assert shape["runs"] == [run_shape(GOOD), run_shape(BAD)]


@pytest.mark.parametrize(("limit", "shown"), [(None, 2), (1, 1), (9, 2)])
def test_past_sweep(limit, shown):
    params = {"plan.distinct_cells": 3, "skipped.duplicate": 2, "skipped.impossible": 1}
    sweep = {"sweep_id": "s", "sweep_name": None, "status": "FINISHED", "started_ms": 1, "resumed": 1, "params": params}
    shape = past_sweep_shape(sweep, [GOOD, BAD], limit)
    assert list(shape) == SWEEP_KEYS
    assert (shape["planned"], shape["finished"], shape["failed"]) == (3, 1, 1)
    assert shape["skipped"] == {"duplicate": 2, "impossible": 1, "resumed": 1}
    assert shape["runs"] == [run_shape(GOOD), run_shape(BAD)][:shown]
