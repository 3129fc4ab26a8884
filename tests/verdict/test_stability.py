"""The bootstrap of the best, beside what can be worked out."""

from __future__ import annotations

import numpy as np
import pytest

from chunksweep.verdict.stability import stability

ONES = np.ones(2, dtype=np.int64)


@pytest.mark.parametrize(
    ("sums", "share"),
    [
        pytest.param([[1, 1], [0, 0]], [1, 0], id="best on every question"),
        pytest.param([[1, 0], [0, 1]], [0.5, 0.5], id="each on one: a tie is shared"),
        # Of four resamples one lacks the question that tells them apart, and is shared.
        pytest.param([[1, 1], [0, 1]], [0.875, 0.125], id="one question tells them apart"),
    ],
)
def test_share(sums, share):
    found = stability(np.array(sums, dtype=np.float64), ONES, 0, resamples=20_000)
    assert found.share == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize(
    ("sums", "optimism"),
    [
        pytest.param([[1, 1], [0, 0]], 0, id="nothing to pick"),
        # Half of the resamples hold one question twice: the best there has 1 instead of 0.5.
        pytest.param([[1, 0], [0, 1]], 0.25, id="picked from two equals"),
    ],
)
def test_optimism(sums, optimism):
    found = stability(np.array(sums, dtype=np.float64), ONES, 0, resamples=20_000)
    assert found.optimism == pytest.approx(optimism, abs=0.02)


def test_clusters_count_by_their_questions():
    # Drawn twice, the first cluster gives 1, the second 0; both once 4 of 5.
    found = stability(np.array([[4.0, 0.0], [0.0, 1.0]]), np.array([4, 1]), 0, resamples=20_000)
    assert found.share == pytest.approx([0.75, 0.25], abs=0.02)
