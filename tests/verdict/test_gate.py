"""The gate's test beside exact McNemar, brute force over sets of clusters, and cases worked out by hand."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from tests.verdict.grids import correlated, of_size

from chunksweep.verdict.comparisons import FLIPS
from chunksweep.verdict.gate import can_close, gate

ALPHA = 0.05
GUIDE = Path(__file__).parents[2] / "docs" / "gate.md"


def pair(lost: int, won: int, n: int):
    """Baseline and candidate of n questions, the first alone right on `lost`, the second alone on `won`."""
    baseline = np.array([1.0] * lost + [0.0] * won + [1.0] * (n - lost - won))
    candidate = np.array([0.0] * lost + [1.0] * won + [1.0] * (n - lost - won))
    return baseline, candidate


def judged(lost: int, won: int, n: int, max_drop: float = 0.0, *, size: int = 1, seed: int = 0):
    return gate(*pair(lost, won, n), of_size(size, n), max_drop=max_drop, alpha=ALPHA, seed=seed)


def mcnemar(lost: int, won: int) -> float:
    return float(binomtest(lost, lost + won, alternative="greater").pvalue)


@pytest.mark.parametrize(
    ("lost", "won", "n"),
    [(lost, won, n) for n in (6, 10, 13) for lost in range(n + 1) for won in (0, 1, 3) if 0 < lost + won <= n],
)
def test_no_drop_allowed_is_exact_mcnemar_one_sided_where_all_flips_are_taken(lost, won, n):
    found = judged(lost, won, n)
    assert found.p == pytest.approx(mcnemar(lost, won))
    assert found.closed == (mcnemar(lost, won) <= ALPHA)


@pytest.mark.parametrize(("lost", "won", "n"), [(9, 1, 40), (14, 6, 40), (20, 8, 200), (12, 12, 100), (60, 35, 1000)])
def test_no_drop_allowed_is_exact_mcnemar_within_monte_carlo_error_where_flips_are_drawn(lost, won, n):
    exact = mcnemar(lost, won)
    error = 4 * math.sqrt(exact * (1 - exact) / FLIPS) + 1 / FLIPS
    assert judged(lost, won, n, seed=1).p == pytest.approx(exact, abs=error)


def by_brute_force(differences, labels, drop):
    """The share of sets of clusters whose mean difference is at most the drop and half a question more."""
    n, clusters = len(differences), sorted(set(labels))
    allowed = drop + min(drop, 0.5 / n)
    reached = 0
    for flips in itertools.product((False, True), repeat=len(clusters)):
        chosen = [d for d, label in zip(differences, labels, strict=True) if flips[label]]
        reached += not chosen or sum(chosen) / len(chosen) <= allowed + 1e-9
    return max(reached / 2 ** len(clusters), drop ** len(clusters))


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("drop", [0.0, 0.01, 0.1, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_p_is_as_by_brute_force(seed, drop, size):
    rng = np.random.default_rng(seed)
    baseline, candidate = rng.integers(0, 5, size=(2, 10)) / 4
    clusters = of_size(size, 10)
    found = gate(baseline, candidate, clusters, max_drop=drop, alpha=ALPHA, seed=0)
    expected = by_brute_force((baseline - candidate).tolist(), clusters.labels.tolist(), drop)
    assert found.p == pytest.approx(expected)


@pytest.mark.parametrize(
    ("lost", "won", "n", "closed"),
    [
        pytest.param(4, 0, 10, False, id="one of 2^4 flips is more than 5 %"),
        pytest.param(5, 0, 10, True, id="one of 2^5 is less"),
        pytest.param(0, 5, 10, False, id="a gain never closes"),
        pytest.param(0, 0, 10, False, id="no difference"),
    ],
)
def test_closing(lost, won, n, closed):
    assert judged(lost, won, n).closed == closed


def test_bounds_worked_out_by_hand():
    # Five questions, all lost: of 32 sets 1.6 may be at most x, the empty one is. The next smallest mean is 1, less
    # half a question 0.9; but a true drop of 0.05^(1/5) = 0.549 loses all five in 5 of 100 cases.
    found = judged(5, 0, 5)
    assert found.low == pytest.approx(0.05 ** (1 / 5))
    assert found.high == 1
    assert found.drop == 1
    # Four can bound nothing from below.
    assert judged(4, 0, 4).low is None


def test_agreement_everywhere_does_not_show_that_nothing_was_lost():
    # c = 1.96: c * sqrt(c^2 / 2) / 100 = 0.0272, near the 3 / n of the rule of three.
    found = judged(0, 0, 100)
    assert (found.low, found.p) == (0, 1)
    assert found.high == pytest.approx(1.959964**2 / math.sqrt(2) / 100, rel=1e-5)


def test_questions_of_one_cluster_are_flipped_together():
    # Five clusters of ten lost: of their sets, 2^-5 are empty of them. As many questions alone are beyond doubt.
    assert judged(25, 0, 50, size=5).p == pytest.approx(1 / 32)
    assert judged(25, 0, 50).p < 0.001


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 5)), min_size=5, max_size=10),
    st.sampled_from([0.0, 0.01, 0.05, 0.1, 0.2, 0.4]),
)
def test_it_closes_exactly_where_the_lower_bound_is_larger_than_the_drop_allowed(rows, drop):
    baseline, candidate = (np.array([row[at] / 4 for row in rows]) for at in (0, 1))
    found = gate(baseline, candidate, of_size(1, len(rows)), max_drop=drop, alpha=ALPHA, seed=0)
    assert found.low is not None
    if abs(found.low - drop) > 1e-6:
        assert found.closed == (found.low > drop)
    assert found.low <= found.high


@settings(deadline=None)
@given(st.integers(0, 6), st.integers(0, 6))
def test_a_larger_drop_allowed_closes_less(lost, won):
    p = [judged(lost, won, 12, drop).p for drop in (0, 0.01, 0.05, 0.1, 0.3, 0.49)]
    assert p == sorted(p)


def test_a_seed_gives_the_same_again():
    one, two, other = (judged(15, 6, 60, 0.02, seed=seed) for seed in (1, 1, 2))
    assert one == two
    assert one != other


@pytest.mark.parametrize(
    ("answered", "n", "possible"),
    [
        pytest.param(4, 4, False, id="four questions"),
        pytest.param(5, 5, True, id="five"),
        pytest.param(4, 100, False, id="four that can be lost"),
        pytest.param(0, 100, False, id="none that can be lost"),
    ],
)
def test_whether_it_can_close_at_all(answered, n, possible):
    baseline = np.array([1.0] * answered + [0.0] * (n - answered))
    assert can_close(baseline, of_size(1, n), max_drop=0, alpha=ALPHA, seed=0) == possible


def test_what_is_detectable():
    # n = 200, nothing differs: D with D = (1.6449 + 0.8416)^2 / 200 = 0.0309.
    assert judged(0, 0, 200).detectable == pytest.approx(0.030914, rel=1e-4)
    # D - 0.1 = 2.4865 sqrt(D / 200): sqrt(D) = (0.17582 + sqrt(0.17582^2 + 0.4)) / 2 = 0.41613, D = 0.17316.
    assert judged(0, 0, 200, 0.1).detectable == pytest.approx(0.17316, rel=1e-4)
    # 80 of 200 differ: 0.1 + 2.4865 sqrt(0.4 / 200).
    assert judged(40, 40, 200, 0.1).detectable == pytest.approx(0.1 + 2.48648 * math.sqrt(0.4 / 200), rel=1e-4)
    assert judged(0, 0, 5).detectable is None


@pytest.mark.parametrize(
    ("n", "said"), [(50, "| 50 | 12 points | 21 points |"), (200, "| 200 | 3 points | 11 points |")]
)
def test_the_rule_of_thumb_of_the_guide(n, said):
    cells = [judged(0, 0, n, drop).detectable for drop in (0, 0.05)]
    assert f"| {n} | " + " | ".join(f"{100 * cell:.0f} points" for cell in cells) + " |" == said
    assert said in GUIDE.read_text(encoding="utf-8")


@pytest.mark.parametrize("drop", [-0.1, 0.5, math.nan])
def test_a_drop_that_the_test_does_not_serve(drop):
    with pytest.raises(ValueError, match="max_drop"):
        judged(1, 0, 10, drop)


RUNS = 1_000
FLIPS_DRAWN = 999


def closing_rate(drop: float, max_drop: float, n: int, size: int, *, mean: float = 0.8, runs: int = RUNS) -> float:
    """The share of samples in which the gate closes, the true drop being known."""
    rng = np.random.default_rng(13)
    means, clusters = np.array([mean, mean - drop]), of_size(size, n)
    closed = 0
    for seed in range(runs):
        baseline, candidate = correlated(rng, means, n, size=size)
        closed += gate(
            baseline, candidate, clusters, max_drop=max_drop, alpha=ALPHA, seed=seed, flips=FLIPS_DRAWN
        ).closed
    return closed / runs


@pytest.mark.long
@pytest.mark.parametrize("size", [pytest.param(1, id="unclustered"), pytest.param(5, id="clusters of five")])
@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize("mean", [0.5, 0.8])
@pytest.mark.parametrize("max_drop", [0.0, 0.02, 0.05, 0.1, 0.2])
def test_a_true_drop_of_what_is_allowed_closes_at_most_alpha(max_drop, mean, n, size):
    allowed = ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / RUNS)
    assert closing_rate(max_drop, max_drop, n, size, mean=mean) <= allowed


@pytest.mark.long
@pytest.mark.parametrize(
    ("drop", "max_drop", "n", "power"),
    [(0.1, 0.0, 200, 0.85), (0.15, 0.05, 200, 0.75), (0.2, 0.05, 200, 0.95), (0.3, 0.05, 50, 0.75)],
)
def test_a_larger_true_drop_closes(drop, max_drop, n, power):
    assert closing_rate(drop, max_drop, n, 1, runs=400) >= power


@pytest.mark.long
@pytest.mark.parametrize("n", [100, 400])
@pytest.mark.parametrize("max_drop", [0.0, 0.05])
def test_what_is_called_detectable_closes_in_about_80_of_100(n, max_drop):
    rng = np.random.default_rng(5)
    means, clusters = np.array([0.8, 0.7]), of_size(1, n)
    said = [
        gate(*correlated(rng, means, n), clusters, max_drop=max_drop, alpha=ALPHA, seed=0, flips=9).detectable
        for _ in range(40)
    ]
    # It depends on the sample, so on average; flips that are drawn for nothing else are few here.
    detectable = float(np.mean([each for each in said if each is not None]))
    assert closing_rate(detectable, max_drop, n, 1, runs=400) == pytest.approx(0.8, abs=0.12)
