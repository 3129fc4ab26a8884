"""Which cells differ: studentised max-T over all pairs at once, by flipping signs.

Under the hypothesis that two cells are equally good, the sign of each cluster's difference is arbitrary. One sign a
cluster is shared by all cells and pairs, so that the correlation of cells which rank much the same is kept and no more
is paid for many of them than needed. The statistic of a pair is z = sum d / sqrt(sum d^2) over the cluster sums of its
differences; its denominator does not change with the signs. A pair's p is the share of flips whose largest |z| of all
pairs reaches its own, the identity among them: (1 + count) / (1 + B) for B random flips, count / all where all are
taken. For a single pair of shares this is McNemar's exact test. Source: Westfall and Young 1993, single-step maxT.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chunksweep.records import FloatArray, IntArray

FLIPS = 9_999
ALL_UP_TO = 13
# Flips worked on at a time: the products of 200 cells with so many stay in the processor's cache.
BLOCK = 1_024
# Statistics that are equal in exact arithmetic may differ in the last digits.
EQUAL_WITHIN = 1e-9

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons:
    """Every pair of groups of identical cells; element [i, j] is about group i minus group j.

    difference  float64 (groups, groups), of the means over questions
    error       float64 (groups, groups), standard error sqrt(sum d^2) / n; 0 where cluster sums do not differ
    p           float64 (groups, groups), adjusted for all pairs of the family; 1 for pairs outside it
    quantile    the 1 - alpha quantile c of the largest |z|: bounds are difference -/+ c * error; 0 without pairs
    bounded     whether some |z| could exceed c; if not, the sample is too small for any bound
    pairs       how many pairs were compared
    """

    difference: FloatArray
    error: FloatArray
    p: FloatArray
    quantile: float
    bounded: bool
    pairs: int


def identical(scores: FloatArray) -> IntArray:
    """int64 (cells,): the group of each cell, numbered in order of appearance; cells with equal rows share one."""
    numbers: dict[bytes, int] = {}
    rows = np.ascontiguousarray(scores) + 0.0  # -0.0 has other bytes than 0.0
    return np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in rows], dtype=np.int64)


def compare(
    sums: FloatArray, n: int, alpha: float, seed: int, *, against: int | None = None, flips: int = FLIPS
) -> Comparisons:
    """Compares groups with each other, or all with one of them.

    sums     float64 (groups, clusters), the metric summed over the questions of each cluster
    n        questions
    against  the group that the others are compared with; None: all pairs
    flips    random sign flips, where there are more than 13 clusters
    """
    total = sums.sum(axis=1)
    difference = (total[:, np.newaxis] - total[np.newaxis]) / n
    spread = np.sqrt(_squared_distances(sums))
    family = _family(spread, against)
    inverse = np.divide(1.0, spread, out=np.zeros_like(spread), where=family)
    largest = np.sort(_largest(sums, inverse, sign_flips(sums.shape[1], seed, flips)))
    z = np.abs(difference * n * inverse)
    reached = len(largest) - np.searchsorted(largest, z * (1 - EQUAL_WITHIN))
    quantile = float(largest[len(largest) - math.floor(alpha * len(largest) + EQUAL_WITHIN) - 1])
    return Comparisons(
        difference,
        spread / n,
        np.where(family, reached / len(largest), 1.0),
        quantile,
        quantile < float(largest[-1]) * (1 - EQUAL_WITHIN),
        int(family.sum()) // 2,
    )


def sign_flips(clusters: int, seed: int, flips: int = FLIPS) -> Iterator[FloatArray]:
    """Blocks of float64 (clusters, flips of the block), each column a flip; the identity is the first of all.

    All 2^clusters flips up to 13 clusters, else `flips` random ones beside the identity.
    """
    if clusters <= ALL_UP_TO:
        bits = np.arange(2**clusters) >> np.arange(clusters)[:, np.newaxis]
        every: FloatArray = np.asarray(1.0 - 2.0 * (bits & 1), dtype=np.float64)
        yield from (every[:, at : at + BLOCK] for at in range(0, every.shape[1], BLOCK))
        return
    yield np.ones((clusters, 1))
    random = np.random.default_rng(seed)
    for at in range(0, flips, BLOCK):
        yield np.asarray(1.0 - 2.0 * random.integers(0, 2, size=(clusters, min(BLOCK, flips - at))), dtype=np.float64)


def _squared_distances(sums: FloatArray) -> FloatArray:
    """float64 (groups, groups): sum over clusters of the squared difference."""
    # Not by |a|^2 + |b|^2 - 2ab: a difference of nothing has to come out as exactly zero.
    return np.stack([((sums - row) ** 2).sum(axis=1) for row in sums])


def _family(spread: FloatArray, against: int | None) -> Mask:
    """The pairs that are compared, both ways round."""
    family: Mask = spread > 0
    if against is not None:
        chosen = np.zeros_like(family)
        chosen[against] = chosen[:, against] = True
        family = family & chosen
    return family


def _largest(sums: FloatArray, inverse: FloatArray, signs: Iterator[FloatArray]) -> FloatArray:
    """float64 (flips,): the largest |z| of all pairs of the family under each flip."""
    return np.concatenate([_largest_of_block(sums @ block, inverse) for block in signs])


def _largest_of_block(flipped: FloatArray, inverse: FloatArray) -> FloatArray:
    largest = np.zeros(flipped.shape[1])
    for i in range(len(flipped) - 1):
        others = i + 1 + np.flatnonzero(inverse[i, i + 1 :])
        if len(others):
            z = (flipped[others] - flipped[i]) * inverse[i, others, np.newaxis]
            np.maximum(largest, np.abs(z, out=z).max(axis=0), out=largest)
    return largest
