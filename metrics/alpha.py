"""Krippendorff's alpha (Krippendorff 2004, Content Analysis, chapter 11): 1 less observed over expected disagreement.

With n_uc ratings of value c among the m_u of item u, n_c of them in all and n altogether, the coincidences are
o_ck = sum_u n_uc (n_uk - [c = k]) / (m_u - 1), and alpha = 1 - (n - 1) sum o_ck d_ck / sum n_c n_k d_ck. Differences
d_ck: nominal [c != k]; interval (c - k)^2; ordinal the square of the distance of midranks, n_c / 2 and n_k / 2
included; ratio ((c - k) / (c + k))^2. Items with one rating form no pair and are left out.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from metrics.arrays import Floats, Ints, Numbers
from metrics.errors import BadInput, InsufficientData
from metrics.ratings import Names, Ratings, lay_out
from metrics.types import Estimate, Interval, Setting
from metrics.units import Units, count_values, resample
from metrics.version import __version__

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Resampled = Literal["items", "raters"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
RATIO_VALUES = 4096  # every pair of values is compared
RATIO_CELLS = 1 << 22


def krippendorff_alpha(
    item: Names,
    rater: Names,
    value: Names,
    level: Level = "nominal",
    *,
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    resampled: Resampled = "items",
) -> Estimate:
    """Krippendorff's alpha with an interval: 1 full agreement, 0 what chance gives, below 0 systematic disagreement.

    item, rater: (N,) names or whole numbers; value: (N,) finite numbers (ratio: none below 0). n is the number of
    items with two ratings or more. resampled: what the interval lets vary. `items`: items drawn with replacement,
    `draws` times (0: no interval), percentiles; the raters stay as they are. `raters`: each rater left out once
    (jackknife, t with raters - 1 degrees of freedom); copies of one rater would agree with themselves, so raters are
    not drawn with replacement. All ratings equal: value None, flag `no_variation`. Low values are normal where a
    judgment is a matter of degree (typicality) and do not invalidate means over many raters.
    Raises InsufficientData (no rating, no item with two), BadInput.
    """
    _check(level, draws, confidence, seed, resampled)
    return alpha_of(
        lay_out(item, rater, value),
        level,
        draws=draws,
        confidence=confidence,
        seed=seed,
        resampled=resampled,
    )


def alpha_of(
    ratings: Ratings,
    level: Level = "nominal",
    *,
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    resampled: Resampled = "items",
) -> Estimate:
    """`krippendorff_alpha` of ratings that are laid out already. Raises as it does."""
    _check(level, draws, confidence, seed, resampled)
    _check_values(ratings.value, level)
    units = count_values(ratings.item, ratings.value)
    if not units.items:
        raise InsufficientData("Agreement needs an item with two ratings, and every item has one.")
    value = _one(units, level)
    flags = ["items_with_one_rating"] if units.single else []
    interval = None
    if value is None:
        flags.append("no_variation")
    elif resampled == "raters":
        interval = _leave_raters_out(ratings, level, value, confidence, flags)
    elif draws:
        interval = _resample_items(units, level, draws, confidence, seed, flags)
    settings: dict[str, Setting] = {
        "level": level,
        "items": units.items,
        "items_with_one_rating": units.single,
        "raters": len(ratings.raters),
        "ratings": int((units.sizes * units.times).sum()),
        "values": int((np.asarray(units.counts.sum(axis=0)) > 0).sum()),
        "resampled": resampled,
        "draws": draws,
        "seed": seed,
    }
    names = f"alpha|n:{units.items}|r:{len(ratings.raters)}|level:{level}|resampled:{resampled}"
    return Estimate(value, units.items, interval, settings, tuple(flags), f"{names}|seed:{seed}|v:{__version__}")


def alpha_arrays(item: Ints, value: Numbers, level: Level = "nominal") -> float | None:
    """Alpha alone, fast (about 2 ms for 300,000 ratings of five values), for simulation.

    item: (N,) codes from 0, no more than a few times N. value: (N,) numbers; int8 and int64 are quickest. Nothing is
    validated. None where all ratings that form a pair are equal, or none does.
    """
    units = count_values(item, value)
    return _one(units, level) if units.items else None


def _check(level: str, draws: int, confidence: float, seed: int, resampled: str) -> None:
    if level not in LEVELS:
        raise BadInput(f"a level of measurement is one of {', '.join(LEVELS)}, not {level!r}", column="level")
    if resampled not in ("items", "raters"):
        raise BadInput("what is resampled is 'items' or 'raters'", column="resampled")
    if draws < 0 or draws == 1:
        raise BadInput("draws must be 0 (no interval) or at least 2", column="draws")
    if not 0 < confidence < 1:
        raise BadInput("a confidence lies between 0 and 1", column="confidence")
    if seed < 0:
        raise BadInput("a seed is a whole number of at least 0", column="seed")


def _check_values(value: Numbers, level: Level) -> None:
    if level != "ratio":
        return
    if value.min() < 0:
        rule = "ratio differences need ratings of at least 0"
        raise BadInput(rule, where=f"rating {int(np.argmin(value)) + 1}", column="value")
    if len(np.unique(value)) > RATIO_VALUES:
        raise BadInput(f"ratio differences compare at most {RATIO_VALUES} distinct values; round them", column="value")


def _one(units: Units, level: Level) -> float | None:
    found = float(_alphas(units, units.times[None, :].astype(np.float64), level)[0])
    return None if np.isnan(found) else found


def _resample_items(
    units: Units, level: Level, draws: int, confidence: float, seed: int, flags: list[str]
) -> Interval | None:
    if units.items < 2:
        flags.append("too_few_for_interval")
        return None
    rng = np.random.default_rng(seed)
    found = np.concatenate([_alphas(units, times, level) for times in resample(units, draws, rng)])
    defined = found[~np.isnan(found)]
    if len(defined) < len(found):
        flags.append("resamples_without_variation")
    if len(defined) < 2:
        return None
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high), confidence, "items drawn with replacement, percentiles")


def _leave_raters_out(
    ratings: Ratings, level: Level, value: float, confidence: float, flags: list[str]
) -> Interval | None:
    """Jackknife over raters."""
    from scipy.special import stdtrit

    order = np.argsort(ratings.rater, kind="stable")
    ends = np.cumsum(np.bincount(ratings.rater))
    found = []
    for begin, end in zip(ends - np.diff(ends, prepend=0), ends, strict=True):
        kept = np.delete(order, slice(begin, end))
        found.append(alpha_arrays(ratings.item[kept], ratings.value[kept], level) if len(kept) else None)
    defined = np.array([alpha for alpha in found if alpha is not None])
    if len(defined) < len(found) or len(defined) < 2:
        flags.append("too_few_for_interval")
        return None
    raters = len(defined)
    error = np.sqrt((raters - 1) / raters * ((defined - defined.mean()) ** 2).sum())
    half = float(stdtrit(raters - 1, (1 + confidence) / 2) * error)
    return Interval(value - half, min(1.0, value + half), confidence, "raters left out in turn, jackknife")


def _alphas(units: Units, times: Floats, level: Level) -> Floats:
    """Alpha of each row of (B, P) occurrences; NaN (which stays inside this module) where nothing varies."""
    totals = np.asarray(times @ units.counts)
    n = totals.sum(axis=1)
    if level == "ordinal":
        # A difference of midranks is a difference on the interval scale.
        ranks = ((np.cumsum(totals, axis=1) - totals / 2) / n[:, None]) - 0.5
        observed = _squares_within_ranks(units, times, ranks)
        expected = 2 * (n * (totals * ranks**2).sum(axis=1) - (totals * ranks).sum(axis=1) ** 2)
    elif level == "interval":
        scale = _unit_scale(units)
        observed = times @ _squares_within(units, scale)
        expected = 2 * (n * (totals @ scale**2) - (totals @ scale) ** 2)
    elif level == "nominal":
        observed = times @ ((units.sizes**2 - _row_squares(units.counts)) / (units.sizes - 1))
        expected = n**2 - (totals**2).sum(axis=1)
    else:
        differences = _ratio_differences(units.values)
        observed = times @ _ratio_within(units, differences)
        expected = ((totals @ differences) * totals).sum(axis=1)
    varied = (totals > 0).sum(axis=1) > 1
    found = np.full(len(times), np.nan)
    found[varied] = 1 - (n[varied] - 1) * observed[varied] / expected[varied]
    return found


def _row_squares(counts: Any) -> Floats:
    return np.asarray((counts**2).sum(axis=1))


def _unit_scale(units: Units) -> Floats:
    """Values moved and stretched to mean 0 within [-1, 1]: alpha does not change, and squares keep their digits."""
    spread = units.values[-1] - units.values[0]
    if not spread:
        return np.zeros_like(units.values)
    scale = (units.values - units.values[0]) / spread
    totals = np.asarray(units.times.astype(np.float64) @ units.counts)
    return np.asarray(scale - totals @ scale / totals.sum())


def _squares_within(units: Units, scale: Floats) -> Floats:
    """Sum over the pairs of each unit of (c - k)^2, over m - 1."""
    first, second = units.counts @ scale, units.counts @ scale**2
    return np.asarray(2 * (units.sizes * second - first**2) / (units.sizes - 1))


def _squares_within_ranks(units: Units, times: Floats, ranks: Floats) -> Floats:
    """The same summed over units, where each row of `times` has midranks of its own."""
    share = 2 / (units.sizes - 1)
    second = (np.asarray((times * (units.sizes * share)) @ units.counts) * ranks**2).sum(axis=1)
    first = np.asarray(units.counts @ ranks.T).T
    return np.asarray(second - (times * first**2) @ share)


def _ratio_differences(values: Floats) -> Floats:
    above = values[:, None] - values
    below = values[:, None] + values
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0) ** 2


def _ratio_within(units: Units, differences: Floats) -> Floats:
    height = max(1, RATIO_CELLS // len(units.values))
    parts = []
    for begin in range(0, len(units.sizes), height):
        counts = units.counts[begin : begin + height]
        dense = counts if isinstance(counts, np.ndarray) else counts.toarray()
        parts.append(((dense @ differences) * dense).sum(axis=1))
    return np.asarray(np.concatenate(parts) / (units.sizes - 1))
