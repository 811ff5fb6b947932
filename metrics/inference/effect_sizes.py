"""Cohen's d and Hedges' g with intervals from the noncentral t (Cohen 1988; Hedges 1981; Steiger and Fouladi 1997)."""

from __future__ import annotations

from collections.abc import Mapping

from metrics.inference.distributions import find_root, noncentral_t_below
from metrics.types import Estimate, Interval, Setting
from metrics.version import __version__

METHOD = "noncentral t, for new units"
WIDEST = 1e5
TOO_FEW_FOR_G = "too_few_for_g"


def small_sample_factor(df: float) -> float:
    """What d is multiplied by to give g: 1 - 3 / (4 df - 1), in (0, 1) (Hedges 1981, the approximation)."""
    return 1 - 3 / (4 * df - 1)


def noncentrality_limits(t: float, df: float, level: float) -> tuple[float, float] | None:
    """Noncentralities whose t has the observed value at its upper and lower tail; None where none is found."""
    tail = (1 - level) / 2
    limits = []
    for share in (1 - tail, tail):
        low, high = _bracket(t, df, share)
        if high > WIDEST or low < -WIDEST:
            return None
        limits.append(find_root(lambda nc, share=share: noncentral_t_below(t, df, nc) - share, low, high))  # type: ignore[misc]
    return min(limits), max(limits)


def _bracket(t: float, df: float, share: float) -> tuple[float, float]:
    """Noncentralities between which P(T' <= t) falls through `share`; it falls as the noncentrality grows."""
    step = 4.0 + abs(t) / 4
    low, high = t - step, t + step
    while low > -WIDEST and noncentral_t_below(t, df, low) < share:
        low, step = low - step, 2 * step
    step = 4.0 + abs(t) / 4
    while high < WIDEST and noncentral_t_below(t, df, high) > share:
        high, step = high + step, 2 * step
    return low, high


def effect_sizes(
    t: float, df: float, root: float, n: int, level: float, settings: Mapping[str, Setting]
) -> tuple[Estimate, Estimate]:
    """Cohen's d = t / root and Hedges' g = d * (1 - 3 / (4 df - 1)), each with its interval at `level`.

    t: of the test whose sd is d's (pooled where there are two groups). root: sqrt(n), or sqrt(n1 n2 / (n1 + n2)).
    n: values in all. The intervals suppose normal values (and equal variances in two groups). Where the search for
    one fails (|t| beyond about 1e5) there is none: flag `no_interval_found`. With one degree of freedom the factor of g
    is 0, and g has no value: flag `too_few_for_g`.
    """
    limits = noncentrality_limits(t, df, level) if abs(t) < WIDEST / 2 else None
    flags = () if limits else ("no_interval_found",)
    sizes = []
    for name, factor in (("cohens_d", 1.0), ("hedges_g", small_sample_factor(df))):
        if factor <= 0:
            sizes.append(Estimate(None, n, None, dict(settings), (TOO_FEW_FOR_G,), f"{name}|n:{n}|v:{__version__}"))
            continue
        scale = factor / root
        interval = Interval(limits[0] * scale, limits[1] * scale, level, METHOD) if limits else None
        signature = f"{name}|n:{n}|df:{df:g}|v:{__version__}"
        sizes.append(Estimate(t * scale, n, interval, dict(settings), flags, signature))
    return sizes[0], sizes[1]


def no_effect_sizes(n: int, settings: Mapping[str, Setting], flags: tuple[str, ...]) -> tuple[Estimate, Estimate]:
    """d and g where the data define none; the flags say why."""
    sizes = [
        Estimate(None, n, None, dict(settings), flags, f"{s}|n:{n}|v:{__version__}") for s in ("cohens_d", "hedges_g")
    ]
    return sizes[0], sizes[1]
