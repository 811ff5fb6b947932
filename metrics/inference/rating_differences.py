"""Differences of mean ratings between two sources: paired by context, raters and contexts crossed.

D is the mean, over the contexts rated for both sources, of the mean rating of the first less that of the second. A
rating y of source g in context c has the influence psi = (y - mean of g) / (C n_gc), of C contexts and n_gc ratings
there, with the other sign for the second source. Its variance over new contexts and new raters is
V_item + V_rater - V_cell (`metrics.inference.cluster_variances`), or the larger one-way variance where that is larger:
without rater x source effects the two-way one falls below it by chance in every second study, and intervals then held
.937 where they said .95 (docs/validity.md). Student's t has one degree of freedom less than the fewest contexts or
raters of either source. Clustered by context alone this is the paired t-test of context means.

Where some raters give many ratings and most give few, the study rests on fewer people than it counts: a rater with the
share w of a source's weight counts by it, so that m becomes 1 / sum w^2, and the factor m / (m - 1) of V_rater becomes
1 / (1 - 2 sum w^3 / sum w^2 + sum w^2), both what they were where shares are equal. Without this, one of two equals was
called better in 3.5 % of studies instead of 2.5.

The probability of superiority is the chance that a rating of the first is above one of the second in the same context,
ties half; a rating's influence is half of its context's and its own deviation from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.arrays import Bools, Floats, Ints
from metrics.data.columns import check_column
from metrics.data.ratings import Names, encode_names
from metrics.errors import BadInput, InsufficientData
from metrics.inference.cluster_variances import (
    NO_VARIATION,
    SINGLE_WAY_USED,
    TARGETS,
    Clusters,
    ClusterTarget,
    Spread,
    build_clusters,
)
from metrics.inference.distributions import check_level, t_quantile, t_two_sided, t_upper_tail
from metrics.types import Estimate, Interval, Setting
from metrics.version import __version__

Variance = Literal["largest", "two-way"]
Weights = Literal["items", "raters"]
ROUNDING = 1e-9
BELOW_SINGLE_WAY, LARGEST_USED, UNPAIRED = "below_one_way", "largest_used", "unpaired"
WHAT = {"mean": "mean rating", "difference": "difference of mean ratings", "superiority": "probability of superiority"}


@dataclass(frozen=True, slots=True)
class RatingDifference:
    """`first` less `second`.

    difference: of mean ratings. superiority: chance that a rating of the first is above one of the second in the same
    context, ties half; without a value where the sources share no context. p: two-sided, of no difference; None without
    an interval. contexts: behind it; dropped: rated for one of the two sources only. raters: people (None: not known);
    shared_raters: of them, those who rated both. ratings: of both.
    """

    first: str
    second: str
    difference: Estimate
    superiority: Estimate
    p: float | None
    contexts: int
    dropped: int
    raters: int | None
    shared_raters: int
    ratings: int

    def p_above(self, bound: float) -> float | None:
        """One-sided p of the hypothesis that the difference is at most `bound`; None without an interval."""
        error, df = self.difference.settings.get("se"), self.difference.settings.get("df")
        if self.difference.value is None or not error or df is None:
            return None
        return t_upper_tail((self.difference.value - bound) / float(error), float(df))

    def interval(self, level: float) -> Interval | None:
        """Interval of the difference at another level."""
        estimate = self.difference
        if estimate.interval is None or estimate.value is None:
            return None
        half = t_quantile((1 + level) / 2, float(estimate.settings["df"] or 0)) * float(estimate.settings["se"] or 0)
        return Interval(
            estimate.value - half, estimate.value + half, level, estimate.interval.method, estimate.interval.target
        )


def rating_difference(
    item: Names,
    rater: Names,
    source: Names,
    value: ArrayLike,
    pair: tuple[str, str],
    *,
    paired: bool = True,
    weights: Weights = "items",
    target: ClusterTarget | None = None,
    variance: Variance = "largest",
    level: float = 0.95,
) -> RatingDifference:
    """Estimate the difference of mean ratings of two sources, with its interval.

    Args:
        item: (N,) the context of each rating's text; with `paired` false, what belongs together: the context or text.
        rater: (N,) who rated; None where it is not known.
        source: (N,) whose text was rated; ratings of other sources than the two of `pair` are not used.
        value: (N,) finite ratings.
        pair: the two sources, first less second.
        paired: contexts rated for one source only are dropped and counted; false: every rating counts.
        weights: `items`, each item counts alike; `raters`, each rater.
        target: what the interval is for: new `items and raters` (where raters are known), new `items` with these
            raters, or new `raters` on these items.
        variance: the `largest` of the two-way and both one-way variances, or the `two-way` one as it is.
        level: of the interval, in (0, 1).

    Returns:
        The difference and the probability of superiority. Settings of the difference: `se`, `df`, `v_item`, `v_rater`,
        `v_cell`. Flags: those of `cluster_variances`, `below_one_way` (the two-way variance lies below one of the
        one-way ones), `largest_used`, `unpaired`.

    Raises:
        InsufficientData: a source without ratings, or no item with ratings of both.
        BadInput: columns that break a rule.

    Source:
        Cameron, Gelbach and Miller (2011); docs/validity.md.

    Example:
        >>> from metrics.inference.rating_differences import rating_difference
        >>> item, rater = [i for i in range(12) for _ in range(10)] * 2, list(range(10)) * 24
        >>> source = ["a"] * 120 + ["b"] * 120
        >>> value = [3 + (i % 3 + r % 2) % 3 - (s == "b") * (i % 2) for i, r, s in zip(item, rater, source)]
        >>> result = rating_difference(item, rater, source, value, ("a", "b"))
        >>> result.difference.value, result.contexts, result.raters, result.shared_raters
        (0.5, 12, 10, 10)
    """
    check_level(level)
    columns = _Columns.checked(item, rater, source, value, pair)
    usable, dropped = columns.usable(paired)
    columns = columns.only(usable)
    if not (columns.first.any() and (~columns.first).any()):
        raise InsufficientData(f"No context has ratings of both {pair[0]} and {pair[1]}.")
    clusters = build_clusters(columns.item, columns.rater, target=target)
    weight = columns.weights(weights)
    inference = columns.inference(clusters, weight, level, variance)
    signed = np.where(columns.first, weight, -weight)
    first, second = (_mean(weight[side], columns.value[side]) for side in (columns.first, ~columns.first))
    psi = signed * (columns.value - np.where(columns.first, first, second))
    flags = () if paired else (UNPAIRED,)
    difference = inference.estimate("difference", first - second, psi, len(columns.value), flags)
    known = columns.known_raters
    return RatingDifference(
        pair[0],
        pair[1],
        difference,
        _superiority(columns, inference, paired),
        _two_sided(difference),
        clusters.items,
        dropped,
        clusters.raters if known else None,
        columns.shared_raters() if known else 0,
        len(columns.value),
    )


def mean_rating(
    item: Names,
    rater: Names,
    value: ArrayLike,
    *,
    weight: Floats | None = None,
    variance: Variance = "largest",
    level: float = 0.95,
) -> Estimate:
    """Estimate the mean over items of their mean rating, with the interval of `rating_difference`.

    item: (N,) the context of each rating's text. rater: (N,), None where it is not known. value: (N,) finite ratings.
    weight: (N,) of each rating in the mean, adding to 1; None: each item counts alike, and each rating in it. Raises
    InsufficientData without a rating, BadInput.

    >>> mean_rating([0, 0, 1, 1], ["w1", "w2", "w1", "w2"], [1, 2, 3, 4]).value
    2.5
    """
    numbers = check_column(value, "value")
    if not len(numbers):
        raise InsufficientData("There is no rating.")
    columns = _Columns(encode_names(item)[0], rater, np.ones(len(numbers), dtype=np.bool_), numbers)
    clusters = build_clusters(columns.item, rater)
    shares = columns.weights("items") if weight is None else weight
    mean = _mean(shares, numbers)
    return columns.inference(clusters, shares, level, variance).estimate(
        "mean", mean, shares * (numbers - mean), len(numbers), ()
    )


def _mean(weight: Floats, value: Floats) -> float:
    """The weighted mean; of equal values exactly theirs, so that rounding does not look like variation."""
    return float(value[0]) if (value == value[0]).all() else float(weight @ value)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Ratings of two sources. item: (N,) codes. rater: names. first: whether a rating is of the first source."""

    item: Ints
    rater: Names
    first: Bools
    value: Floats

    @classmethod
    def checked(cls, item: Names, rater: Names, source: Names, value: ArrayLike, pair: tuple[str, str]) -> _Columns:
        numbers = check_column(value, "value")
        if not len(item) == len(rater) == len(source) == len(numbers):
            raise BadInput(
                f"item, rater, source and value have {len(item)}, {len(rater)}, {len(source)} and {len(numbers)} "
                "entries, not one number"
            )
        if pair[0] == pair[1]:
            raise BadInput("a source is not compared with itself", column="pair")
        sources = np.asarray(source)
        first, second = sources == pair[0], sources == pair[1]
        for name, rows in zip(pair, (first, second), strict=True):
            if not rows.any():
                raise InsufficientData(f"There is no rating of {name}.")
        chosen = np.flatnonzero(first | second)
        items = item[chosen] if isinstance(item, np.ndarray) else [item[at] for at in chosen.tolist()]
        if not isinstance(items, np.ndarray) and any(name is None for name in items):
            raise BadInput("every rating needs its item", column="item")
        code, _ = encode_names(items)
        raters = rater[chosen] if isinstance(rater, np.ndarray) else [rater[at] for at in chosen.tolist()]
        return cls(code, raters, first[chosen], numbers[chosen])

    @property
    def known_raters(self) -> bool:
        return isinstance(self.rater, np.ndarray) or all(name is not None for name in self.rater)

    def only(self, rows: Ints) -> _Columns:
        rater = self.rater[rows] if isinstance(self.rater, np.ndarray) else [self.rater[at] for at in rows.tolist()]
        return _Columns(encode_names(self.item[rows])[0], rater, self.first[rows], self.value[rows])

    def usable(self, paired: bool) -> tuple[Ints, int]:
        """Rows that count, and how many items are dropped."""
        if not paired:
            return np.arange(len(self.value)), 0
        number = int(self.item.max()) + 1
        both = np.bincount(self.item[self.first], minlength=number) > 0
        both &= np.bincount(self.item[~self.first], minlength=number) > 0
        return np.flatnonzero(both[self.item]), number - int(both.sum())

    def weights(self, by: Weights) -> Floats:
        """(N,) weights that add to 1 over each source: each of its items, or of its raters, counts alike."""
        code = self.item if by == "items" else encode_names(self.rater)[0]
        weight = np.empty(len(code))
        for side in (self.first, ~self.first):
            counts = np.bincount(code[side], minlength=1)
            weight[side] = 1 / (np.count_nonzero(counts) * counts[code[side]])
        return weight

    def inference(self, clusters: Clusters, weight: Floats, level: float, rule: Variance) -> _Inference:
        """How standard errors and intervals come from influences; one degree less than the fewest of either source."""
        sides = [side for side in (self.first, ~self.first) if side.any()]
        contexts = min(len(np.unique(self.item[side])) for side in sides)
        shares = [np.bincount(clusters.rater[side], weight[side]) for side in sides]
        raters, correction = float(min(np.count_nonzero(share) for share in shares)), 1.0
        if rule == "largest" and self.known_raters:
            raters = min(1 / float((share**2).sum()) for share in shares)
            # numpy's types know bincount without weights alone.
            correction = _correction(shares) * (clusters.raters - 1) / clusters.raters  # type: ignore[arg-type]
        fewest = {"items": contexts, "raters": int(raters + ROUNDING)}
        degrees = min(size for name, size in fewest.items() if name in clusters.target) - 1
        return _Inference(clusters, max(1, degrees), level, rule, correction)

    def shared_raters(self) -> int:
        code, names = encode_names(self.rater)
        first = np.bincount(code[self.first], minlength=len(names)) > 0
        return int((first & (np.bincount(code[~self.first], minlength=len(names)) > 0)).sum())


