"""Items checked once and stored as arrays; all later code trusts them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from metrics.data.arrays import Bools, Floats, Ints, Numbers, common_numerators, integer_array
from metrics.errors import BadInput, InsufficientData, MissingLogProb, SingleSource, join_names, nothing_left
from metrics.types import MODEL, REFERENCE, Item, Missing

LOG_PROB_TOLERANCE = 1e-6  # a log-probability may exceed 0 by rounding, not by more
LARGEST = 10**100  # beyond, squares of floats overflow
LONGEST = 10**9


@dataclass(frozen=True)
class Table:
    """Checked items, column by column. `sign` is +1 for reference, -1 for model; HJ is over one denominator."""

    items: tuple[Item, ...]
    hj_numerators: tuple[int, ...]
    hj_denominator: int
    log_prob: Floats
    length: Ints
    sign: Ints
    exact: bool
    dropped: Mapping[str, int]
    flags: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def q(self) -> Floats:
        """Log-probability per unit of length (natural log; -inf stays)."""
        return np.asarray(self.log_prob / self.length)

    @cached_property
    def hj_integers(self) -> Numbers:
        """The numerators as an array."""
        return integer_array(self.hj_numerators)

    @cached_property
    def z(self) -> Bools:
        """Whether an item is a reference."""
        return np.asarray(self.sign > 0)

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """How many references and how many model items."""
        references = int(np.count_nonzero(self.z))
        return references, len(self.items) - references

    @cached_property
    def infinite(self) -> Bools:
        """Which log-probabilities are -inf."""
        return np.asarray(self.log_prob == -np.inf)

    @cached_property
    def any_infinite(self) -> bool:
        """Whether one is."""
        return bool(self.infinite.any())


def check_items(
    items: Sequence[Item], *, k: int, missing: Missing = "error", removed: Mapping[str, int] | None = None
) -> Table:
    """Check every rule of HUSE's input and lay the kept items out as arrays.

    Raises BadInput, MissingLogProb, InsufficientData or SingleSource.
    """
    if k < 1:
        raise BadInput("k must be a whole number of at least 1", column="k")
    if missing not in ("error", "drop_pair", "quality_only"):
        raise BadInput("missing must be 'error', 'drop_pair' or 'quality_only'", column="missing")
    items = list(items)
    _check_ids(items)
    remaining, dropped = _drop_missing(items, missing)
    if not remaining:
        raise nothing_left("item", {**dropped, **(removed or {})})
    table = _columns(remaining, dropped)
    _check_columns(table)
    _check_enough(table, k, removed)
    return table


def leave_out_log_prob(items: Sequence[Item]) -> list[Item]:
    """Return the same items with a constant log p, for HUSE-Q, which does not look at it."""
    return [replace(item, log_prob=-1.0, length=1) for item in items]


def _check_ids(items: Sequence[Item]) -> None:
    if len({item.id for item in items}) < len(items):
        twice = [name for name, count in Counter(item.id for item in items).items() if count > 1]
        raise BadInput(
            f"each item needs an id of its own, and these occur more than once: {join_names(twice)}", column="id"
        )


def _drop_missing(items: Sequence[Item], missing: Missing) -> tuple[list[Item], dict[str, int]]:
    """Drop items without HJ (counted); reject items without log p, or drop their contexts where asked."""
    dropped: dict[str, int] = {}
    rated = [item for item in items if item.hj is not None]
    if len(rated) < len(items):
        dropped["missing_hj"] = len(items) - len(rated)
    without = [item for item in rated if item.log_prob is None]
    if missing != "drop_pair":
        if without:
            raise MissingLogProb(item.id for item in without)
        return rated, dropped
    return _drop_pairs(items, rated, dropped)


def _drop_pairs(
    items: Sequence[Item], rated: Sequence[Item], dropped: dict[str, int]
) -> tuple[list[Item], dict[str, int]]:
    broken = {item.context for item in items if item.hj is None or item.log_prob is None} - {None}
    remaining = [item for item in rated if item.log_prob is not None and item.context not in broken]
    lost = {item.context for item in rated if item.context in broken}
    if len(remaining) < len(rated):
        dropped["drop_pair"] = len(rated) - len(remaining)
        dropped["drop_pair_contexts"] = len(lost)
    return remaining, dropped


def _columns(items: Sequence[Item], dropped: Mapping[str, int]) -> Table:
    try:
        log_prob = np.array([item.log_prob for item in items], dtype=np.float64)
        length = np.array([item.length for item in items])
    except (TypeError, ValueError):
        raise BadInput("log_prob and length must be numbers", column="log_prob, length") from None
    sources = [item.source for item in items]
    strange = set(sources) - {REFERENCE, MODEL}
    if strange:
        item = next(item for item in items if item.source in strange)
        raise BadInput(
            f"source must be 'reference' or 'model', not {item.source!r}", where=f"item {item.id}", column="source"
        )
    sign = np.array([1 if source == REFERENCE else -1 for source in sources], dtype=np.int64)
    flags = tuple(name for name in ("missing_hj", "drop_pair") if dropped.get(name))
    exact = all(item.exact for item in items)
    numerators, denominator = common_numerators([_hj(item) for item in items])
    return Table(tuple(items), tuple(numerators), denominator, log_prob, length, sign, exact, dropped, flags)


def _hj(item: Item) -> Fraction:
    """The item's HJ as a Fraction; plain integers pass, floats must say so by `exact=False`."""
    value = item.hj
    if type(value) is Fraction:
        return value
    if isinstance(value, int) or (isinstance(value, float) and not item.exact and math.isfinite(value)):
        return Fraction(value)
    raise BadInput("hj must be a finite Fraction (a float only with exact=False)", where=f"item {item.id}", column="hj")


