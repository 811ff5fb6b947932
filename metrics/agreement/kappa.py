"""Fleiss' and Cohen's kappa: agreement on categories beyond chance, for the coding of comments.

For ratings with gaps or on a scale use Krippendorff's alpha (`metrics.agreement.krippendorff`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.arrays import Floats, Ints
from metrics.data.ratings import encode_names
from metrics.errors import BadInput, InsufficientData
from metrics.types import Estimate, Interval, Setting
from metrics.version import __version__

DRAWN = "items drawn with replacement, percentiles"


def fleiss_kappa(counts: ArrayLike, *, draws: int = 1000, confidence: float = 0.95, seed: int = 0) -> Estimate:
    """Fleiss' kappa (Fleiss 1971), at most 1; 0 is what chance gives.

    counts: (items, categories) whole numbers, how many raters chose each category; each item has the same number of
    raters, at least 2. The interval draws items with replacement (`draws` 0: none). All in one category: value None,
    flag `no_variation`. Raises BadInput, InsufficientData.
    """
    table = np.asarray(counts)
    if table.ndim != 2 or table.dtype.kind not in "iu" or (table < 0).any():
        raise BadInput("Fleiss' kappa needs whole numbers from 0 up, one row an item and one column a category")
    if not table.size:
        raise InsufficientData("Fleiss' kappa needs an item and a category.")
    sizes = table.sum(axis=1)
    if (odd := np.flatnonzero(sizes != sizes[0])).size:
        rule = f"each item needs the same number of raters ({sizes[0]} in row 1, {sizes[odd[0]]} here)"
        raise BadInput(rule, row=int(odd[0]) + 1)
    if sizes[0] < 2:
        raise InsufficientData(f"Fleiss' kappa needs two raters an item, and there is {sizes[0]}.")
    patterns, times = np.unique(table, axis=0, return_counts=True)
    raters = int(sizes[0])
    names = f"fleiss_kappa|n:{len(table)}|r:{raters}"
    return _estimate(names, times, lambda drawn: _fleiss(patterns, raters, drawn), draws, confidence, seed)


def _fleiss(patterns: Floats, raters: int, times: Floats) -> Floats:
    items = times.sum(axis=1)
    agree = times @ ((patterns**2).sum(axis=1) - raters) / (items * raters * (raters - 1))
    by_chance = ((times @ patterns / (items * raters)[:, None]) ** 2).sum(axis=1)
    return _beyond_chance(agree, by_chance)


def cohen_kappa(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    *,
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Compute Cohen's kappa of two raters; 0 is what chance gives.

    Args:
        first: (N,) the category that the first rater chose for each item.
        second: (N,) the category that the second rater chose for each item.
        draws: bootstrap samples of items, 0 for no interval.
        confidence: of the interval, in (0, 1).
        seed: of the samples, at least 0.

    Returns:
        Kappa in [-1, 1]; n counts items. Both raters in the same category throughout: value None, flag `no_variation`.

    Raises:
        InsufficientData: there is no item.
        BadInput: columns of different lengths, or a setting that is not allowed.

    Source:
        Cohen (1960).

    Example:
        >>> from metrics import cohen_kappa
        >>> kappa = cohen_kappa(["yes", "yes", "no", "no"], ["yes", "no", "no", "no"])
        >>> kappa.value, kappa.n
        (0.5, 4)
    """
    if len(first) != len(second):
        raise BadInput(f"both raters judge the same items, and they judged {len(first)} and {len(second)}")
    if not len(first):
        raise InsufficientData("Cohen's kappa needs an item that both raters judged.")
    code, categories = encode_names([*first, *second])
    k, n = len(categories), len(first)
    cells, times = np.unique(code[:n] * k + code[n:], return_counts=True)
    a, b = np.eye(k)[cells // k], np.eye(k)[cells % k]

    def kappa(drawn: Floats) -> Floats:
        total = drawn.sum(axis=1)
        by_chance = ((drawn @ a) * (drawn @ b)).sum(axis=1) / total**2
        return _beyond_chance(drawn @ (a * b).sum(axis=1) / total, by_chance)

    return _estimate(f"cohen_kappa|n:{n}|r:2", times, kappa, draws, confidence, seed)


def _beyond_chance(agree: Floats, by_chance: Floats) -> Floats:
    """NaN (which stays inside this module) where chance alone agrees always."""
    room = 1 - by_chance
    return np.divide(agree - by_chance, room, out=np.full_like(agree, np.nan), where=room > 1e-12)


def _estimate(
    names: str,
    times: Ints,
    kappa: Callable[[Floats], Floats],
    draws: int,
    confidence: float,
    seed: int,
) -> Estimate:
    if draws < 0 or draws == 1 or not 0 < confidence < 1 or seed < 0:
        raise BadInput("draws are 0 or at least 2, a confidence lies between 0 and 1, a seed is at least 0")
    items = int(times.sum())
    value = float(kappa(times[None, :].astype(np.float64))[0])
    flags, interval = [], None
    if np.isnan(value):
        flags.append("no_variation")
    elif items < 2:
        flags.append("too_few_for_interval")
    elif draws:
        drawn = np.random.default_rng(seed).multinomial(items, times / items, size=draws).astype(np.float64)
        kappas = kappa(drawn)
        defined = kappas[~np.isnan(kappas)]
        if len(defined) < draws:
            flags.append("resamples_without_variation")
        low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
        interval = Interval(float(low), float(high), confidence, DRAWN)
    shown = None if np.isnan(value) else value
    settings: dict[str, Setting] = {"resampled": "items", "draws": draws, "seed": seed}
    return Estimate(shown, items, interval, settings, tuple(flags), f"{names}|seed:{seed}|v:{__version__}")
