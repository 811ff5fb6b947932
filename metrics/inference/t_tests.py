"""t-tests on one number an evaluator, and the exact binomial test (method, 2.10).

Evaluators are the unit: ratings of one person are not independent, so tests over ratings claim too much.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from metrics.data.samples import Sample, check_sample
from metrics.errors import BadInput
from metrics.inference.distributions import check_level, t_quantile, t_two_sided
from metrics.inference.effect_sizes import effect_sizes, no_effect_sizes
from metrics.types import Estimate, Interval, Setting
from metrics.version import __version__

Kind = Literal["one_sample", "welch", "student"]
ZERO_VARIANCE = "zero_variance"
METHOD = "t, for new units"


@dataclass(frozen=True, slots=True)
class TTest:
    """A two-sided t-test.

    t, p: None where the values have no variance (flag `zero_variance`). df: degrees of freedom, fractional for Welch.
    difference: mean less the null value, or mean of the first group less that of the second, with its interval.
    cohens_d: difference / sd (pooled sd in two groups). hedges_g: d less its bias in small samples.
    """

    kind: Kind
    t: float | None
    df: float | None
    p: float | None
    difference: Estimate
    cohens_d: Estimate
    hedges_g: Estimate
    samples: tuple[Sample, ...]
    null: float
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BinomialTest:
    """Exact two-sided test of a share: p sums every outcome at most as likely as the one seen."""

    hits: int
    n: int
    chance: float
    p: float


def single_sample_t(values: Iterable[float], null: float = 0.5, *, level: float = 0.95) -> TTest:
    """Test that the mean is `null`. values: one an evaluator, at least 2.

    Raises InsufficientData, BadInput. Equal values: t, p, d and g are None, flag `zero_variance`.
    """
    check_level(level)
    if not math.isfinite(null):
        raise BadInput("the null value must be finite", column="null")
    sample = check_sample(values, "values")
    return _test("one_sample", (sample,), sample.mean - null, null, level)


def two_sample_t(
    a: Iterable[float], b: Iterable[float], *, equal_variances: bool = False, level: float = 0.95
) -> TTest:
    """Test that two groups of evaluators have one mean: Welch's test, or Student's where variances are equal.

    Positive t: `a` is higher. d uses the pooled sd in both. Raises InsufficientData (fewer than 2 in a group),
    BadInput. Both groups without variance: t, p, d and g are None, flag `zero_variance`.
    """
    check_level(level)
    samples = (check_sample(a, "a"), check_sample(b, "b"))
    kind: Kind = "student" if equal_variances else "welch"
    return _test(kind, samples, samples[0].mean - samples[1].mean, 0.0, level)


def binomial_test(hits: int, n: int, chance: float = 0.5) -> BinomialTest:
    """Exact test of `hits` right answers in n independent ones against `chance`, two-sided.

    Independence is the caller's to keep: several answers of one evaluator are not. Raises BadInput.
    """
    if not 0 <= hits <= n or n < 1:
        raise BadInput("hits must lie between 0 and n, and n be at least 1", column="hits")
    if not 0 < chance < 1:
        raise BadInput("chance lies between 0 and 1", column="chance")
    from scipy.stats import binomtest

    return BinomialTest(hits, n, chance, min(1.0, float(binomtest(hits, n, chance).pvalue)))


def pooled_sd(samples: tuple[Sample, ...]) -> float:
    """sd within groups: root of the sum of squares over its degrees of freedom."""
    df = sum(sample.n - 1 for sample in samples)
    return math.sqrt(sum((sample.n - 1) * sample.sd**2 for sample in samples) / df)


def standard_error(kind: Kind, samples: tuple[Sample, ...]) -> tuple[float, float]:
    """Standard error of the (difference of) mean(s), and its degrees of freedom; some sample has variance."""
    if kind == "welch":
        parts = [sample.mean_variance for sample in samples]
        # Scaled by the larger, so that squares of tiny variances do not vanish.
        ratios = [part / max(parts) for part in parts]
        below = sum(ratio**2 / (sample.n - 1) for ratio, sample in zip(ratios, samples, strict=True))
        return math.sqrt(sum(parts)), sum(ratios) ** 2 / below
    df = sum(sample.n - 1 for sample in samples)
    return pooled_sd(samples) / _root(samples), df


def _root(samples: tuple[Sample, ...]) -> float:
    """sqrt of n, or of n1 n2 / (n1 + n2): t / root is d."""
    return 1 / math.sqrt(sum(1 / sample.n for sample in samples))


def _test(kind: Kind, samples: tuple[Sample, ...], difference: float, null: float, level: float) -> TTest:
    n = sum(sample.n for sample in samples)
    settings: dict[str, Setting] = {"test": kind, "null": null}
    if len(samples) == 2:
        settings |= {"n_a": samples[0].n, "n_b": samples[1].n, "sd": "pooled"}
    name = f"difference|n:{n}|test:{kind}|null:{null:g}|v:{__version__}"
    if not any(sample.sd for sample in samples):
        flags = (ZERO_VARIANCE,)
        effects = no_effect_sizes(n, settings, flags)
        shown = Estimate(difference, n, None, settings | {"t": None, "df": None, "p": None}, flags, name)
        return TTest(kind, None, None, None, shown, *effects, samples, null, flags)
    error, df = standard_error(kind, samples)
    t = difference / error
    p = t_two_sided(t, df)
    half = t_quantile((1 + level) / 2, df) * error
    interval = Interval(difference - half, difference + half, level, METHOD)
    shown = Estimate(difference, n, interval, settings | {"t": t, "df": df, "p": p}, (), name)
    pooled_t = difference / pooled_sd(samples) * _root(samples)
    effects = effect_sizes(pooled_t, sum(s.n - 1 for s in samples), _root(samples), n, level, settings)
    return TTest(kind, t, df, p, shown, *effects, samples, null, ())
