"""Intervals of HUSE and its kin from their standard errors, as intervals of error rates.

HUSE is twice an error rate, HUSE-D 1 and twice the difference of two. Near an edge their spread goes with what is
estimated, so value -+ z * sd misses on one side. Both intervals are therefore score intervals: they hold what would not
be rejected with the spread it would have itself. Where the standard errors come from: `metrics.huse.subsampling`.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from metrics.inference.distributions import t_quantile
from metrics.inference.proportions import wilson
from metrics.types import Interval

METHOD = "half-samples"
TARGET = "expectation of the estimator at this number of texts and ratings, over new texts"
MAX_EFFECTIVE = 2  # texts that a text may count as where the measured variance is below the binomial one


def subsample_interval(
    value: float, sd: float, n: int, level: float, difference: bool = False, freedom: float | None = None
) -> Interval:
    """The interval of a HUSE, HUSE-Q or log p alone, or of a HUSE-D (`difference`), from its standard error.

    A HUSE is twice an error rate p: Wilson's interval with the effective number of texts p (1 - p) / variance, at most
    2 n, doubled; near 0 it is asymmetric and open where no error was seen. A HUSE-D is 1 and twice a difference of
    error rates: `score_interval`, not clipped, with sd at least the floor of |HUSE - HUSE-Q|.
    n: texts of both sources. freedom: of Student's t; None: contexts - 1 for HUSE-D, infinite for the others.
    """
    if difference:
        quantile = t_quantile((1 + level) / 2, freedom or degrees_of_freedom(n))
        variance = n * (max(sd, error_floor(abs(value - 1), n)) / 2) ** 2
        low, high = score_interval((1 - value) / 2, variance, quantile**2 / n)
        return Interval(1 - 2 * high, 1 - 2 * low, level, METHOD, TARGET)
    quantile = t_quantile((1 + level) / 2, freedom) if freedom else normal_quantile(level)
    rate = min(max(value / 2, 0.0), 1.0)
    spread = rate * (1 - rate)
    effective = min(MAX_EFFECTIVE * n, 4 * spread / sd / sd) if sd > 0 and spread > 0 else n
    low, high = wilson(rate, max(effective, np.finfo(float).tiny), quantile)
    return Interval(2 * low, 2 * high, level, METHOD, TARGET)


def error_floor(value: float, n: int) -> float:
    """Binomial standard error of twice an error rate over n texts, one error and one hit added.

    Halves of a study with next to no error show no spread at all; a difference is not taken to be surer than this.
    """
    rate = min(max((value * n / 2 + 1) / (n + 2), 0.0), 1.0)
    return 2 * math.sqrt(rate * (1 - rate) / (n + 2))


def score_interval(rate: float, variance: float, weight: float) -> tuple[float, float]:
    """Where (x - rate)^2 = weight * variance at x, below and above `rate`, a difference of error rates.

    rate: the difference, in [-1, 1]. variance: of it, times the texts, at `rate`. weight: squared quantile over texts.
    Texts wrong by one of the two rules only are rate^2 + variance of all; the variance is that share less x^2, and the
    share goes with x by rate over share, as it does under the likelihood of Tango's score interval (1998): not at all
    where as many are wrong by one rule as by the other, one for one where all are wrong by the same.
    """
    share = variance + rate**2
    slope = min(max(rate / share, -1.0), 1.0) if share else 0.0
    square, middle = 1 + weight, rate + weight * slope / 2
    root = math.sqrt(max(0.0, middle**2 - square * (rate**2 - weight * (share - slope * rate))))
    return (middle - root) / square, (middle + root) / square


def degrees_of_freedom(n: int) -> int:
    """Degrees of freedom of a standard error from n texts of both sources: contexts - 1."""
    return max(1, n // 2 - 1)


def normal_quantile(level: float) -> float:
    """z of a two-sided interval at `level`: 1.96 for 0.95."""
    return NormalDist().inv_cdf((1 + level) / 2)