def _check_columns(table: Table) -> None:
    lp, length = table.log_prob, table.length
    rules = (
        (~(np.isfinite(lp) | (lp == -np.inf)), "log_prob", "a log-probability is a finite number or -inf"),
        (lp > LOG_PROB_TOLERANCE, "log_prob", "a log-probability cannot be above 0"),
        (np.isfinite(lp) & (lp < -LARGEST), "log_prob", "a log-probability below -1e100 must be written as -inf"),
    )
    for broken, column, rule in rules:
        if broken.any():
            raise BadInput(rule, where=f"item {table.items[int(np.argmax(broken))].id}", column=column)
    if length.dtype.kind not in "iu" or (length < 1).any() or (length > LONGEST).any():
        bad = next((item for item in table.items if not _is_length(item.length)), table.items[0])
        raise BadInput("length must be a whole number from 1 to 1e9", where=f"item {bad.id}", column="length")
    if max(map(abs, table.hj_numerators)) > LARGEST * table.hj_denominator:
        bad = next(item for item in table.items if abs(_hj(item)) > LARGEST)
        raise BadInput("hj must lie between -1e100 and 1e100", where=f"item {bad.id}", column="hj")


def _is_length(value: object) -> bool:
    return isinstance(value, int | np.integer) and 1 <= int(value) <= LONGEST


def _check_enough(table: Table, k: int, removed: Mapping[str, int] | None) -> None:
    references, models = table.sizes
    hint = str(nothing_left("item", removed)) if removed and not (references and models) else ""
    if not references or not models:
        only, other = (MODEL, REFERENCE) if models else (REFERENCE, MODEL)
        raise SingleSource(
            f"HUSE compares two sources, and all {len(table)} items are {only}: no {other} item. {hint}".strip()
        )
    if min(references, models) < 2:
        raise InsufficientData(f"HUSE needs 2 items of each source; there are {references} reference, {models} model.")
    if len(table) - 1 < k:
        raise InsufficientData(
            f"HUSE with k={k} needs at least {k + 1} items, and there are {len(table)}; choose an odd k of at most "
            f"{largest_odd(len(table) - 1)} or rate more texts."
        )


def largest_odd(n: int) -> int:
    """The largest odd number up to n: with an odd k fewer votes tie."""
    return n if n % 2 else n - 1
