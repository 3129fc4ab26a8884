"""How often the statistics are wrong, on data whose truth is known: drawn anew, so these are long.

Each prints what it found, which `pytest -m long -rP tests/verdict/test_simulations.py` shows: the tables of
docs/verdict.md are made from it.
"""

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
TRIALS = 300
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
    rate = false_rates(np.full(CELLS, p), n, size)
    print(f"FOUND all equal, p={p} n={n} clusters of {size}: {rate:.1%} of {GRIDS} grids")
    assert rate <= at_most(ALPHA, GRIDS)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize(
    ("better", "means"),
    [pytest.param(30, (0.8, 0.6), id="two halves"), pytest.param(1, (0.9, 0.7), id="one better than the rest")],
)
def test_partial_nulls_rule_out_no_equal_cell(better, means, n, size):
    rate = false_rates(np.where(np.arange(CELLS) < better, *means), n, size)
    print(f"FOUND {better} at {means[0]}, others at {means[1]}, n={n} clusters of {size}: {rate:.1%} of {GRIDS} grids")
    assert rate <= at_most(ALPHA, GRIDS)


def power(cells, size, trials=200, n=200):
    """A cell at 0.9 in a grid of cells at 0.7: how often a given one of these is ruled out."""
    rng = np.random.default_rng(11)
    clusters = of_size(size, n)
    means = np.where(np.arange(cells) == 0, 0.9, 0.7)
    scores = (correlated(rng, means, n, size=size) for _ in range(trials))
    found = (compare(clusters.sums(drawn), n, ALPHA, seed) for seed, drawn in enumerate(scores))
    shown = float(np.mean([(compared.p[0, 1:] <= ALPHA).mean() for compared in found]))
    print(f"FOUND power, 0.9 against 0.7 among {cells} cells, n={n} clusters of {size}: {shown:.1%} of {trials} grids")
    return shown


def test_power_of_two_cells_alone():
    assert power(2, 1) >= 0.9


def test_power_in_a_grid_and_that_clusters_cost_some():
    unclustered = power(CELLS, 1)
    assert unclustered >= 0.9
    assert power(CELLS, 5) < unclustered


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
    lost, sent = [], []
    for _ in range(TRIALS):
        means, tokens = graded(rng)
        scores = correlated(rng, means, n)
        cells = tuple(Cell(str(row), str(row), {}, scores[row], tokens[row]) for row in range(CELLS))
        documents = tuple(frozenset([str(question)]) for question in range(n))
        verdict = conclude(Evidence("graded", "retrieval/answerable", cells, documents), rules, flips=999)
        best = min(range(CELLS), key=lambda row: (-scores[row].sum(), tokens[row]))
        cheapest = min(map(int, verdict.contenders), key=lambda row: tokens[row])
        chosen = int(str(verdict.recommended))
        assert tokens[chosen] <= tokens[best]
        sent.append(tokens[[chosen, best]])
        lost.append(means.max() - means[[chosen, best, cheapest]])
    of_chosen, of_best, of_cheapest = np.mean(lost, axis=0)
    sent_by_chosen, sent_by_best = np.mean(sent, axis=0)
    print(
        f"FOUND {graded.__name__} n={n}: lost {of_chosen:.3f} by the recommended, {of_best:.3f} by the highest, "
        f"{of_cheapest:.3f} by the cheapest possible; tokens {sent_by_chosen:.0f} / {sent_by_best:.0f}; {TRIALS} grids"
    )
    assert of_chosen <= of_best + rules.margin
    assert of_chosen < of_cheapest


@pytest.mark.parametrize("p", [0.5, 0.7, 0.9])
# Ten questions in clusters of five are two clusters, which are no sample.
@pytest.mark.parametrize(
    ("size", "graded", "n", "least"),
    [
        *(pytest.param(1, False, n, 0.95, id=f"shares: Clopper-Pearson-{n}") for n in (10, 50, 200)),
        pytest.param(1, True, 10, 0.90, id="graded: Student t-10"),
        *(pytest.param(1, True, n, 0.93, id=f"graded: BCa-{n}") for n in (50, 200)),
        *(pytest.param(5, False, n, 0.93, id=f"clustered shares: Student t-{n}") for n in (50, 200)),
    ],
)
def test_coverage(size, graded, least, n, p):
    rng = np.random.default_rng(13)
    trials = 300 if graded and n >= 50 else 1000
    held = 0
    for seed in range(trials):
        values = rng.beta(4 * p, 4 * (1 - p), n) if graded else correlated(rng, np.array([p]), n, size=size)[0]
        interval = mean_interval(values, of_size(size, n), ALPHA, seed)
        assert interval is not None
        held += interval.low <= p <= interval.high
    print(f"FOUND coverage, p={p} n={n} clusters of {size} graded={graded}: {held / trials:.1%} of {trials}")
    assert held / trials >= at_least(least, trials)
