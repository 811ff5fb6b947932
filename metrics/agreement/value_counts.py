"""Items reduced to how often each value was given, and resamples of items drawn from those counts.

Krippendorff's alpha depends on an item through its value counts alone, so items with the same counts are one pattern
with a number of occurrences: resampling items is drawing multinomial counts over patterns.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics.compiled import switch
from metrics.data.arrays import Floats, Ints, Numbers

EXACT = 2.0**53  # whole numbers up to here are exact in float64
DENSE_CELLS = 1 << 22
BATCH_CELLS = 1 << 20
THREADED_CELLS = 1 << 18
RARE = 8  # patterns of so few items are drawn item by item: cheaper than a Poisson count each
SLACK = 1.5  # standard deviations that a sum of Poisson counts stays below the number of items, on average
SMALL_RANGE = 16
KEYS_PER_RATING = 0.5
WORTH_COMPILING = 1e8  # ratings that numpy takes a third of a second for
LOOPED = (np.dtype(np.int8), np.dtype(np.int64))  # codes that the loop is compiled for


@dataclass(frozen=True, slots=True)
class Units:
    """Items with at least two ratings. P patterns, V distinct values.

    values: (V,) ascending, some perhaps never given. counts: (P, V) how often each value was given, an array of
    float64 or a sparse matrix. sizes: (P,) ratings of one item. times: (P,) items of the pattern, descending.
    single: items skipped for want of a second rating.
    """

    values: Floats
    counts: Any
    sizes: Floats
    times: Ints
    single: int

    @property
    def items(self) -> int:
        """Items behind all patterns."""
        return int(self.times.sum())


def count_values(item: Ints, value: Numbers) -> Units:
    """Value counts by item. item: (N,) codes 0.. ; value: (N,) finite. N >= 1; nothing is validated."""
    code, values = _levels(value)
    packed = _count_packed(item, code, len(values))
    if packed is None:
        packed = _count_cells(item, code, len(values))
    counts, times = packed
    sizes = np.asarray(counts.sum(axis=1))
    single = int(times[sizes == 1].sum())
    pairable = np.flatnonzero(sizes > 1)
    order = pairable[np.argsort(-times[pairable], kind="stable")]
    return Units(values, counts[order], sizes[order], times[order], single)


def _levels(value: Numbers) -> tuple[Numbers, Floats]:
    """Code 0.. of each value, ascending, and the values (where few: every whole number between them too)."""
    if value.dtype.kind in "iu":
        low, high = int(value.min()), int(value.max())
        if high - low < SMALL_RANGE:
            return value - value.min(), np.arange(low, high + 1, dtype=np.float64)  # in the small type they came in
    distinct = np.unique(value)
    return np.searchsorted(distinct, value), distinct.astype(np.float64)


def _count_packed(item: Ints, code: Numbers, values: int) -> tuple[Floats, Ints] | None:
    """Distinct count vectors: an item's counts are the digits of one number. None where the digits do not fit."""
    return _counted_keys(item, code, values) or _sorted_keys(item, code, values)


def _counted_keys(item: Ints, code: Numbers, values: int) -> tuple[Floats, Ints] | None:
    """With digits so small that there are few numbers, which are counted."""
    base = math.floor((KEYS_PER_RATING * len(code)) ** (1 / values))
    if base < 2:
        return None
    seen = _times_of_keys(item, code, base, values)
    if seen is None:
        return None
    keys = np.flatnonzero(seen)
    return _unpacked(keys.astype(np.float64), seen[keys], base, values, len(code))


def _times_of_keys(item: Ints, code: Numbers, base: int, values: int) -> Ints | None:
    """How often each number below base ** values occurs. None where one is larger."""
    limit = base**values
    loops = switch.get_kernels(len(code) / WORTH_COMPILING)
    if loops and item.dtype == np.int64 and code.dtype in LOOPED and item.min() >= 0:
        kernels: Any = importlib.import_module("metrics.worker_models.kernels")
        counts = kernels.packed_counts(item, int(item.max()), code, base ** np.arange(values), limit)
        return counts if len(counts) else None
    packed = np.bincount(item, weights=(float(base) ** np.arange(values)).take(code))
    return np.bincount(packed.astype(np.int64)) if packed.max() < limit else None


