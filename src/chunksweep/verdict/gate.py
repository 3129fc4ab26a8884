"""Whether quality fell, from a baseline to a candidate on the same questions, by more than is allowed.

The hypothesis is that the mean of d, baseline minus candidate, is at most x. At its edge the sign of each cluster's sum
of d - x is taken as arbitrary, as in comparisons.py. A flip reaches the observed sum exactly where the mean of d over
the clusters that it flips is at most x. So p(x) is the share of all sets of clusters, the empty one among them, whose
mean is at most x. It rises with x, hence the x that are refuted end at a bound: Hartigan's typical values (1969, "Using
subsample values as typical values"). For x = 0 and shares of questions this is McNemar's exact test, one-sided.

Shares move by whole questions, while x may lie between two of them. Beyond 0 half a question more is therefore allowed
(a continuity correction); without it a gate closes falsely in up to 6 of 100 cases instead of 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from chunksweep.records import FloatArray
from chunksweep.verdict import power
from chunksweep.verdict.clusters import Clusters
from chunksweep.verdict.comparisons import EQUAL_WITHIN, FLIPS, sign_flips

# From here on the differences lean the other way, and the test would close falsely too often.
LARGEST_DROP = 0.5


@dataclass(frozen=True, slots=True)
class Gate:
    """What is known of a drop: the baseline's mean minus the candidate's, over the questions.

    closed      the drop is larger than `max_drop`, with at most `alpha` of a chance that this is false
    low, high   with 1 - alpha each the true drop is at least low, and at most high; low is None where there are too few
                clusters for any bound. Closed exactly where low is larger than max_drop
    p           of a drop at least as clear as this one, were the true drop max_drop
    detectable  the true drop that closes this gate in 80 of 100 samples, roughly; None where there is none up to 1
    """

    baseline: float
    candidate: float
    max_drop: float
    alpha: float
    closed: bool
    low: float | None
    high: float
    p: float
    detectable: float | None
    n: int
    clusters: int
    cluster_unit: str

    @property
    def drop(self) -> float:
        """Of the observed means; negative where the candidate is better."""
        return self.baseline - self.candidate


def gate(
    baseline: FloatArray,
    candidate: FloatArray,
    clusters: Clusters,
    *,
    max_drop: float,
    alpha: float,
    seed: int,
    flips: int = FLIPS,
) -> Gate:
    """Compares two runs question by question.

    baseline, candidate  float64 (questions,), values in [0, 1] of the same questions
    max_drop             from 0 to below LARGEST_DROP

    Raises ValueError for a drop outside of that.
    """
    if not 0 <= max_drop < LARGEST_DROP:
        raise ValueError(f"max_drop {max_drop} is not from 0 to below {LARGEST_DROP}")
    drops = _Drops(baseline - candidate, clusters, seed, flips)
    p = drops.p(max_drop)
    return Gate(
        baseline=float(baseline.mean()),
        candidate=float(candidate.mean()),
        max_drop=max_drop,
        alpha=alpha,
        closed=p <= alpha,
        low=drops.low(alpha),
        high=drops.high(alpha),
        p=p,
        detectable=_detectable(drops.variance, drops.n, max_drop, alpha),
        n=drops.n,
        clusters=clusters.count,
        cluster_unit=clusters.unit,
    )


def can_close(
    baseline: FloatArray, clusters: Clusters, *, max_drop: float, alpha: float, seed: int, flips: int = FLIPS
) -> bool:
    """Whether the gate would close on a candidate that answers nothing at all."""
    nothing = np.zeros_like(baseline)
    return gate(baseline, nothing, clusters, max_drop=max_drop, alpha=alpha, seed=seed, flips=flips).closed


class _Drops:
    """Differences by question and the means of them over sets of clusters."""

    def __init__(self, differences: FloatArray, clusters: Clusters, seed: int, flips: int) -> None:
        self.n = len(differences)
        self.clusters = clusters
        self.sums = clusters.sums(differences[np.newaxis])[0]
        self.means = self._sorted_means(seed, flips)

    @property
    def variance(self) -> float:
        """Of a difference, by question, see power.variances."""
        return float(self.sums @ self.sums) / self.n

    def p(self, drop: float) -> float:
        """That of the hypothesis that the true drop is at most this one.

        At least drop^clusters, the chance that every cluster is lost: sets of clusters that were all lost have a mean
        of 1 without exception, which proves no true drop of 1.
        """
        allowed = drop + min(drop, self._half)
        reached = int(np.searchsorted(self.means, allowed + EQUAL_WITHIN, side="right"))
        return max(reached / len(self.means), drop**self.clusters.count)

    def low(self, alpha: float) -> float | None:
        """The end of the drops that are refuted: p(x) <= alpha exactly where x < low, from x = 0 on."""
        bound = float(self.means[math.floor(alpha * len(self.means) + EQUAL_WITHIN)])
        if not math.isfinite(bound):
            return None
        # The inverse of drop + min(drop, half).
        bound = bound if bound <= 0 else max(bound / 2, bound - self._half)
        return min(bound, float(alpha ** (1 / self.clusters.count)))

    def high(self, alpha: float) -> float:
        """The upper end, by the same means from above, and at least what the verdict's rule for equivalence gives.

        That rule adds c^2 / 2 discordant clusters of the usual size to those that were seen: agreement on every
        question does not show that nothing was lost.
        """
        quantile = power.usual_quantile(alpha, 1)
        unseen = quantile**2 / 2 * float((self.clusters.sizes**2).mean())
        reach = quantile * math.sqrt(float(self.sums @ self.sums) + unseen) / self.n
        # As many from above as there are below `low`; the empty set belongs at the other end here.
        at = len(self.means) - math.floor(alpha * len(self.means) + EQUAL_WITHIN)
        by_sets = float(self.means[at]) if at < len(self.means) else -1.0
        return min(max(by_sets, float(self.sums.sum()) / self.n + reach), 1.0)

    @property
    def _half(self) -> float:
        """Half a question, as a share of them."""
        return 1 / (2 * self.n)

    def _sorted_means(self, seed: int, flips: int) -> FloatArray:
        """float64 (flips,), rising: the mean over each set of clusters that is flipped, -inf where that is empty."""
        found = []
        for signs in sign_flips(self.clusters.count, seed, flips):
            flipped = (1 - signs) / 2
            sizes = self.clusters.sizes @ flipped
            means = np.full(len(sizes), -np.inf)
            found.append(np.divide(self.sums @ flipped, sizes, out=means, where=sizes > 0))
        return np.sort(np.concatenate(found))


def _detectable(variance: float, n: int, max_drop: float, alpha: float) -> float | None:
    """The least drop D with D - max_drop = (c + z) sqrt(v / n), v being no less than D itself.

    A mean difference of D needs a share D of questions that differ. With v = D this is a quadratic in sqrt(D).
    """
    reach = power.one_sided_reach(alpha) / math.sqrt(n)
    by_itself = ((reach + math.sqrt(reach**2 + 4 * max_drop)) / 2) ** 2
    found = max(max_drop + reach * math.sqrt(variance), by_itself)
    return found if found <= 1 else None
