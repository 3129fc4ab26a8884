"""Intervals beside tables and second computations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from tests.verdict.grids import of_size

from chunksweep.verdict.intervals import clopper_pearson, mean_interval, standard_error

ALPHA = 0.05


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        # 0.025 ** (1 / 10) is the upper bound's complement at 0 of 10, and both bounds of 9 of 10 are in tables.
        pytest.param(0, 10, 0.0, 1 - 0.025**0.1, id="none of ten"),
        pytest.param(10, 10, 0.025**0.1, 1.0, id="ten of ten"),
        pytest.param(9, 10, 0.5550, 0.9975, id="nine of ten"),
        pytest.param(5, 10, 0.1871, 0.8129, id="five of ten"),
    ],
)
def test_clopper_pearson(hits, n, low, high):
    found = clopper_pearson(hits, n, ALPHA)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("n", [1, 2, 10, 200, 1000])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_clopper_pearson_beside_scipy(n, alpha):
    for hits in {0, 1, n // 3, n - 1, n}:
        exact = stats.binomtest(hits, n).proportion_ci(confidence_level=1 - alpha, method="exact")
        found = clopper_pearson(hits, n, alpha)
        assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=1e-12)


GRADED = np.array([0.0, 0.5, 1.0, 0.5])
RNG = np.random.default_rng(5)


@pytest.mark.parametrize(
    ("values", "size", "method"),
    [
        pytest.param(np.array([1.0, 0.0, 1.0]), 1, "Clopper-Pearson", id="shares"),
        pytest.param(GRADED, 1, "Student t", id="graded, few"),
        pytest.param(RNG.random(49), 1, "Student t", id="graded, 49"),
        pytest.param(RNG.random(50), 1, "BCa", id="graded, 50"),
        pytest.param(np.array([1.0, 0.0, 0.0, 0.0]), 2, "Student t", id="clustered shares"),
        pytest.param(RNG.random(60), 3, "Student t", id="clustered, many"),
        pytest.param(np.full(60, 0.5), 1, "Clopper-Pearson", id="no variance"),
        pytest.param(np.full(6, 1.0), 3, "Clopper-Pearson", id="no variance, clustered"),
        pytest.param(np.array([1.0, 0.0, 1.0, 0.0]), 2, "Clopper-Pearson", id="clusters alike"),
        pytest.param(np.array([1.0, 0.0]), 2, "Clopper-Pearson", id="one cluster"),
    ],
)
def test_the_method_fits_the_values_and_has_width(values, size, method):
    found = mean_interval(values, of_size(size, len(values)), ALPHA, 0)
    assert found.method == method
    assert 0 <= found.low <= values.mean() <= found.high <= 1
    assert found.high - found.low > 0.05


def test_student_by_hand():
    # Mean 0.5, squared residuals 0.25 + 0 + 0.25 + 0, so s^2 = 1/6 and the error sqrt(1/24); t(0.975, 3) = 3.1824.
    found = mean_interval(GRADED * 0.1 + 0.4, of_size(1, 4), ALPHA, 0)
    assert (found.low, found.high) == pytest.approx(
        (0.45 - 0.31824 / math.sqrt(24), 0.45 + 0.31824 / math.sqrt(24)), abs=1e-5
    )


def test_the_cluster_robust_error_by_hand():
    # Mean 0.25; residual sums of the two clusters 0.5 and -0.5: sqrt(2 / 1 * 0.5) / 4.
    assert standard_error(np.array([1.0, 0.0, 0.0, 0.0]), of_size(2, 4)) == pytest.approx(0.25)


def test_without_clusters_it_is_the_usual_error():
    values = RNG.random(30)
    assert standard_error(values, of_size(1, 30)) == pytest.approx(stats.sem(values))


def test_differences_without_variance_have_no_interval():
    assert mean_interval(np.full(9, -0.5), of_size(1, 9), ALPHA, 0) is None


def test_bca_shifts_with_a_skewed_sample_and_comes_back_with_its_seed():
    values = RNG.exponential(size=80) / 10
    one, two = (mean_interval(values, of_size(1, 80), ALPHA, 4) for _ in range(2))
    assert one == two
    assert one.high - values.mean() > values.mean() - one.low
