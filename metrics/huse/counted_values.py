"""HUSE by one feature of whole numbers in a narrow range, as sums of a few ratings are: from how often each occurs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.data.arrays import Bools, Floats, Ints


def count_values(x: NDArray[Any], values: range, chosen: Bools | None = None) -> Ints:
    """(sets, values): how many of each row's whole numbers are each of `values`. chosen: the texts to count."""
    cells = x.astype(np.int64)
    cells += (np.arange(len(x)) * len(values) - values.start)[:, None]
    counted = cells.ravel() if chosen is None else cells[chosen]
    return np.bincount(counted, minlength=len(x) * len(values)).reshape(len(x), len(values))


def counted_line_values(references: Ints, models: Ints, k: int, tie: int) -> Floats:
    """`line_values` (sets,) from counts (sets x values) of each source: the same numbers, without a sort.

    Texts of one value share their neighbours: all within the smallest window about it that holds k others.
    """
    n_ref, n_model = references.sum(axis=1), models.sum(axis=1)
    reference, model = _nearest(references, models, k)
    balance = reference * n_model[:, None] - model * n_ref[:, None]
    # A text has no vote of its own, which a reference's would be worth as many as there are models.
    missed = (_misses(balance - n_model[:, None], 1, tie) * references).sum(axis=1) / n_ref
    missed += (_misses(balance + n_ref[:, None], -1, tie) * models).sum(axis=1) / n_model
    return np.where(np.count_nonzero(references + models, axis=1) == 1, 1.0, missed)


def _nearest(references: Ints, models: Ints, k: int) -> tuple[Ints, Ints]:
    """References and models among the nearest of each value, its own texts included; 0 where it has none."""
    sets, values = references.shape
    sums = np.zeros((2, sets, values + 1), dtype=np.int64)
    np.cumsum(references, axis=1, out=sums[0, :, 1:])
    np.cumsum(models, axis=1, out=sums[1, :, 1:])
    both = sums.sum(axis=0)
    nearest = np.zeros((2, sets, values), dtype=np.int64)
    rows, at = np.nonzero(references + models)
    for reach in range(values):
        low, high = np.maximum(at - reach, 0), np.minimum(at + reach, values - 1) + 1
        holds = both[rows, high] - both[rows, low] > k
        done = rows[holds], at[holds]
        nearest[:, *done] = sums[:, done[0], high[holds]] - sums[:, done[0], low[holds]]
        rows, at = rows[~holds], at[~holds]
        if not len(rows):
            break
    return nearest[0], nearest[1]


def _misses(lead: Ints, source: int, tie: int) -> Floats:
    """How far a vote for the source with this lead is a miss: 0, 1, or half where a tie is nobody's."""
    return np.asarray((1 - source * np.where(lead == 0, tie, np.sign(lead))) / 2)
