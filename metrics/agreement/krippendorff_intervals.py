"""Intervals of Krippendorff's alpha, each saying what it lets vary.

Items: resamples of items, BCa percentiles (Efron 1987) at a confidence widened for few items (Hesterberg 2015): plain
percentiles of 50 items hold 91% where they say 95%. The acceleration is omitted beyond 5,000 items, where it is
next to 0. Raters: a jackknife, on the scale of log(1 - alpha), as drawing raters with replacement would let copies of
one rater agree with themselves; more than 100 raters are dropped in 100 groups. Both, for other items and other
raters: the two variances added, less what both hold of the scatter of single ratings, which is the jackknife of
raters whose ratings were dealt out again at random; degrees of freedom by Satterthwaite, from items - 1 and raters - 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from statistics import NormalDist
from typing import Literal

import numpy as np

from metrics.agreement.disagreement import (
    FEW_VALUES,
    Level,
    alpha_value,
    alphas_of_sums,
    compute_alphas,
    count_pairs,
)
from metrics.agreement.value_counts import DENSE_CELLS, Units, count_values, resample_items
from metrics.data.arrays import Floats, Ints
from metrics.data.ratings import Ratings
from metrics.types import Interval

Resampled = Literal["items", "raters", "both"]
MANY_ITEMS = 5000
ROWS = 256
GROUPS, DEALS = 100, 5
MANY = 50_000  # ratings, from which on fewer groups and deals keep a report from waiting
GROUPS_OF_MANY, DEALS_OF_MANY = 25, 3
FEW = "too_few_for_interval"
PERFECT = "no_disagreement"
PARTIAL = "resamples_without_variation"
TARGETS: dict[Resampled, str] = {
    "items": "alpha over new items like these, with these very raters",
    "raters": "alpha over new raters like these, on these very items",
    "both": "alpha over new items and new raters like these",
}
IntervalResult = tuple[Interval | None, tuple[str, ...]]


def items_interval(
    units: Units, level: Level, value: float, draws: int, confidence: float, rng: np.random.Generator
) -> IntervalResult:
    """Interval over items, and flags."""
    if units.items < 2:
        return None, (FEW,)
    if value == 1:
        return None, (PERFECT,)
    alphas_drawn, flags = _resampled(units, level, draws, rng)
    if len(alphas_drawn) < 2:
        return None, flags
    share = _widened(confidence, units.items)
    ends = _bca(alphas_drawn, value, _acceleration(units, level), share)
    low, high = np.quantile(alphas_drawn, ends)
    method = "items drawn with replacement, BCa percentiles"
    return Interval(float(low), float(high), confidence, method, TARGETS["items"]), flags


def raters_interval(
    ratings: Ratings, level: Level, value: float, confidence: float, rng: np.random.Generator
) -> IntervalResult:
    """Interval over raters, and flags."""
    groups = _groups(ratings, rng)
    variance = None if value == 1 else _left_out(ratings, groups, level)
    if variance is None:
        return None, (PERFECT if value == 1 else FEW,)
    method = "jackknife over raters"
    interval = _on_log_scale(value, math.sqrt(variance), int(groups.max()), confidence, method)
    return replace(interval, target=TARGETS["raters"]), ()


def both_interval(
    ratings: Ratings,
    units: Units,
    level: Level,
    value: float,
    *,
    draws: int,
    confidence: float,
    rng: np.random.Generator,
) -> IntervalResult:
    """Interval over items and raters, and flags."""
    groups = _groups(ratings, rng)
    of_raters = None if value == 1 else _left_out(ratings, groups, level)
    if of_raters is None or units.items < 2:
        return None, (PERFECT if value == 1 else FEW,)
    alphas_drawn, flags = _resampled(units, level, draws, rng)
    if len(alphas_drawn) < 2:
        return None, flags
    of_items = float(alphas_drawn.var(ddof=1)) / (1 - value) ** 2 * units.items / (units.items - 1)
    dealt = [_left_out(ratings, rng.permutation(groups), level) for _ in range(_deals(ratings))]
    of_ratings = float(np.mean([variance for variance in dealt if variance is not None] or [0.0]))
    others = max(0.0, of_raters - of_ratings)
    error = math.sqrt(of_items + others)
    sizes = of_items**2 / (units.items - 1) + others**2 / int(groups.max())
    df = (of_items + others) ** 2 / sizes if sizes > 0 else units.items - 1
    method = "bootstrap over items and jackknife over raters, variances added"
    return replace(_on_log_scale(value, error, df, confidence, method), target=TARGETS["both"]), flags


def _resampled(units: Units, level: Level, draws: int, rng: np.random.Generator) -> tuple[Floats, tuple[str, ...]]:
    alphas_drawn = resample_items(units, draws, rng, lambda times: compute_alphas(units, times, level))
    defined = alphas_drawn[~np.isnan(alphas_drawn)]
    return defined, (PARTIAL,) if len(defined) < draws else ()


def _widened(confidence: float, items: int) -> float:
    """Normal quantile for the upper end, widened to what t with items - 1 degrees of freedom asks of a mean."""
    from scipy.special import stdtrit

    return float(stdtrit(items - 1, (1 + confidence) / 2)) * math.sqrt(items / (items - 1))


def _bca(drawn: Floats, value: float, acceleration: float, z: float) -> list[float]:
    """The two shares of the resamples between which the interval lies."""
    normal = NormalDist()
    below = float((drawn < value).mean() + (drawn == value).mean() / 2)
    shift = normal.inv_cdf(min(max(below, 1 / len(drawn)), 1 - 1 / len(drawn)))
    ends = [shift + (shift + side) / max(1 - acceleration * (shift + side), 1e-3) for side in (-z, z)]
    return [normal.cdf(end) for end in ends]


def _acceleration(units: Units, level: Level) -> float:
    """Skewness of the influence of one item, from dropping an item of each pattern."""
    if units.items > MANY_ITEMS:
        return 0.0
    times = units.times.astype(np.float64)
    left = np.concatenate(
        [
            compute_alphas(units, times - np.eye(len(times))[begin : begin + ROWS], level)
            for begin in range(0, len(times), ROWS)
        ]
    )
    known = ~np.isnan(left)
    mean = float(times[known] @ left[known]) / float(times[known].sum()) if known.any() else 0.0
    pull = mean - left[known]
    squares = float(times[known] @ pull**2)
    return float(times[known] @ pull**3) / (6 * squares**1.5) if squares > 0 else 0.0


def _groups(ratings: Ratings, rng: np.random.Generator) -> Ints:
    """The group (N,) of each rating's rater: one a rater, or as many as are left out one by one, drawn at random."""
    raters, groups = len(ratings.raters), GROUPS if len(ratings.rater) <= MANY else GROUPS_OF_MANY
    if raters <= groups:
        return ratings.rater
    return np.asarray(rng.permutation(raters) % groups)[ratings.rater]


