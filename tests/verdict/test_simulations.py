"""How often the statistics are wrong, on data whose truth is known: drawn anew, so these are long."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.verdict.grids import correlated, of_size

from chunksweep.settings import VerdictSettings
from chunksweep.verdict.comparisons import compare
from chunksweep.verdict.conclude import conclude
from chunksweep.verdict.evidence import Cell, Evidence
from chunksweep.verdict.intervals import mean_interval

pytestmark = pytest.mark.long

ALPHA = 0.05
GRIDS = 1_000
CELLS = 60
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
        found = compare(clusters.sums(correlated(rng, means, n, size=size)), n, ALPHA, seed)
        wrong += bool((found.p[equal] <= ALPHA).any())
    return wrong / grids


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", [10, 50, 200])
@pytest.mark.parametrize("p", [0.5, 0.7, 0.9])
def test_null_grids_rule_out_none(p, n, size):
    assert false_rates(np.full(CELLS, p), n, size) <= at_most(ALPHA, GRIDS)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize(
    ("better", "means"),
    [pytest.param(30, (0.8, 0.6), id="two halves"), pytest.param(1, (0.9, 0.7), id="one better than the rest")],
)
def test_partial_nulls_rule_out_no_equal_cell(better, means, n, size):
    means = np.where(np.arange(CELLS) < better, *means)
    assert false_rates(means, n, size) <= at_most(ALPHA, GRIDS)


@pytest.mark.parametrize("cells", [2, CELLS])
def test_power_against_one_cell(cells):
    """A cell at 0.9 in a grid of cells at 0.7: how often a given one of these is ruled out."""
    rng = np.random.default_rng(11)
    trials, n = 200, 200
    means = np.where(np.arange(cells) == 0, 0.9, 0.7)
    shown = sum((compare(correlated(rng, means, n), n, ALPHA, seed).p[0, 1:] <= ALPHA).mean() for seed in range(trials))
    assert shown / trials >= 0.9


def rising(rng):
    """True means from 0.3 to 0.8, and the dearer the better."""
    return np.linspace(0.3, 0.8, CELLS), np.linspace(50, 1000, CELLS)


def shuffled(rng):
    """The same means at prices that have nothing to do with them."""
    return np.linspace(0.3, 0.8, CELLS), rng.permutation(np.linspace(50, 1000, CELLS))


def saturating(rng):
    """What more tokens bring becomes less and less."""
    return 0.8 - 0.5 * np.exp(-np.linspace(0, 5, CELLS)), np.linspace(50, 1000, CELLS)


@pytest.mark.parametrize("n", [10, 50, 200])
@pytest.mark.parametrize("graded", [rising, shuffled, saturating])
def test_the_recommendation_loses_little(graded, n):
    """Against the highest observed cell it gives up no more than the margin of true quality, and saves tokens.

    The cheapest of all that remain possible, a rule that sounds as careful, gives up far more.
    """
    rng = np.random.default_rng(5)
    rules = VerdictSettings(cluster="question")
    lost = []
    for _ in range(200):
        means, tokens = graded(rng)
        scores = correlated(rng, means, n)
        cells = tuple(Cell(str(row), str(row), {}, scores[row], tokens[row]) for row in range(CELLS))
        documents = tuple(frozenset([str(question)]) for question in range(n))
        verdict = conclude(Evidence("graded", "retrieval/answerable", cells, documents), rules, flips=999)
        best = min(range(CELLS), key=lambda row: (-scores[row].sum(), tokens[row]))
        cheapest = min(map(int, verdict.contenders), key=lambda row: tokens[row])
        chosen = int(str(verdict.recommended))
        assert tokens[chosen] <= tokens[best]
        lost.append(means.max() - means[[chosen, best, cheapest]])
    of_chosen, of_best, of_cheapest = np.mean(lost, axis=0)
    assert of_chosen <= of_best + rules.margin
    assert of_chosen < of_cheapest


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
