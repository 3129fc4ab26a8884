"""How large a difference these questions can show, and how many it takes to show a given one."""

from __future__ import annotations

import math

import numpy as np

from chunksweep.records import FloatArray
from chunksweep.verdict.quantiles import normal_quantile

POWER = 0.8
# The range over pairs: half of them lie in it.
QUARTILES = (0.25, 0.75)


def variances(error: FloatArray, n: int, reference: int) -> FloatArray:
    """Variance of a difference by question, n * error^2, of each group against one; only where there is discordance.

    For shares with a question a cluster it is the share of discordant questions; clusters enlarge it by what their
    questions have in common.
    """
    found = n * error[reference] ** 2
    return np.asarray(found[found > 0])


def detectable_difference(variance: float, n: int, quantile: float) -> float | None:
    """The difference of means that max-T with this quantile shows in 80 of 100 samples.

    The normal approximation of the test: (c + z) * sqrt(variance / n), z the 0.8 quantile. A difference cannot be
    larger than the share of questions that differ, so the variance is at least the difference itself. None where it
    would exceed 1: no difference can be shown.
    """
    reach = quantile + _z()
    found = max(reach * math.sqrt(variance / n), reach**2 / n if reach**2 / n > variance else 0.0)
    return found if found <= 1 else None


def questions_for(margin: float, variance: float, quantile: float) -> int:
    """The number of questions with which a difference of `margin` is detectable; the inverse of the above."""
    return math.ceil((quantile + _z()) ** 2 * max(variance, margin) / margin**2)


def questions_range(margin: float, found: FloatArray, quantile: float) -> tuple[int, int]:
    """From how many to how many questions it takes, over the middle half of the pairs; two significant digits."""
    low, high = (questions_for(margin, float(np.quantile(found, share)), quantile) for share in QUARTILES)
    return _rough(low), _rough(high)


def usual_quantile(alpha: float, pairs: int) -> float:
    """What stands in for c where the sample is too small for one: Bonferroni's, over as many pairs."""
    return normal_quantile(1 - alpha / (2 * max(pairs, 1)))


def one_sided_reach(alpha: float) -> float:
    """Standard errors c + z: how far from the hypothesis a one-sided test rejects it with 80 % power."""
    return normal_quantile(1 - alpha) + _z()


def _z() -> float:
    return normal_quantile(POWER)


def _rough(count: int) -> int:
    """Rounded up to two significant digits."""
    unit: int = 10 ** max(len(str(count)) - 2, 0)
    return math.ceil(count / unit) * unit
