"""How much repeated studies of one thing differ: CV*, the coefficient of variation for small samples (Belz 2022)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.columns import check_column
from metrics.errors import DegenerateInput, InsufficientData
from metrics.types import Estimate
from metrics.version import __version__


def reproduction_variation(scores: ArrayLike) -> Estimate:
    """CV* in per cent, at least 0, lower is closer: (1 + 1/4n) (s / c4) / |mean| 100.

    scores: (n,) results of an original study and its repetitions, on a scale with a true zero: shift ratings from
    1-6 to 0-5 first, or the number means nothing. No interval (two or three studies carry none). Flag `below_zero`
    where scores lie on both sides of 0. Raises InsufficientData below 2 scores, DegenerateInput for a mean of 0,
    BadInput.
    """
    values = check_column(scores, "scores")
    n = len(values)
    if n < 2:
        raise InsufficientData(f"CV* needs 2 scores, and there are {n}.")
    mean = float(values.mean())
    if abs(mean) <= 1e-12 * float(np.abs(values).max()):
        raise DegenerateInput("CV* relates the spread to the mean, and the mean is 0.")
    spread = float(values.std(ddof=1)) / _c4(n)
    value = (1 + 1 / (4 * n)) * spread / abs(mean) * 100
    flags = ("below_zero",) if values.min() < 0 < values.max() else ()
    return Estimate(value, n, None, {"mean": mean}, flags, f"cv_star|n:{n}|v:{__version__}")


def _c4(n: int) -> float:
    """Expectation of the sample standard deviation of n normal numbers of standard deviation 1."""
    return math.sqrt(2 / (n - 1)) * math.exp(math.lgamma(n / 2) - math.lgamma((n - 1) / 2))
