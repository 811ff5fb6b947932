"""Correlations: HJ against corpus frequency (Hashimoto et al. 2019, Figure 2), and of metrics with human judgment."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.arrays import Floats
from metrics.data.columns import check_column, from_zero
from metrics.errors import BadInput, InsufficientData
from metrics.types import Estimate, Interval, Setting
from metrics.version import __version__

NO_VARIATION = "no_variation"
ENUMERATED = 8  # up to here every order of the values is tried
FEW_SYSTEMS = 5


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation in [-1, 1] and the two-sided p-value of none; `p_method` says how p was found."""

    estimate: Estimate
    p: float | None
    p_method: str


@dataclass(frozen=True, slots=True)
class FrequencyCorrelation:
    """HJ against log frequency. zero: texts of frequency 0, which have no logarithm and are skipped."""

    pearson: Correlation
    spearman: Correlation
    zero: int


def hj_frequency(hj: ArrayLike, frequency: ArrayLike, *, level: float = 0.90) -> FrequencyCorrelation:
    """Pearson and Spearman correlation of HJ with log corpus frequency; any base of the logarithm gives the same.

    hj: (n,) in any units; frequency: (n,) counts or rates of at least 0, in any unit. Intervals: Fisher's z; for
    Spearman with the standard error of Bonett and Wright (2000). Flag `zero_frequency` where texts were skipped;
    a constant side: value None, flag `no_variation`; exactly -1 or 1: no
    interval, flag `perfect`. Raises InsufficientData below 3 texts, BadInput.
    """
    _check_level(level)
    judged, count = check_column(hj, "hj"), from_zero(frequency, "frequency")
    _same_length(judged, count)
    occurs = count > 0
    zero = int((~occurs).sum())
    if occurs.sum() < 3:
        hint = f" ({zero} of frequency 0 excluded)" if zero else ""
        raise InsufficientData(f"A correlation needs 3 texts that occur, and there are {int(occurs.sum())}{hint}.")
    flags = ("zero_frequency",) if zero else ()
    x, y = np.log(count[occurs]), judged[occurs]
    return FrequencyCorrelation(_pearson(x, y, level, zero, flags), _spearman(x, y, level, zero, flags), zero)


def kendall_tau(metric: ArrayLike, human: ArrayLike, *, level: float = 0.95) -> Correlation:
    """Kendall's tau-b between a metric and human judgment over n systems (ties allowed on both sides).

    p is exact: from every order of the values up to 8 systems, without ties from the distribution of the statistic;
    with ties above 8 by the normal approximation. Interval: Fieller, Hartley and Pearson (1957), from 5 systems on.
    A constant side: value None, flag `no_variation`; below 5 systems flag `few_systems`.
    Raises InsufficientData below 2 systems, BadInput.
    """
    _check_level(level)
    x, y = check_column(metric, "metric"), check_column(human, "human")
    _same_length(x, y)
    n = len(x)
    if n < 2:
        raise InsufficientData(f"A rank correlation needs 2 systems, and there is {n}.")
    flags = ("few_systems",) if n < FEW_SYSTEMS else ()
    settings: dict[str, Setting] = {"tie_rule": "b"}
    signature = f"kendall_tau|n:{n}|ties:b|v:{__version__}"
    if _constant(x) or _constant(y):
        return Correlation(Estimate(None, n, None, settings, (*flags, NO_VARIATION), signature), None, "none")
    value, p, p_method = _tau(x, y)
    interval = _fisher(value, math.sqrt(0.437 / (n - 4)), level, "Fieller") if n >= FEW_SYSTEMS else None
    if n >= FEW_SYSTEMS and interval is None:
        flags = ("perfect",)
    return Correlation(Estimate(value, n, interval, settings, flags, signature), p, p_method)


def _tau(x: Floats, y: Floats) -> tuple[float, float, str]:
    from scipy.stats import kendalltau

    tied = len(np.unique(x)) < len(x) or len(np.unique(y)) < len(y)
    test = kendalltau(x, y, method="asymptotic" if tied else "exact")
    value = min(1.0, max(-1.0, float(test.statistic)))
    if tied and len(x) <= ENUMERATED:
        return value, _enumerate_pairs(x, y), "exact"
    return value, float(test.pvalue), "normal" if tied else "exact"