def _sorted_keys(item: Ints, code: Numbers, values: int) -> tuple[Floats, Ints] | None:
    """With digits as large as float64 holds; the numbers are sorted."""
    base = math.floor(EXACT ** (1 / values))
    packed = np.bincount(item, weights=(float(base) ** np.arange(values)).take(code))
    if base < 2 or packed.max() >= EXACT:
        return None
    return _unpacked(*_distinct(packed.astype(np.float64, copy=False)), base, values, len(code))


def _unpacked(keys: Floats, times: Ints, base: int, values: int, ratings: int) -> tuple[Floats, Ints] | None:
    """The digits of each number. A count that reaches the base carries, and the digits then sum to too little."""
    counts = np.floor(keys[:, None] / float(base) ** np.arange(values)) % base
    return (counts, times) if times @ counts.sum(axis=1) == ratings else None


def _distinct(keys: Floats) -> tuple[Floats, Ints]:
    """Distinct numbers, ascending, and how often each occurs."""
    ordered = np.sort(keys)
    first = np.append(0, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)
    return ordered[first], np.diff(first, append=len(ordered))


def _count_cells(item: Ints, code: Numbers, values: int) -> tuple[Any, Ints]:
    """One pattern for each item."""
    items = int(item.max()) + 1
    times = np.ones(items, dtype=np.int64)
    if items * values <= DENSE_CELLS:
        flat = np.bincount(item * values + code, minlength=items * values)
        return flat.reshape(items, values).astype(np.float64), times
    from scipy.sparse import coo_array

    return coo_array((np.ones(len(item)), (item, code)), shape=(items, values)).tocsr(), times


def resample_items(units: Units, draws: int, rng: np.random.Generator, measure: Callable[[Floats], Floats]) -> Floats:
    """measure of resamples: items drawn with replacement, as many as there are.

    measure: from (B, P) occurrences of each pattern to (B, ...). Returns (draws, ...). Batches have generators of
    their own, so that threads change nothing.
    """
    cells = draws * len(units.times)
    coarse = cells > THREADED_CELLS
    batches = min(draws, max(-(-cells // BATCH_CELLS), switch.THREADS if coarse else 1))
    sizes = [draws * (part + 1) // batches - draws * part // batches for part in range(batches)]
    streams = rng.spawn(batches) if batches > 1 else [rng]

    def work(part: int) -> Floats:
        return measure(_draw(units.times, sizes[part], streams[part]))

    return np.concatenate(switch.in_parts(work, range(batches), coarse))


def _draw(times: Ints, draws: int, rng: np.random.Generator) -> Floats:
    """(draws, P) multinomial counts, exactly so.

    Independent Poisson counts, given their sum, are multinomial: they are drawn for a little fewer items than there
    are (drawn again where the sum exceeds them), and the missing items one by one. Rare patterns share one Poisson
    count, handed out item by item.
    """
    total = int(times.sum())
    common = int((times > RARE).sum())  # the first ones: patterns come in descending order
    means = np.append(times[:common], times[common:].sum()) * max(0.0, 1 - SLACK / np.sqrt(total))
    drawn = rng.poisson(means, size=(draws, len(means)))
    while len(over := np.flatnonzero(drawn.sum(axis=1) > total)):
        drawn[over] = rng.poisson(means, size=(len(over), len(means)))
    out = _hand_out(times, total - drawn.sum(axis=1), rng)
    out[:, :common] += drawn[:, :-1]
    out[:, common:] += _hand_out(times[common:], drawn[:, -1], rng)
    return out


def _hand_out(times: Ints, items: Ints, rng: np.random.Generator) -> Floats:
    """(B, P) counts of samples of items, (B,) many, each drawn independently."""
    owner = np.repeat(np.arange(len(times)), times)
    if not len(owner):
        return np.zeros((len(items), len(times)))
    cell = owner[rng.integers(0, len(owner), size=int(items.sum()))]
    cell += np.repeat(np.arange(len(items)) * len(times), items)
    return np.bincount(cell, minlength=len(items) * len(times)).reshape(len(items), -1).astype(np.float64)
