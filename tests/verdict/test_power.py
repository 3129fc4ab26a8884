"""The detectable difference: by hand, and simulated under the rule itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from chunksweep.verdict import power
from chunksweep.verdict.comparisons import compare

# 0.8 quantile of the normal distribution, from tables.
Z = 0.8416


@pytest.mark.parametrize(
    ("variance", "n", "quantile", "found"),
    [
        pytest.param(0.2, 1000, 1.96, (1.96 + Z) * math.sqrt(0.2 / 1000), id="usual"),
        pytest.param(0.01, 100, 1.96, (1.96 + Z) ** 2 / 100, id="no more than what differs"),
        pytest.param(0.3, 10, 3.0, None, id="nothing can be shown"),
    ],
)
def test_detectable(variance, n, quantile, found):
    assert power.detectable_difference(variance, n, quantile) == (found and pytest.approx(found, rel=1e-4))


@pytest.mark.parametrize("variance", [0.02, 0.1, 0.5])
def test_the_number_of_questions_is_the_inverse(variance):
    n = power.questions_for(0.05, variance, 2.5)
    assert power.detectable_difference(variance, n, 2.5) <= 0.05 < power.detectable_difference(variance, n - 1, 2.5)


def test_a_range_over_pairs_is_rough():
    # (1.96 + Z)^2 / 0.0025 is 3139.6 questions a unit of variance: 0.1 and 0.3 give 314 and 942.
    found = np.array([0.05, 0.1, 0.2, 0.3, 0.4])
    assert power.questions_range(0.05, found, 1.96) == (320, 950)


def test_variances_are_those_of_discordant_pairs():
    # Of four questions cell 0 differs from 1 in one and from 2 in none: variance 1 / 4.
    scores = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]])
    found = compare(scores, 4, 0.05, 0)
    assert power.variances(found.error, 4, 0).tolist() == pytest.approx([0.25])


@pytest.mark.long
@pytest.mark.parametrize(("variance", "n"), [(0.2, 200), (0.3, 400), (0.1, 1000)])
def test_the_detectable_difference_is_shown_four_times_in_five(variance, n):
    rng = np.random.default_rng(0)
    difference = power.detectable_difference(variance, n, 1.96)
    trials = 400
    shown = 0
    for seed in range(trials):
        d = rng.choice(
            [1.0, -1.0, 0.0], size=n, p=[(variance + difference) / 2, (variance - difference) / 2, 1 - variance]
        )
        shown += bool(compare(np.stack([d, np.zeros(n)]), n, 0.05, seed, flips=999).p[0, 1] <= 0.05)
    assert 0.73 <= shown / trials <= 0.87