def _enumerate(weights: Floats, ranks: Floats) -> float:
    """Share of all orders of the ranks whose sum with the weights lies at least as far from 0 as the given one."""
    orders = np.array(list(itertools.permutations(range(len(ranks)))))
    sums = np.abs(ranks[orders] @ weights)
    return float((sums >= sums[0] - 1e-9).mean())


def _enumerate_pairs(x: Floats, y: Floats) -> float:
    """Share of all orders of y that agree or disagree with x at least as strongly as the given one."""
    first, second = np.triu_indices(len(x), 1)
    shuffled = y[np.array(list(itertools.permutations(range(len(y)))))]
    scores = np.abs(np.sign(shuffled[:, first] - shuffled[:, second]) @ np.sign(x[first] - x[second]))
    return float((scores >= scores[0]).mean())


def _pearson(x: Floats, y: Floats, level: float, zero: int, flags: tuple[str, ...]) -> Correlation:
    value = pearson(x, y)
    error = 1 / math.sqrt(len(x) - 3) if len(x) > 3 else None
    p = None if value is None else _t_test(value, len(x))
    return _correlation("hj_frequency_pearson", value, len(x), error, level, zero, flags=flags, p=p, p_method="t")


def _spearman(x: Floats, y: Floats, level: float, zero: int, flags: tuple[str, ...]) -> Correlation:
    ranks = midranks(x), midranks(y)
    value, n = pearson(*ranks), len(x)
    if value is None:
        return _correlation("hj_frequency_spearman", None, n, None, level, zero, flags=flags, p=None, p_method="none")
    error = math.sqrt((1 + value**2 / 2) / (n - 3)) if n > 3 else None
    if n <= ENUMERATED:
        p, p_method = _enumerate(ranks[0] - ranks[0].mean(), ranks[1]), "exact"
    else:
        p, p_method = max(_t_test(value, n), 2 * math.exp(-math.lgamma(n + 1))), "t"
    return _correlation("hj_frequency_spearman", value, n, error, level, zero, flags=flags, p=p, p_method=p_method)


def pearson(x: Floats, y: Floats) -> float | None:
    """Pearson's correlation of two columns (n,) of finite numbers; None where one is constant."""
    if _constant(x) or _constant(y):
        return None
    a, b = _unit(x), _unit(y)
    return min(1.0, max(-1.0, float(a @ b)))


def midranks(x: Floats) -> Floats:
    """Ranks 1.. of (n,) numbers, the mean rank where they tie."""
    _, place, times = np.unique(x, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(times) - (times - 1) / 2)[place])


def _unit(x: Floats) -> Floats:
    centred = x / np.abs(x).max()
    centred = centred - centred.mean()
    centred = centred / np.abs(centred).max()
    return np.asarray(centred / np.sqrt(centred @ centred))


def _constant(x: Floats) -> bool:
    return bool((x == x[0]).all())


def _correlation(
    name: str,
    value: float | None,
    n: int,
    error: float | None,
    level: float,
    zero: int,
    *,
    flags: tuple[str, ...],
    p: float | None,
    p_method: str,
) -> Correlation:
    settings: dict[str, Setting] = {"zero_frequency": zero, "log": "natural"}
    signature = f"{name}|n:{n}|zero:{zero}|v:{__version__}"
    if value is None:
        return Correlation(Estimate(None, n, None, settings, (*flags, NO_VARIATION), signature), None, "none")
    interval = None if error is None else _fisher(value, error, level, "Fisher z")
    if interval is None:
        flags = (*flags, "too_few_for_interval" if error is None else "perfect")
    return Correlation(Estimate(value, n, interval, settings, flags, signature), p, p_method)


def _t_test(r: float, n: int) -> float:
    from scipy.special import stdtr

    if abs(r) >= 1:
        return 0.0
    return float(2 * stdtr(n - 2, -abs(r) * math.sqrt((n - 2) / ((1 - r) * (1 + r)))))


def _fisher(value: float, error: float, level: float, method: str) -> Interval | None:
    """None at -1 and 1, where the method would give an interval without width."""
    if abs(value) > 1 - 1e-12:
        return None
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    return Interval(math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half), level, method)


def _same_length(x: Floats, y: Floats) -> None:
    if len(x) != len(y):
        raise BadInput(f"both columns describe the same rows, and they have {len(x)} and {len(y)}")


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise BadInput("a level lies between 0 and 1", column="level")