@dataclass(frozen=True, slots=True)
class _Inference:
    """correction: of the raters' variance, where their shares are unequal."""

    clusters: Clusters
    df: int
    level: float
    rule: Variance
    correction: float

    def estimate(self, name: str, value: float, psi: Floats, n: int, flags: tuple[str, ...]) -> Estimate:
        """The value with the interval that its influences give."""
        clusters = self.clusters
        settings: dict[str, Setting] = {"target": clusters.target}
        settings |= {"items": clusters.items, "raters": clusters.raters}
        flags, interval = (*flags, *clusters.flags), None
        if clusters.known:
            parts = clusters.covariances(
                lambda code, number: np.asarray(np.bincount(code, psi, number)[:, None], float)
            )
            spread = Spread(*(part[0, 0] for part in (parts.item, parts.rater, parts.cell)))
            variance, more = self._variance(spread)
            flags += more
            settings |= {"v_item": float(spread.item), "v_rater": float(spread.rater), "v_cell": float(spread.cell)}
            if variance:
                settings |= {"se": variance**0.5, "df": self.df}
                interval = self._interval(name, value, variance**0.5)
        counts = f"items:{clusters.items}|raters:{clusters.raters}|target:{clusters.target.replace(' ', '_')}"
        signature = f"rating_{name}|n:{n}|{counts}|v:{__version__}"
        return Estimate(value, n, interval, settings, flags, signature)

    def _interval(self, name: str, value: float, error: float) -> Interval:
        half = t_quantile((1 + self.level) / 2, self.df) * error
        low, high = value - half, value + half
        if name == "superiority":
            low, high = max(0.0, low), min(1.0, high)
        target = TARGETS[self.clusters.target].removeprefix("value ")
        method = f"clustered sandwich, t with {self.df} df, for new {self.clusters.target}"
        return Interval(low, high, self.level, method, f"{WHAT[name]} {target}")

    def _variance(self, spread: Spread) -> tuple[float, tuple[str, ...]]:
        """The variance, and what must be said of it."""
        spread = Spread(spread.item, self.correction * spread.rater, spread.cell)
        variance, used = (float(part) for part in self.clusters.variance(spread))
        single_way = max(float(spread.item), float(spread.rater))
        flags: tuple[str, ...] = (SINGLE_WAY_USED,) if used else ()
        if self.clusters.target == "items and raters" and 0 < variance < single_way:
            flags += (BELOW_SINGLE_WAY,)
            if self.rule == "largest":
                variance, flags = single_way, (*flags, LARGEST_USED)
        return variance, flags if variance else (*flags, NO_VARIATION)


