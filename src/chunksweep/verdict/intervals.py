"""Confidence intervals of one mean over the questions. None has no width."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chunksweep.records import FloatArray
from chunksweep.verdict.clusters import Clusters
from chunksweep.verdict.quantiles import beta_quantile, student_quantile

BOOTSTRAP_FROM = 50
RESAMPLES = 9_999
# Rows of the resampling held in memory at a time.
BATCH = 500


@dataclass(frozen=True, slots=True)
class Interval:
    """Two-sided bounds, and the method they come from."""

    low: float
    high: float
    method: str


def mean_interval(values: FloatArray, clusters: Clusters, alpha: float, seed: int) -> Interval | None:
    """The 1 - alpha interval of a mean.

    Clusters that join questions: Student t with the cluster-robust standard error. Else shares of questions:
    Clopper-Pearson, exact; other values: bootstrap, bias-corrected and accelerated (BCa), from 50 questions, Student t
    below. Values in [0, 1] without variance: Clopper-Pearson with the clusters as its trials, which is wider than what
    the sample shows. Other values without variance have no interval (None). Bounds stay in [0, 1] where the values do.

    Graded values nearly all of which lie at one end of their range are the weak spot: bounds come out too narrow.
    """
    unit = bool(((values >= 0) & (values <= 1)).all())
    if _binary(values) and not clusters.joins:
        return clopper_pearson(int(values.sum()), len(values), alpha)
    error = standard_error(values, clusters)
    if error is None:
        return clopper_pearson(float(values.mean()) * clusters.count, clusters.count, alpha) if unit else None
    if clusters.joins or len(values) < BOOTSTRAP_FROM:
        found = student(float(values.mean()), error, clusters.count - 1, alpha)
    else:
        found = _bca(values, alpha, seed)
    return Interval(max(found.low, 0.0), min(found.high, 1.0), found.method) if unit else found


def clopper_pearson(successes: float, n: int, alpha: float) -> Interval:
    """The exact interval of a share (Clopper and Pearson 1934): beta quantiles, which take parts of a success too."""
    low = beta_quantile(successes, n - successes + 1, alpha / 2) if successes > 0 else 0.0
    high = beta_quantile(successes + 1, n - successes, 1 - alpha / 2) if successes < n else 1.0
    return Interval(low, high, "Clopper-Pearson")


def student(mean: float, error: float, freedom: int, alpha: float) -> Interval:
    """Student t around a mean with this standard error."""
    reach = student_quantile(freedom, 1 - alpha / 2) * error
    return Interval(mean - reach, mean + reach, "Student t")


def standard_error(values: FloatArray, clusters: Clusters) -> float | None:
    """The cluster-robust standard error of the mean over questions, None where clusters do not differ or there is one.

    sqrt(C / (C - 1) * sum over clusters (sum of residuals)^2) / n; with a question a cluster the usual one.
    """
    (error,) = standard_errors(values[np.newaxis], clusters).tolist()
    return error or None


def standard_errors(values: FloatArray, clusters: Clusters) -> FloatArray:
    """That of each row of (rows, questions); 0 for None."""
    count, n = clusters.count, values.shape[1]
    if count < 2:
        return np.zeros(len(values))
    squares = (clusters.sums(values - values.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    # Residuals of equal values differ from zero in the last digit only.
    squares[squares <= 1e-18 * n**2] = 0
    return np.asarray(np.sqrt(count / (count - 1) * squares) / n)


def _bca(values: FloatArray, alpha: float, seed: int) -> Interval:
    from scipy.stats import bootstrap  # noqa: PLC0415 - takes the better part of a second

    found = bootstrap(
        (values,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=BATCH,
        confidence_level=1 - alpha,
        method="BCa",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(float(found.low), float(found.high), "BCa")


def _binary(values: FloatArray) -> bool:
    return bool(((values == 0) | (values == 1)).all())
