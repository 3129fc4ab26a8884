"""Quantiles of the usual distributions.

By scipy.special, which scipy.stats calls as well: that takes four times as long to import, at the end of every sweep.
"""

from __future__ import annotations


def normal_quantile(share: float) -> float:
    """Of the standard normal distribution."""
    from scipy.special import ndtri  # noqa: PLC0415 - takes a fifth of a second

    return float(ndtri(share))


def student_quantile(freedom: float, share: float) -> float:
    """Of Student t."""
    from scipy.special import stdtrit  # noqa: PLC0415 - see normal_quantile

    return float(stdtrit(freedom, share))


def student_tail(freedom: float, value: float) -> float:
    """The probability that Student t exceeds a value."""
    from scipy.special import stdtr  # noqa: PLC0415 - see normal_quantile

    return float(stdtr(freedom, -value))


def beta_quantile(a: float, b: float, share: float) -> float:
    """Of the beta distribution."""
    from scipy.special import betaincinv  # noqa: PLC0415 - see normal_quantile

    return float(betaincinv(a, b, share))
