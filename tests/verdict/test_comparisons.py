"""Max-T by sign flips beside exact tests and brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.verdict.grids import correlated, of_size

from chunksweep.verdict.comparisons import FLIPS, compare, identical

ALPHA = 0.05


def pair(wins: int, losses: int, n: int):
    """Two cells of n questions, the first alone right on `wins`, the second alone on `losses`."""
    one = np.array([1.0] * wins + [0.0] * losses + [1.0] * (n - wins - losses))
    other = np.array([0.0] * wins + [1.0] * losses + [1.0] * (n - wins - losses))
    return np.stack([one, other])


def mcnemar(wins: int, losses: int) -> float:
    return float(binomtest(wins, wins + losses).pvalue)


@pytest.mark.parametrize(
    ("wins", "losses", "n"),
    [(wins, losses, n) for n in (6, 10, 13) for wins in range(n + 1) for losses in (0, 1, 3) if 0 < wins + losses <= n],
)
def test_a_single_pair_is_exact_mcnemar_where_all_flips_are_taken(wins, losses, n):
    assert compare(pair(wins, losses, n), n, ALPHA, 0).p[0, 1] == pytest.approx(mcnemar(wins, losses))


@pytest.mark.parametrize(
    ("wins", "losses", "n"),
    [(9, 1, 40), (14, 6, 40), (20, 8, 200), (12, 12, 100), (3, 0, 50), (60, 35, 1000)],
)
def test_a_single_pair_is_exact_mcnemar_within_monte_carlo_error_where_flips_are_drawn(wins, losses, n):
    exact = mcnemar(wins, losses)
    found = compare(pair(wins, losses, n), n, ALPHA, 1).p[0, 1]
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / FLIPS) + 1 / FLIPS)


def brute_force(sums):
    """Adjusted p of every pair over all flips, one flip and one pair at a time."""
    pairs = list(itertools.combinations(range(len(sums)), 2))

    def z(signs, one, other):
        d = [sign * (a - b) for sign, a, b in zip(signs, sums[one], sums[other], strict=True)]
        below = math.sqrt(sum(each * each for each in d))
        return abs(sum(d)) / below if below else 0.0

    flips = list(itertools.product((1, -1), repeat=len(sums[0])))
    largest = [max(z(signs, *each) for each in pairs) for signs in flips]
    plain = (1,) * len(sums[0])
    return {each: sum(top >= z(plain, *each) - 1e-9 for top in largest) / len(flips) for each in pairs}


@pytest.mark.parametrize("seed", range(5))
def test_several_pairs_are_as_by_brute_force(seed):
    rng = np.random.default_rng(seed)
    sums = rng.integers(0, 4, size=(4, 8)) / 4
    found = compare(sums, 16, ALPHA, 0)
    for (one, other), p in brute_force(sums.tolist()).items():
        expected = p if (sums[one] != sums[other]).any() else 1.0
        assert found.p[one, other] == found.p[other, one] == pytest.approx(expected)


def test_differences_and_errors_are_per_question():
    # Cluster sums differ by 2 and -1 over five questions: mean 1 / 5, error sqrt(4 + 1) / 5.
    found = compare(np.array([[2.0, 1.0], [0.0, 2.0]]), 5, ALPHA, 0)
    assert found.difference[0, 1] == pytest.approx(0.2)
    assert found.error[0, 1] == pytest.approx(math.sqrt(5) / 5)
    assert found.difference[1, 0] == pytest.approx(-0.2)


@pytest.mark.parametrize("clusters", [12, 60])
@pytest.mark.parametrize("seed", range(4))
def test_bounds_leave_out_zero_exactly_where_p_is_at_most_alpha(clusters, seed):
    rng = np.random.default_rng(seed)
    scores = correlated(rng, np.linspace(0.3, 0.9, 12), clusters)
    found = compare(scores, clusters, ALPHA, seed, flips=999)
    told = np.abs(found.difference) > found.quantile * found.error * (1 + 1e-9)
    assert (told == (found.p <= ALPHA)).all()


@pytest.mark.parametrize(
    ("wins", "n", "bounded"),
    [
        pytest.param(5, 5, False, id="two flips of 32 are more than alpha"),
        pytest.param(6, 6, True, id="two of 64 are less"),
        pytest.param(3, 500, False, id="three discordant questions"),
    ],
)
def test_a_sample_too_small_has_no_bound(wins, n, bounded):
    found = compare(pair(wins, 0, n), n, ALPHA, 0)
    assert found.bounded == bounded
    assert (found.p[0, 1] <= ALPHA) == bounded


def test_cells_that_agree_are_no_pair():
    found = compare(np.ones((3, 20)), 20, ALPHA, 0)
    assert (found.pairs, found.quantile, found.bounded) == (0, 0.0, False)
    assert (found.p == 1).all()


def test_one_signs_flip_serves_the_questions_of_a_cluster():
    clusters = of_size(5, 50)
    scores = np.stack([np.ones(50), np.repeat([1.0, 0.0], 25)])
    # Five clusters of ten differ, all in one direction: 2 of 2^5, whatever the number of their questions.
    assert compare(clusters.sums(scores), 50, ALPHA, 0).p[0, 1] == pytest.approx(2 / 32)


def test_against_one_cell_only_its_pairs_count():
    scores = correlated(np.random.default_rng(3), np.linspace(0.5, 0.8, 8), 80)
    every, one = compare(scores, 80, ALPHA, 0), compare(scores, 80, ALPHA, 0, against=2)
    assert (every.pairs, one.pairs) == (28, 7)
    assert one.quantile < every.quantile
    assert (one.p[2] <= every.p[2]).all()
    assert one.p[0, 1] == 1


def test_the_seed_gives_the_same_again():
    scores = correlated(np.random.default_rng(3), np.linspace(0.5, 0.8, 8), 80)
    one, two, other = (compare(scores, 80, ALPHA, seed).p for seed in (1, 1, 2))
    assert (one == two).all()
    assert (one != other).any()


@pytest.mark.parametrize(
    ("scores", "groups"),
    [
        pytest.param([[1, 0], [0, 1], [1, 0]], [0, 1, 0], id="equal rows"),
        pytest.param([[0.0], [-0.0]], [0, 0], id="zero has no sign"),
        pytest.param([[1, 0], [0, 1]], [0, 1], id="equal means are not equal rows"),
    ],
)
def test_identical(scores, groups):
    assert identical(np.array(scores, dtype=np.float64)).tolist() == groups
