"""What a bootstrap of the clusters says of the best cell: how often another comes first, and how flattered it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chunksweep.records import FloatArray, IntArray

RESAMPLES = 2_000
# Means that are equal in exact arithmetic may differ in the last digits.
TIED_WITHIN = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Stability:
    """share  float64 (groups,), of the resamples in which a group is best, ties sharing; no probability of being best.

    optimism  by how much the mean of whichever group is best in a resample exceeds, on average, the mean of that same
              group over all questions: how much a best that was picked flatters (Efron 1983)
    """

    share: FloatArray
    optimism: float


def stability(sums: FloatArray, sizes: IntArray, seed: int, resamples: int = RESAMPLES) -> Stability:
    """Resamples whole clusters with replacement.

    sums   float64 (groups, clusters)
    sizes  int64 (clusters,), questions in each cluster
    """
    clusters = len(sizes)
    drawn = np.random.default_rng(seed).multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples).T
    means = (sums @ drawn) / (sizes @ drawn)
    best = means.max(axis=0)
    first = (means >= best - TIED_WITHIN).astype(np.float64)
    first /= first.sum(axis=0)
    observed = sums.sum(axis=1) / sizes.sum()
    return Stability(first.mean(axis=1), float((best - observed @ first).mean()))
