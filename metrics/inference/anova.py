"""One-way analysis of variance, and Tukey's comparison of all pairs for unequal groups (Kramer 1956; method, 2.15)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from metrics.data.samples import Sample, check_sample
from metrics.errors import InsufficientData
from metrics.inference.distributions import check_level, f_upper_tail
from metrics.inference.t_tests import ZERO_VARIANCE, pooled_sd
from metrics.types import Estimate, Interval, Setting
from metrics.version import __version__

METHOD = "Tukey-Kramer over all pairs, for new units"


@dataclass(frozen=True, slots=True)
class Anova:
    """Do the groups share one mean? f, p: None where no group has variance (flag `zero_variance`).

    eta_squared: share of the sum of squares that lies between groups, in [0, 1]; None where there is none at all.
    """

    f: float | None
    df_between: int
    df_within: int
    p: float | None
    eta_squared: float | None
    groups: Mapping[str, Sample]
    n: int
    flags: tuple[str, ...]
    signature: str


@dataclass(frozen=True, slots=True)
class PairTest:
    """One pair of Tukey's comparison: p is adjusted for all pairs, the interval holds for all pairs together.

    difference: mean of a less mean of b. cohens_d: difference over the sd within all groups (no interval).
    """

    a: str
    b: str
    q: float | None
    p: float | None
    difference: Estimate
    cohens_d: Estimate


def single_factor_anova(groups: Mapping[str, Iterable[float]]) -> Anova:
    """F-test over two or more named groups of at least 2 values each (one an evaluator).

    Raises InsufficientData (too few groups or values) and BadInput (a value that is not a finite number).
    """
    samples = _check_groups(groups)
    n = sum(sample.n for sample in samples.values())
    df_between, df_within = len(samples) - 1, n - len(samples)
    within = sum((sample.n - 1) * sample.sd**2 for sample in samples.values())
    mean = sum(sample.n * sample.mean for sample in samples.values()) / n
    between = sum(sample.n * (sample.mean - mean) ** 2 for sample in samples.values())
    equal = len({sample.mean for sample in samples.values()}) == 1
    eta = None if not within and equal else between / (between + within)
    signature = f"anova|n:{n}|groups:{len(samples)}|v:{__version__}"
    if not within:
        return Anova(None, df_between, df_within, None, eta, samples, n, (ZERO_VARIANCE,), signature)
    f = (between / df_between) / (within / df_within)
    p = f_upper_tail(f, df_between, df_within)
    return Anova(f, df_between, df_within, p, eta, samples, n, (), signature)


def tukey_kramer(groups: Mapping[str, Iterable[float]], *, level: float = 0.95) -> tuple[PairTest, ...]:
    """Every pair of groups in the order given, sizes equal or not; p by the studentised range.

    Without variance in any group q, p and d are None (flag `zero_variance`). Raises InsufficientData, BadInput.
    """
    check_level(level)
    samples = _check_groups(groups)
    tool = _Tukey(samples, level)
    return tuple(tool.pair(a, b) for a, b in combinations(samples, 2))


def _check_groups(groups: Mapping[str, Iterable[float]]) -> dict[str, Sample]:
    if len(groups) < 2:
        raise InsufficientData(f"A comparison of groups needs at least 2 of them, and there is {len(groups)}.")
    return {name: check_sample(values, f"group {name}") for name, values in groups.items()}


class _Tukey:
    """What all pairs share: the sd within groups, its degrees of freedom, the quantile."""

    def __init__(self, samples: Mapping[str, Sample], level: float):
        self.samples, self.level = samples, level
        everything = tuple(samples.values())
        self.sd = pooled_sd(everything)
        self.df = sum(sample.n - 1 for sample in everything)
        self.quantile = self._quantile() if self.sd else math.nan

    def _quantile(self) -> float:
        from scipy.stats import studentized_range

        return float(studentized_range.ppf(self.level, len(self.samples), self.df))

    def _p(self, q: float) -> float:
        from scipy.stats import studentized_range

        # Numerical integration can leave [0, 1] by rounding.
        return min(1.0, max(0.0, float(studentized_range.sf(q, len(self.samples), self.df))))

    def pair(self, a: str, b: str) -> PairTest:
        first, second = self.samples[a], self.samples[b]
        difference, n = first.mean - second.mean, first.n + second.n
        settings: dict[str, Setting] = {"a": a, "b": b, "n_a": first.n, "n_b": second.n, "groups": len(self.samples)}
        tail = f"n:{n}|groups:{len(self.samples)}|v:{__version__}"
        if not self.sd:
            flags = (ZERO_VARIANCE,)
            shown = Estimate(difference, n, None, settings, flags, f"tukey|{tail}")
            return PairTest(a, b, None, None, shown, Estimate(None, n, None, settings, flags, f"cohens_d|{tail}"))
        error = self.sd * math.sqrt((1 / first.n + 1 / second.n) / 2)
        q, half = abs(difference) / error, self.quantile * error
        p = self._p(q)
        interval = Interval(difference - half, difference + half, self.level, METHOD)
        shown = Estimate(difference, n, interval, settings | {"q": q, "df": self.df, "p": p}, (), f"tukey|{tail}")
        settings = settings | {"sd": "within groups"}
        return PairTest(a, b, q, p, shown, Estimate(difference / self.sd, n, None, settings, (), f"cohens_d|{tail}"))
