"""Krippendorff's alpha (Krippendorff 2004, Content Analysis, chapter 11): 1 less observed over expected disagreement.

Differences between values c and k: nominal [c != k]; interval (c - k)^2; ordinal the square of the number of ratings
between them, half of those of c and of k included; ratio ((c - k) / (c + k))^2. Items with one rating form no pair and
are skipped. The arithmetic is in `metrics.agreement.disagreement`, the intervals in
`metrics.agreement.krippendorff_intervals`.
"""

from __future__ import annotations

import numpy as np

from metrics.agreement.disagreement import Level, alpha_value
from metrics.agreement.krippendorff_intervals import (
    IntervalResult,
    Resampled,
    both_interval,
    items_interval,
    raters_interval,
)
from metrics.agreement.value_counts import count_values
from metrics.data.arrays import Ints, Numbers
from metrics.data.ratings import Names, Ratings, in_content_order, lay_out
from metrics.errors import BadInput, InsufficientData
from metrics.types import Estimate, Setting
from metrics.version import __version__

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
RESAMPLED: tuple[Resampled, ...] = ("items", "raters", "both")
RATIO_VALUES = 4096  # every pair of values is compared


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
    """Compute Krippendorff's alpha with an interval.

    1 is full agreement, 0 what chance gives, below 0 systematic disagreement. Low values are normal where a judgment is
    a matter of degree (typicality) and do not invalidate means over many raters.

    Args:
        item: (N,) names or whole numbers of the items.
        rater: (N,) names or whole numbers of the raters.
        value: (N,) finite numbers; for the level `ratio` none below 0.
        level: of measurement: `nominal`, `ordinal`, `interval` or `ratio`.
        draws: bootstrap samples, 0 for no interval.
        confidence: of the interval, in (0, 1).
        seed: of the samples, at least 0. The samples depend on neither the raters' names nor the order of the rows.
        resampled: what the interval lets vary. `items`: items are drawn with replacement, raters stay; `raters`: each
            rater is dropped once; `both`: for a study with other items and other raters, wider, and the choice where
            few raters rate much.

    Returns:
        Alpha, at most 1; n is the number of items with at least 2 ratings. All ratings equal: value None, flag
        `no_variation`; no disagreement at all: no interval, flag `no_disagreement`.

    Raises:
        InsufficientData: no rating, or no item with two.
        BadInput: columns or settings that break a rule.

    Source:
        Krippendorff (2004), Content Analysis, chapter 11.

    Example:
        >>> from metrics import krippendorff_alpha
        >>> item, rater = [1, 1, 2, 2, 3, 3, 4, 4], ["a", "b"] * 4
        >>> alpha = krippendorff_alpha(item, rater, [1, 1, 2, 2, 3, 3, 4, 3], "ordinal")
        >>> round(alpha.value, 3), alpha.n
        (0.91, 4)
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
    """`krippendorff_alpha` of checked ratings. Raises as it does."""
    _check(level, draws, confidence, seed, resampled)
    _check_values(ratings.value, level)
    units = count_values(ratings.item, ratings.value)
    if not units.items:
        raise InsufficientData("Agreement needs an item with two ratings, and every item has one.")
    value = alpha_value(units, level)
    flags: tuple[str, ...] = ("no_variation",)
    interval = None
    if value is not None:
        interval, flags = _interval(
            ratings, level, value, draws=draws, confidence=confidence, seed=seed, resampled=resampled
        )
    if units.single:
        flags = ("items_with_one_rating", *flags)
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
    return Estimate(value, units.items, interval, settings, flags, f"{names}|seed:{seed}|v:{__version__}")


def alpha_arrays(item: Ints, value: Numbers, level: Level = "nominal") -> float | None:
    """Alpha alone, fast (about 2 ms for 300,000 ratings of five values), for simulation.

    item: (N,) codes from 0, no more than a few times N. value: (N,) numbers; int8 and int64 are quickest. Nothing is
    validated. None where all ratings that form a pair are equal, or none does.
    """
    units = count_values(item, value)
    return alpha_value(units, level) if units.items else None


def _interval(
    ratings: Ratings,
    level: Level,
    value: float,
    *,
    draws: int,
    confidence: float,
    seed: int,
    resampled: Resampled,
) -> IntervalResult:
    if not draws:
        return None, ()
    rng = np.random.default_rng(seed)
    ratings, _ = in_content_order(ratings)
    units = count_values(ratings.item, ratings.value)
    if resampled == "items":
        return items_interval(units, level, value, draws, confidence, rng)
    if resampled == "raters":
        return raters_interval(ratings, level, value, confidence, rng)
    return both_interval(ratings, units, level, value, draws=draws, confidence=confidence, rng=rng)


def _check(level: str, draws: int, confidence: float, seed: int, resampled: str) -> None:
    if level not in LEVELS:
        raise BadInput(f"a level of measurement is one of {', '.join(LEVELS)}, not {level!r}", column="level")
    if resampled not in RESAMPLED:
        raise BadInput("what is resampled is 'items', 'raters' or 'both'", column="resampled")
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
