"""HJ: the mean of an item's ratings, with an interval (Hashimoto, Zhang and Liang 2019, section 3.2).

Everything is computed from counts, sums and sums of squares, so that a database aggregate serves as well as ratings.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Literal, cast

import numpy as np

from metrics.data.frames import Frame, is_frame
from metrics.errors import BadInput, MissingHJ, join_names, nothing_left
from metrics.types import Estimate, HumanJudgment, Interval, Rating, RatingSums, Result
from metrics.version import __version__

IntervalMethod = Literal["t", "z"]
SINGLE = "single_rating"
MISSING = "missing_hj"
NO_VARIATION = "no_variation"
TARGET = "expected rating of this text by other raters like these"


@dataclass(frozen=True, slots=True)
class HumanJudgments(Result):
    """HJ by item, in the order the items came in, and the ids dropped for want of a rating (flag `missing_hj`)."""

    items: Mapping[str, HumanJudgment]
    dropped: tuple[str, ...]
    flags: tuple[str, ...]

    def of(self, items: Iterable[str]) -> list[HumanJudgment]:
        """HJ of these items, in their order. Raises MissingHJ naming those without a rating."""
        item_ids = list(items)
        absent = [item for item in item_ids if item not in self.items]
        if absent:
            raise MissingHJ(absent)
        return [self.items[item] for item in item_ids]


def sum_ratings(ratings: Iterable[Rating] | Frame, items: Iterable[str] = ()) -> list[RatingSums]:
    """Sum the ratings of each item: their count, sum and sum of squares.

    Args:
        ratings: at most one by each rater of each item; or a DataFrame with the columns `item`, `rater`, `value`.
        items: ids to list first, with 0 ratings where they have none.

    Returns:
        One `RatingSums` for each item, in the order in which items occur; sums are exact.

    Raises:
        BadInput: a rater rates an item twice, or a rating is not a finite number.

    Source:
        Hashimoto, Zhang and Liang (2019), section 3.2 (HJ is a mean over raters).

    Example:
        >>> from fractions import Fraction
        >>> from metrics import Rating, sum_ratings
        >>> sums = sum_ratings([Rating("a", "w1", Fraction(3)), Rating("a", "w2", Fraction(4))])
        >>> sums[0].count, sums[0].total, sums[0].squares
        (2, Fraction(7, 1), Fraction(25, 1))
    """
    # Whole numbers, which most ratings are, add up much faster as such than as fractions.
    sums: dict[str, tuple[int, Fraction | int, Fraction | int]] = dict.fromkeys(items, (0, 0, 0))
    rows: dict[str, int] = {}
    raters: dict[str, int] = {}
    pairs = array("q")  # a number for each rating's item and rater: a set of a million pairs would take 100 MB
    for rating in _read_frame(ratings) if is_frame(ratings) else cast(Iterable[Rating], ratings):
        value = _finite(rating)
        pairs.append(rows.setdefault(rating.item, len(rows)) << 32 | raters.setdefault(rating.rater, len(raters)))
        count, total, squares = sums.get(rating.item, (0, 0, 0))
        sums[rating.item] = count + 1, total + value, squares + value * value
    _require_once(pairs, list(rows), list(raters))
    return [
        RatingSums(item, count, Fraction(total), Fraction(squares)) for item, (count, total, squares) in sums.items()
    ]


def _read_frame(ratings: Frame) -> list[Rating]:
    from metrics.data.csv_files import read_ratings  # which sums ratings

    return read_ratings(ratings)


def _require_once(pairs: array[int], items: Sequence[str], raters: Sequence[str]) -> None:
    numbers, times = np.unique(np.frombuffer(pairs, dtype=np.int64), return_counts=True)
    if len(numbers) < len(pairs):
        pair = int(numbers[times > 1][0])
        rule = f"rater {raters[pair & 0xFFFFFFFF]} rates item {items[pair >> 32]} more than once"
        raise BadInput(rule, column="rater")


def _finite(rating: Rating) -> Fraction | int:
    value = rating.value
    if isinstance(value, int):
        return int(value)
    try:
        exact = value if isinstance(value, Fraction) else Fraction(value)
        return exact.numerator if exact.denominator == 1 else exact
    except (TypeError, ValueError, OverflowError):
        rule = f"the rating of item {rating.item} by rater {rating.rater} must be a finite number"
        raise BadInput(rule, column="value") from None


def human_judgments(
    sums: Iterable[RatingSums],
    *,
    level: float = 0.90,
    method: IntervalMethod = "t",
    removed: Mapping[str, int] | None = None,
) -> HumanJudgments:
    """Compute HJ of each item, the mean of its ratings, with an interval.

    The interval is mean -+ quantile * sd / sqrt(ratings), in the units of the ratings.

    Args:
        sums: counts, sums and sums of squares of each item, as `sum_ratings` gives them.
        level: of the intervals, in (0, 1).
        method: `t` (ratings - 1 degrees of freedom) or `z`.
        removed: ratings removed by each filter, for the message where nothing is left.

    Returns:
        HJ by item, exact. An item with one rating has no interval (flag `single_rating`); one without a rating is
        dropped and named (flag `missing_hj`).

    Raises:
        InsufficientData: no item keeps a rating; names the filter that removed the most.
        BadInput: sums that contradict each other, an item twice, a level or method that is not allowed.

    Source:
        Hashimoto, Zhang and Liang (2019), section 3.2.

    Example:
        >>> from fractions import Fraction
        >>> from metrics import Rating, human_judgments, sum_ratings
        >>> ratings = [Rating("a", f"w{i}", Fraction(value)) for i, value in enumerate((3, 4, 5, 5))]
        >>> judgment = human_judgments(sum_ratings(ratings)).items["a"]
        >>> judgment.value, judgment.n, round(judgment.interval.low, 2), round(judgment.interval.high, 2)
        (Fraction(17, 4), 4, 3.12, 5.38)
    """
    if not 0 < level < 1:
        raise BadInput("a level lies between 0 and 1", column="level")
    if method not in ("t", "z"):
        raise BadInput("an interval of HJ is by 't' or 'z'", column="method")
    listed = list(sums)
    _check_sums(listed)
    judgments = {entry.item: _judge(entry, level, method) for entry in listed if entry.count}
    if not judgments:
        raise nothing_left("rating", removed)
    dropped = tuple(entry.item for entry in listed if not entry.count)
    flags = [MISSING] if dropped else []
    if any(judgment.n == 1 for judgment in judgments.values()):
        flags.append(SINGLE)
    return HumanJudgments(judgments, dropped, tuple(flags))


def _check_sums(sums: list[RatingSums]) -> None:
    for entry in sums:
        if entry.count < 0 or entry.squares * entry.count < entry.total**2:
            raise BadInput(
                "count, sum and sum of squares do not belong to one set of ratings", where=f"item {entry.item}"
            )
    names = [entry.item for entry in sums]
    if len(set(names)) < len(names):
        raise BadInput(
            f"an item has one entry: {join_names(n for n in set(names) if names.count(n) > 1)} occur more than once"
        )


def _judge(sums: RatingSums, level: float, method: IntervalMethod) -> HumanJudgment:
    r = sums.count
    mean = Fraction(sums.total) / r
    if r == 1:
        return HumanJudgment(sums.item, mean, 1, None, None, (SINGLE,))
    sd = math.sqrt((sums.squares - sums.total * mean) / (r - 1))
    if not sd:  # equal ratings do not make the mean certain, and nothing here says how far the next might lie
        return HumanJudgment(sums.item, mean, r, sd, None)
    half = quantile(level, method, r - 1) * sd / math.sqrt(r)
    return HumanJudgment(
        sums.item, mean, r, sd, Interval(float(mean) - half, float(mean) + half, level, method, TARGET)
    )


def quantile(level: float, method: IntervalMethod, df: int) -> float:
    """Two-sided quantile at `level`: Student's t with `df` degrees of freedom, or the normal one."""
    if method == "z":
        return NormalDist().inv_cdf((1 + level) / 2)
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2))


def hj_estimates(judgments: HumanJudgments) -> dict[str, Estimate]:
    """HJ by item as reported numbers; n is the number of ratings, settings hold their sample sd.

    Flag `no_variation` where all ratings of an item are equal: no interval, as one without width would be false."""
    return {
        name: Estimate(
            float(judgment.value),
            judgment.n,
            judgment.interval,
            {"sd": judgment.sd},
            (*judgment.flags, *((NO_VARIATION,) if judgment.sd == 0 else ())),
            f"hj|n:{judgment.n}|v:{__version__}",
        )
        for name, judgment in judgments.items.items()
    }
