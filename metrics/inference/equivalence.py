"""Two one-sided tests of equivalence (Schuirmann 1987; Lakens 2017; method, 2.22).

"Not significantly different from 50%" says nothing about being the same; a margin set before the data and both
one-sided tests do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from metrics.data.samples import Sample, check_sample
from metrics.errors import BadInput
from metrics.inference.distributions import check_alpha, t_quantile, t_upper_tail
from metrics.inference.t_tests import ZERO_VARIANCE, Kind, standard_error
from metrics.types import Interval
from metrics.version import __version__


@dataclass(frozen=True, slots=True)
class Margin:
    """What still counts as the same: low < high, in the units of the values (or of their difference).

    declared: where it was set before the data (a study plan, a registration). Raises BadInput.
    """

    low: float
    high: float
    declared: str

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise BadInput("a margin is two finite numbers, the lower one first", column="margin")
        if not self.declared.strip():
            raise BadInput("a margin says where it was declared before the data", column="declared")


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The two tests: t against the lower and the upper bound, the larger p, and the interval at 1 - 2 alpha.

    equivalent: p is at most alpha, that is, the interval lies inside the margin; None without variance.
    """

    value: float
    t_low: float | None
    t_high: float | None
    df: float | None
    p: float | None
    interval: Interval | None
    equivalent: bool | None
    margin: Margin
    alpha: float
    n: int
    flags: tuple[str, ...]
    signature: str


def equivalence(values: Iterable[float], margin: Margin, *, alpha: float = 0.05) -> Equivalence:
    """Is the mean inside the margin? values: one an evaluator, at least 2.

    Equal values: t, p and the verdict are None, flag `zero_variance`. Raises InsufficientData, BadInput.
    """
    check_alpha(alpha)
    sample = check_sample(values, "values")
    return _two_tests("one_sample", (sample,), sample.mean, margin, alpha)


def equivalence_of_two(
    a: Iterable[float], b: Iterable[float], margin: Margin, *, equal_variances: bool = False, alpha: float = 0.05
) -> Equivalence:
    """Is the difference of two groups' means (first less second) inside the margin? Welch's error by default.

    Both without variance: t, p and the verdict are None, flag `zero_variance`. Raises InsufficientData, BadInput.
    """
    check_alpha(alpha)
    samples = (check_sample(a, "a"), check_sample(b, "b"))
    kind: Kind = "student" if equal_variances else "welch"
    return _two_tests(kind, samples, samples[0].mean - samples[1].mean, margin, alpha)


def _two_tests(kind: Kind, samples: tuple[Sample, ...], value: float, margin: Margin, alpha: float) -> Equivalence:
    n = sum(sample.n for sample in samples)
    signature = f"tost|n:{n}|test:{kind}|margin:{margin.low:g},{margin.high:g}|alpha:{alpha:g}|v:{__version__}"
    if not any(sample.sd for sample in samples):
        flags = (ZERO_VARIANCE,)
        return Equivalence(value, None, None, None, None, None, None, margin, alpha, n, flags, signature)
    error, df = standard_error(kind, samples)
    t_low, t_high = (value - margin.low) / error, (value - margin.high) / error
    p = max(t_upper_tail(t_low, df), t_upper_tail(-t_high, df))
    half = t_quantile(1 - alpha, df) * error
    interval = Interval(value - half, value + half, 1 - 2 * alpha, "t, for new units") if alpha < 0.5 else None
    return Equivalence(value, t_low, t_high, df, p, interval, p <= alpha, margin, alpha, n, (), signature)
