"""Quantiles beside those of scipy.stats."""

from __future__ import annotations

import pytest
from scipy import stats

from chunksweep.verdict.quantiles import beta_quantile, normal_quantile, student_quantile, student_tail


@pytest.mark.parametrize("share", [0.001, 0.025, 0.5, 0.8, 0.975, 0.99999])
def test_quantiles(share):
    assert normal_quantile(share) == pytest.approx(stats.norm.ppf(share), abs=1e-12)
    for freedom in (1, 2, 9, 500):
        assert student_quantile(freedom, share) == pytest.approx(stats.t.ppf(share, freedom), rel=1e-9, abs=1e-12)
        assert student_tail(freedom, 4 * share) == pytest.approx(stats.t.sf(4 * share, freedom), rel=1e-9)
        assert beta_quantile(freedom, 3.5, share) == pytest.approx(stats.beta.ppf(share, freedom, 3.5), rel=1e-9)
