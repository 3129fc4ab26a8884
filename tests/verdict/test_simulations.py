"""How often the statistics are wrong, on data whose truth is known: drawn anew, so these are long."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.verdict.grids import correlated, of_size

from chunksweep.verdict.comparisons import compare
from chunksweep.verdict.intervals import mean_interval

pytestmark = pytest.mark.long

ALPHA = 0.05
GRIDS = 300
CELLS = 60
FLIPS = 999
SIZES = [pytest.param(1, id="unclustered"), pytest.param(5, id="clusters of five")]


def at_most(share: float, trials: int) -> float:
    """The share plus three standard errors of its simulation."""
    return share + 3 * math.sqrt(share * (1 - share) / trials)


def at_least(share: float, trials: int) -> float:
    return share - 3 * math.sqrt(share * (1 - share) / trials)


def false_rates(means, n, size, grids=GRIDS):
    """The share of grids in which a pair with equal means is told apart."""
    rng = np.random.default_rng(7)
    clusters = of_size(size, n)
    equal = means[:, np.newaxis] == means[np.newaxis]
    wrong = 0
    for seed in range(grids):
        found = compare(clusters.sums(correlated(rng, means, n, size=size)), n, ALPHA, seed, flips=FLIPS)
        wrong += bool((found.p[equal] <= ALPHA).any())
    return wrong / grids


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", [10, 50, 200])
@pytest.mark.parametrize("p", [0.5, 0.7, 0.9])
def test_null_grids_rule_out_none(p, n, size):
    assert false_rates(np.full(CELLS, p), n, size) <= at_most(ALPHA, GRIDS)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", [50, 200])
def test_partial_nulls_rule_out_no_equal_cell(n, size):
    means = np.where(np.arange(CELLS) < CELLS // 2, 0.8, 0.6)
    assert false_rates(means, n, size) <= at_most(ALPHA, GRIDS)


def test_power_against_one_cell():
    rng = np.random.default_rng(11)
    trials, n = 200, 200
    shown = 0
    for seed in range(trials):
        found = compare(correlated(rng, np.array([0.9, 0.7]), n), n, ALPHA, seed, flips=FLIPS)
        shown += bool(found.p[0, 1] <= ALPHA)
    assert shown / trials >= 0.9


@pytest.mark.parametrize("p", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("n", [10, 50, 200])
@pytest.mark.parametrize(
    ("size", "graded", "least"),
    [
        pytest.param(1, False, {10: 0.95, 50: 0.95, 200: 0.95}, id="shares: Clopper-Pearson"),
        pytest.param(1, True, {10: 0.90, 50: 0.93, 200: 0.93}, id="graded: Student t, BCa"),
        pytest.param(5, False, {50: 0.93, 200: 0.93}, id="clustered shares: Student t"),
    ],
)
def test_coverage(size, graded, least, n, p):
    if n not in least:
        pytest.skip("two clusters are no sample")
    rng = np.random.default_rng(13)
    trials = 300 if graded and n >= 50 else 1000
    held = 0
    for seed in range(trials):
        values = rng.beta(4 * p, 4 * (1 - p), n) if graded else correlated(rng, np.array([p]), n, size=size)[0]
        interval = mean_interval(values, of_size(size, n), ALPHA, seed)
        assert interval is not None
        held += interval.low <= p <= interval.high
    assert held / trials >= at_least(least[n], trials)
