"""Intraclass correlations of a complete table of items by raters (Shrout and Fleiss 1979), and how many raters to ask.

Case 1: each item has raters of its own. Case 2: the same raters throughout, a sample of those one might ask; their
severity counts as error. Case 3: these very raters; severity does not count. (., 1): one rating; (., k): the mean of
all k. Intervals by F distributions, from the same paper.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.arrays import Floats
from metrics.errors import BadInput, InsufficientData
from metrics.types import Estimate, Interval
from metrics.version import __version__

Limits = tuple[float, float] | None
METHOD = "F, items (and raters in case 2) as a sample"


@dataclass(frozen=True, slots=True)
class IntraclassCorrelations:
    """ICC(1,1), (2,1), (3,1) of one rating and ICC(1,k), (2,k), (3,k) of the mean of k; at most 1, 1 is best."""

    icc_1_1: Estimate
    icc_2_1: Estimate
    icc_3_1: Estimate
    icc_1_k: Estimate
    icc_2_k: Estimate
    icc_3_k: Estimate


@dataclass(frozen=True, slots=True)
class _Squares:
    """Mean squares of a two-way table: between items, within items, between raters, residual."""

    n: int
    k: int
    items: float
    within: float
    raters: float
    residual: float


def intraclass_correlations(ratings: ArrayLike, *, confidence: float = 0.95) -> IntraclassCorrelations:
    """Compute all six intraclass correlations, each with an interval.

    Args:
        ratings: (items, raters) finite numbers, at least 2 by 2 and without gaps; with gaps use `mixed_model`.
        confidence: of the intervals, in (0, 1).

    Returns:
        Six estimates, at most 1, below 0 where items differ less than chance would have it. No variation at all: value
        None, flag `no_variation`. A mean of raters whose estimated variance is not above 0: value None, flag
        `negative_variance`. Nothing between or within items for F to compare: no interval, flag `limits_undefined`.

    Raises:
        BadInput: gaps, numbers that are not finite, or a confidence that is not allowed.
        InsufficientData: fewer than 2 items or 2 raters.

    Source:
        Shrout and Fleiss (1979), whose six targets and four judges the example repeats.

    Example:
        >>> from metrics import intraclass_correlations
        >>> shrout_fleiss = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
        >>> correlations = intraclass_correlations(shrout_fleiss)
        >>> round(correlations.icc_2_1.value, 2), round(correlations.icc_3_1.value, 2)
        (0.29, 0.71)
    """
    if not 0 < confidence < 1:
        raise BadInput("a confidence lies between 0 and 1", column="confidence")
    s = _mean_squares(_table(ratings))
    single, three = s.items - s.within, s.items - s.residual
    below_2 = s.items + (s.k - 1) * s.residual + s.k * (s.raters - s.residual) / s.n
    values = {
        "icc_1_1": _share(single, s.items + (s.k - 1) * s.within),
        "icc_2_1": _share(three, below_2),
        "icc_3_1": _share(three, s.items + (s.k - 1) * s.residual),
        "icc_1_k": _share(single, s.items),
        "icc_2_k": _share(three, s.items + (s.raters - s.residual) / s.n),
        "icc_3_k": _share(three, s.items),
    }
    limits = _limits(s, values["icc_2_1"], confidence)
    return IntraclassCorrelations(
        **{name: _estimate(name, value, limits[name], s, confidence) for name, value in values.items()}
    )


def _table(ratings: ArrayLike) -> Floats:
    try:
        table = np.asarray(ratings, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput("an intraclass correlation needs a full table of numbers, items by raters") from None
    if table.ndim != 2 or min(table.shape) < 2:
        shape = " by ".join(map(str, table.shape))
        raise InsufficientData(f"An intraclass correlation needs 2 items by 2 raters at least, and there are {shape}.")
    if (bad := ~(np.abs(table) <= 1e100)).any():
        row, column = (int(at[0]) + 1 for at in np.nonzero(bad))
        raise BadInput("each item needs a finite rating by each rater", row=row, column=str(column))
    return table


def _mean_squares(table: Floats) -> _Squares:
    n, k = table.shape
    scale = np.abs(table - table[0, 0]).max()
    centred = (table - table[0, 0]) / (scale or 1.0)  # no ICC depends on it, and squares keep their digits
    centred = centred - centred.mean()
    items, raters = centred.mean(axis=1), centred.mean(axis=0)
    left = centred - items[:, None] - raters
    tiny = 1e-24 * n * k
    residual = float((left**2).sum())
    within = float(((centred - items[:, None]) ** 2).sum())
    between = k * float((items**2).sum())
    by_rater = n * float((raters**2).sum())
    sums = [0.0 if square < tiny else square for square in (between, within, by_rater, residual)]
    degrees = (n - 1, n * (k - 1), k - 1, (n - 1) * (k - 1))
    return _Squares(n, k, *(square / df for square, df in zip(sums, degrees, strict=True)))


def _share(above: float, below: float) -> float | None:
    """None where the denominator is 0 but for rounding (the table is scaled to a spread of 1)."""
    return above / below if below > 1e-12 else None


def _limits(s: _Squares, icc_2_1: float | None, confidence: float) -> dict[str, Limits]:
    n, k = s.n, s.k
    single = _ratio_limits(s.items, s.within, n - 1, n * (k - 1), confidence)
    three = _ratio_limits(s.items, s.residual, n - 1, (n - 1) * (k - 1), confidence)
    two = None if icc_2_1 is None or not s.residual else _limits_of_two(s, icc_2_1, confidence)
    mean_of_two = None if two is None or 1 + (k - 1) * two[0] <= 0 else two
    return {
        "icc_1_1": _both(single, lambda f: (f - 1) / (f + k - 1)),
        "icc_2_1": two,
        "icc_3_1": _both(three, lambda f: (f - 1) / (f + k - 1)),
        "icc_1_k": _both(single, lambda f: 1 - 1 / f),
        "icc_2_k": _both(mean_of_two, lambda icc: k * icc / (1 + (k - 1) * icc)),
        "icc_3_k": _both(three, lambda f: 1 - 1 / f),
    }


def _both(limits: Limits, change: Callable[[float], float]) -> Limits:
    return None if limits is None else (change(limits[0]), change(limits[1]))


def _quantile(df1: float, df2: float, confidence: float) -> float:
    from scipy.special import fdtri

    return float(fdtri(df1, df2, (1 + confidence) / 2))


def _ratio_limits(above: float, below: float, df1: int, df2: int, confidence: float) -> Limits:
    """Limits of the true ratio of mean squares."""
    if not below or not above:
        return None
    f = above / below
    return f / _quantile(df1, df2, confidence), f * _quantile(df2, df1, confidence)


def _limits_of_two(s: _Squares, icc: float, confidence: float) -> Limits:
    """Shrout and Fleiss 1979, p. 424: Satterthwaite's degrees of freedom."""
    n, k, f = s.n, s.k, s.raters / s.residual
    rest = n * (1 + (k - 1) * icc) - k * icc
    below = (n - 1) * k**2 * icc**2 * f**2 + rest**2
    if not below:
        return None
    df = (k - 1) * (n - 1) * (k * icc * f + rest) ** 2 / below
    if df <= 0 or not s.items:
        return None
    lower, upper = _quantile(n - 1, df, confidence), _quantile(df, n - 1, confidence)
    others = k * s.raters + (k * n - k - n) * s.residual
    low = n * (s.items - lower * s.residual) / (lower * others + n * s.items)
    return low, n * (upper * s.items - s.residual) / (others + n * upper * s.items)


def _estimate(name: str, value: float | None, limits: Limits, s: _Squares, confidence: float) -> Estimate:
    flags, interval = [], None
    if limits is not None and not -math.inf < limits[0] <= limits[1] < math.inf:
        limits = None  # next to no degrees of freedom: the quantiles of F are not numbers
    if value is None:
        flags.append("negative_variance" if s.items or s.within else "no_variation")
    elif limits is None:
        flags.append("limits_undefined")
    else:
        interval = Interval(limits[0], limits[1], confidence, METHOD)
    settings = {"items": s.n, "raters": s.k}
    return Estimate(value, s.n, interval, settings, tuple(flags), f"{name}|n:{s.n}|r:{s.k}|v:{__version__}")
