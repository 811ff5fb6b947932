"""Ratings checked once and stored as arrays: who gave which item which number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from metrics.data.arrays import Ints, Numbers
from metrics.data.items import LARGEST
from metrics.errors import BadInput, InsufficientData, join_names
from metrics.types import Rating

CELLS_PER_RATING = 64  # of a table of items by raters, up to which a table beats sorting

Names = Sequence[Any] | NDArray[Any]


@dataclass(frozen=True, slots=True)
class Ratings:
    """N ratings. item, rater: (N,) codes 0.. into `items` and `raters`; value: (N,) int64 or float64, finite."""

    item: Ints
    rater: Ints
    value: Numbers
    items: Sequence[Any]
    raters: Sequence[Any]

    def __len__(self) -> int:
        return len(self.value)


def lay_out(item: Names, rater: Names, value: Names, *, repeats: bool = False) -> Ratings:
    """Codes for items and raters, in the order in which they first occur (whole numbers in arrays: ascending).

    item, rater: (N,) names or whole numbers. value: (N,) finite numbers between -1e100 and 1e100.
    repeats: a rater may rate an item more than once. Raises InsufficientData without a rating, BadInput.
    """
    if not len(item) == len(rater) == len(value):
        raise BadInput(f"item, rater and value have {len(item)}, {len(rater)} and {len(value)} entries, not one number")
    if not len(value):
        raise InsufficientData("There is no rating.")
    numbers = _numbers(value)
    item_code, items = encode_names(item)
    rater_code, raters = encode_names(rater)
    if not repeats:
        refuse_repeats(item_code, rater_code, items, raters)
    return Ratings(item_code, rater_code, numbers, items, raters)


def of_records(ratings: Iterable[Rating], *, repeats: bool = False) -> Ratings:
    """The same from records. Raises as `lay_out`."""
    listed = list(ratings)
    values = [float(rating.value) for rating in listed]
    return lay_out([rating.item for rating in listed], [rating.rater for rating in listed], values, repeats=repeats)


def in_content_order(ratings: Ratings, *columns: Numbers) -> tuple[Ratings, Ints]:
    """The same ratings in an order that neither raters' names nor the order of rows change, for what is resampled.

    Items come in the order of their names, raters in the order of what they rated and how: raters who rated alike are
    interchangeable. columns: (N,) further numbers of each rating. Returns the ratings, and which rating (N,) each was.
    """
    items_order = _sorted_names(ratings.items)
    items = _positions(items_order)
    cells = [items[ratings.item], *(np.unique(each, return_inverse=True)[1] for each in (ratings.value, *columns))]
    order = np.lexsort((*reversed(cells), ratings.rater))
    # Whole numbers of at least 0 are ordered as their bytes are, the largest byte first.
    table = np.column_stack([cell[order] for cell in cells]).astype(">i8")
    ends = np.cumsum(np.bincount(ratings.rater, minlength=len(ratings.raters)))
    contents = [rows.tobytes() for rows in np.split(table, ends[:-1])]
    raters_order = sorted(range(len(contents)), key=contents.__getitem__)
    raters = _positions(raters_order)
    order = np.lexsort((*reversed(cells), raters[ratings.rater]))
    changed = Ratings(
        item=items[ratings.item][order],
        rater=raters[ratings.rater][order],
        value=ratings.value[order],
        items=tuple(ratings.items[at] for at in items_order),
        raters=tuple(ratings.raters[at] for at in raters_order),
    )
    return changed, order


def _sorted_names(names: Sequence[Any]) -> Sequence[int]:
    """Places of the names in ascending order; names of several types are ordered as they are printed."""
    try:
        return sorted(range(len(names)), key=names.__getitem__)
    except TypeError:
        return sorted(range(len(names)), key=lambda at: repr(names[at]))


def _positions(order: Sequence[int]) -> Ints:
    """New place of each old one."""
    places = np.empty(len(order), dtype=np.int64)
    places[np.asarray(order, dtype=np.int64)] = np.arange(len(order))
    return places


def encode_names(names: Names) -> tuple[Ints, Sequence[Any]]:
    """Codes 0.. and the name of each code. Dense whole numbers in an array are read without sorting."""
    if isinstance(names, np.ndarray) and names.dtype.kind in "iu" and names.size:
        return _encode_integers(names)
    listed = names.tolist() if isinstance(names, np.ndarray) else list(names)
    table = {name: code for code, name in enumerate(dict.fromkeys(listed))}
    return np.fromiter((table[name] for name in listed), dtype=np.int64, count=len(listed)), tuple(table)


def _encode_integers(names: NDArray[Any]) -> tuple[Ints, Sequence[Any]]:
    low, high = int(names.min()), int(names.max())
    if high - low > 4 * len(names) + 1000:
        distinct, code = np.unique(names, return_inverse=True)
        return code.astype(np.int64), tuple(distinct.tolist())
    shifted = names.astype(np.int64)
    if low:
        shifted -= low
    present = np.bincount(shifted) > 0
    if present.all():
        return shifted, range(low, high + 1)
    return (np.cumsum(present) - 1)[shifted], tuple((np.flatnonzero(present) + low).tolist())


def _numbers(value: Names) -> Numbers:
    array = np.asarray(value)
    if array.ndim != 1:
        raise BadInput("values form one column", column="value")
    if array.dtype.kind in "iu":
        return array.astype(np.int64)
    if array.dtype.kind in "USmM":
        raise _no_number(value)
    try:
        array = array.astype(np.float64)
    except (TypeError, ValueError):
        raise _no_number(value) from None
    bad = ~np.isfinite(array) | (np.abs(array) > float(LARGEST))
    if bad.any():
        rule = "a rating is a finite number between -1e100 and 1e100"
        raise BadInput(rule, where=f"rating {int(np.argmax(bad)) + 1}", column="value")
    return array


def _no_number(value: Names) -> BadInput:
    """An error that names the first rating that is no number, counted from 1."""
    for at, rating in enumerate(value, 1):
        try:
            if isinstance(rating, str | bytes | np.datetime64 | np.timedelta64):
                raise TypeError
            float(cast(Any, rating))
        except (TypeError, ValueError):
            return BadInput(f"a rating is a number, not {rating!r}", where=f"rating {at}", column="value")
    return BadInput("a rating is a number", column="value")


def refuse_repeats(item: Ints, rater: Ints, items: Sequence[Any], raters: Sequence[Any]) -> None:
    """Raise BadInput where a rater rates an item again, naming them. item, rater: (N,) codes into the names."""
    pair = item * len(raters) + rater
    if len(items) * len(raters) <= CELLS_PER_RATING * len(pair):
        seen = np.zeros(len(items) * len(raters), dtype=np.bool_)
        seen[pair] = True
        if np.count_nonzero(seen) == len(pair):
            return
    ordered = np.sort(pair)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(twice):
        return
    named = join_names(f"{raters[p % len(raters)]} on {items[p // len(raters)]}" for p in dict.fromkeys(twice.tolist()))
    raise BadInput(f"a rater rates an item once, and these rate it again: {named}", column="rater")
