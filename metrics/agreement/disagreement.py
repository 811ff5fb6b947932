"""Krippendorff's alpha from value counts: the arithmetic, vectorised over resamples.

With n_uc ratings of value c among the m_u of item u, n_c of them in all and n altogether, the coincidences are
o_ck = sum_u n_uc (n_uk - [c = k]) / (m_u - 1), and alpha = 1 - (n - 1) sum o_ck d_ck / sum n_c n_k d_ck.
"""

from __future__ import annotations

import functools
from typing import Any, Literal

import numpy as np

from metrics.agreement.value_counts import Units
from metrics.data.arrays import Floats, Ints

Level = Literal["nominal", "ordinal", "interval", "ratio"]
RATIO_CELLS = 1 << 22
FEW_VALUES = 16  # up to here the pairs of values are fewer than the patterns of items


def alpha_value(units: Units, level: Level) -> float | None:
    """Alpha of the items themselves; None where nothing varies."""
    alpha = float(compute_alphas(units, units.times[None, :].astype(np.float64), level)[0])
    return None if np.isnan(alpha) else alpha


def compute_alphas(units: Units, times: Floats, level: Level) -> Floats:
    """(B,) alpha of each row of (B, P) occurrences; NaN, for the caller to take out, where nothing varies."""
    if len(units.values) <= FEW_VALUES and isinstance(units.counts, np.ndarray):
        # One product of matrices does it all: on a busy machine each one that is spread over threads may wait.
        sums = times @ np.column_stack((units.counts, count_pairs(units.counts, units.sizes)))
        return alphas_of_sums(units.values, sums, level, _unit_scale(units))
    return _alphas(*_by_moments(units, times, level))


def _alphas(totals: Floats, observed: Floats, expected: Floats) -> Floats:
    n = totals.sum(axis=1)
    varied = (totals > 0).sum(axis=1) > 1
    computed = np.full(len(totals), np.nan)
    computed[varied] = 1 - (n[varied] - 1) * observed[varied] / expected[varied]
    return computed


def count_pairs(counts: Floats, sizes: Floats) -> Floats:
    """(P, V (V - 1) / 2) coincidences of each two values in items with (P, V) counts and (P,) sizes of 2 or more."""
    a, b = _pairs_of(counts.shape[1])
    return np.asarray(counts[:, a] * counts[:, b] * (2 / (sizes - 1))[:, None])


def alphas_of_sums(values: Floats, sums: Floats, level: Level, scale: Floats) -> Floats:
    """(B,) alpha from (B, V + V (V - 1) / 2) ratings of each value and coincidences of each two; NaN as above.

    scale: (V,) the values, moved and stretched in any way.
    """
    v = len(values)
    a, b = _pairs_of(v)
    totals = sums[:, :v]
    difference: Any
    if level == "ordinal":
        ranks = _midranks(totals)
        difference = (ranks[:, a] - ranks[:, b]) ** 2
    elif level == "interval":
        difference = (scale[a] - scale[b]) ** 2
    else:
        difference = np.ones(len(a)) if level == "nominal" else _ratio_differences(values)[a, b]
    observed = (sums[:, v:] * difference).sum(axis=1)
    return _alphas(totals, observed, 2 * (totals[:, a] * totals[:, b] * difference).sum(axis=1))


@functools.cache
def _pairs_of(values: int) -> tuple[Ints, Ints]:
    a, b = np.triu_indices(values, 1)
    return a, b


def _by_moments(units: Units, times: Floats, level: Level) -> tuple[Floats, Floats, Floats]:
    """Ratings of each value (B, V), and the two sums (B,); a table of all pairs of values for ratio only."""
    totals = np.asarray(times @ units.counts)
    n = totals.sum(axis=1)
    if level == "ordinal":
        # A difference of midranks is a difference on the interval scale.
        ranks = _midranks(totals)
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
    return totals, observed, expected


def _midranks(totals: Floats) -> Floats:
    """(B, V) midranks of the values, over the number of ratings, about 0."""
    n = totals.sum(axis=1, keepdims=True)
    return np.asarray((np.cumsum(totals, axis=1) - totals / 2) / np.maximum(n, 1) - 0.5)


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