def _deals(ratings: Ratings) -> int:
    return DEALS if len(ratings.rater) <= MANY else DEALS_OF_MANY


def _left_out(ratings: Ratings, groups: Ints, level: Level) -> float | None:
    """Jackknife variance of log(1 - alpha); None where no alpha below 1 remains without a group."""
    left = _alphas_left(ratings, groups, level)
    if not (left < 1).all():  # nor where one is not a number
        return None
    return (len(left) - 1) * float(np.var(np.log1p(-left)))


def _alphas_left(ratings: Ratings, groups: Ints, level: Level) -> Floats:
    """(groups,) alpha without each group; NaN where nothing remains or varies."""
    order = np.argsort(groups, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(groups))[:-1])
    values = np.unique(ratings.value)
    items, v = int(ratings.item.max()) + 1, len(values)
    if v > FEW_VALUES or items * v > DENSE_CELLS:
        return np.array([_alpha_of_rows(ratings, np.delete(np.arange(len(groups)), part), level) for part in parts])
    # Of few values a group's counts are taken from those of all, item by item, and nothing is counted again.
    cell = ratings.item * v + np.searchsorted(values, ratings.value)
    of_all = np.bincount(cell, minlength=items * v)
    sums = []
    for part in parts:
        counts = (of_all - np.bincount(cell[part], minlength=items * v)).reshape(items, v).astype(np.float64)
        sizes = counts.sum(axis=1)
        counts, sizes = counts[sizes > 1], sizes[sizes > 1]
        sums.append(np.concatenate([counts.sum(axis=0), count_pairs(counts, sizes).sum(axis=0)]))
    scale = values.astype(np.float64) - float(values.mean())
    return alphas_of_sums(values.astype(np.float64), np.array(sums), level, scale)


def _alpha_of_rows(ratings: Ratings, rows: Ints, level: Level) -> float:
    units = count_values(ratings.item[rows], ratings.value[rows]) if len(rows) else None
    alpha = alpha_value(units, level) if units is not None and units.items else None
    return math.nan if alpha is None else alpha


def _on_log_scale(value: float, error: float, df: float, confidence: float, method: str) -> Interval:
    from scipy.special import stdtrit

    half = float(stdtrit(df, (1 + confidence) / 2)) * error
    change: Callable[[float], float] = lambda by: 1 - (1 - value) * math.exp(min(by, 700.0))  # noqa: E731
    return Interval(change(half), change(-half), confidence, method)