def _correction(shares: Sequence[Floats]) -> float:
    """Variance between raters over what the squares of their own sums make of it, their shares of each source given."""
    squares = sum(float((share**2).sum()) for share in shares)
    lost = sum(2 * float((share**3).sum()) - float((share**2).sum()) ** 2 for share in shares)
    return squares / (squares - lost) if squares > lost else 1.0


def _two_sided(estimate: Estimate) -> float | None:
    error = estimate.settings.get("se")
    if estimate.value is None or not error:
        return None
    return t_two_sided(estimate.value / float(error), float(estimate.settings["df"] or 0))


def _superiority(columns: _Columns, inference: _Inference, paired: bool) -> Estimate:
    """P(first above second in one context), ties half; without a value where sources share no context."""
    n = len(columns.value)
    if not paired:
        signature = f"rating_superiority|n:{n}|v:{__version__}"
        return Estimate(None, n, None, {}, (UNPAIRED,), signature)
    above = _above(columns)
    items = int(columns.item.max()) + 1
    counts = [np.bincount(columns.item[side], minlength=items) for side in (columns.first, ~columns.first)]
    of_item = np.bincount(columns.item[columns.first], above[columns.first], items) / counts[0]
    share = np.where(columns.first, counts[0][columns.item], counts[1][columns.item]) * items
    value = float(of_item.mean())
    psi = (above - of_item[columns.item] + (of_item[columns.item] - value) / 2) / share
    return inference.estimate("superiority", value, psi, n, ())


def _above(columns: _Columns) -> Floats:
    """(N,) of a rating of the first: the share of the second's ratings in its context below it, ties half; of a rating
    of the second: the share of the first's above it."""
    levels, rank = np.unique(columns.value, return_inverse=True)
    key = columns.item * len(levels) + rank
    above = np.empty(len(key))
    for side in (columns.first, ~columns.first):
        others = np.sort(key[~side])
        begin, end = (np.searchsorted(others, columns.item[side] * len(levels) + edge) for edge in (0, len(levels)))
        below, upto = (np.searchsorted(others, key[side], edge) for edge in ("left", "right"))
        above[side] = ((below + upto) / 2 - begin) / (end - begin)
    return np.where(columns.first, above, 1 - above)
