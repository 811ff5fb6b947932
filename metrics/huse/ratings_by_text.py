"""Ratings as arrays, text by text, so that they can be resampled: curves, rater components, equal numbers of raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from metrics.data.arrays import Bools, Floats, Ints, common_numerators, integer_array
from metrics.data.human_judgment import sum_ratings
from metrics.errors import BadInput, InsufficientData, MissingHJ
from metrics.types import Item, Rating

HJ_TOLERANCE = 1e-6  # an HJ written as a decimal may differ from the mean of its ratings by rounding, not by more


@dataclass(frozen=True)
class Rated:
    """Ratings of some texts: row t holds the ratings of text t, as whole numbers in one unit, in `counts[t]` columns.

    values: (texts, most ratings), 0 beyond a text's count. rater: numbers of the raters, -1 beyond. counts: (texts,).
    denominator: values / denominator are the ratings as given.
    """

    values: Ints
    rater: Ints
    counts: Ints
    denominator: int
    raters: int

    @property
    def fewest(self) -> int:
        """Ratings of the text that has the fewest."""
        return int(self.counts.min())

    @property
    def equal(self) -> bool:
        """Whether all texts have as many."""
        return bool((self.counts == self.counts[0]).all())

    def drawn_sums(self, ratings: int, rng: np.random.Generator, draws: int) -> Ints:
        """Sums of `ratings` ratings of each text, drawn without replacement: (draws, texts)."""
        key = rng.random((draws, *self.values.shape))
        key[:, self.rater < 0] = 2.0
        chosen = np.argpartition(key, ratings - 1, axis=2)[:, :, :ratings]
        return np.asarray(np.take_along_axis(self.values[None], chosen, axis=2).sum(axis=2))

    def means(self) -> Floats:
        """HJ of each text in the unit of `values`."""
        return np.asarray(self.values.sum(axis=1) / self.counts)

    def split_raters(self, z: Bools, rng: np.random.Generator, splits: int) -> tuple[Bools, Bools]:
        """Two masks (splits, raters + 1): the raters in two halves, each half of those who saw references only, model
        texts only, or both (z: (texts,) True for reference). An odd one out falls on either side by lot. The last
        column, where there is no rating, is False."""
        seen = [np.bincount(self.rater[side][self.rater[side] >= 0], minlength=self.raters) > 0 for side in (z, ~z)]
        kind = seen[0] + 2 * seen[1]
        first = np.zeros((splits, self.raters + 1), dtype=np.bool_)
        for group in np.unique(kind):
            members = np.flatnonzero(kind == group)
            rank = rng.random((splits, len(members))).argsort(axis=1).argsort(axis=1)
            first[:, members] = 2 * rank + rng.integers(0, 2, (splits, 1)) < len(members)
        second = ~first
        second[:, -1] = False
        return first, second

    def means_of(self, chosen: Bools) -> tuple[Floats, Ints]:
        """HJ over the chosen raters (draws, raters + 1), 0 where none is left, and the ratings behind it: (draws,
        texts)."""
        is_chosen = chosen[:, self.rater]
        counts = is_chosen.sum(axis=2)
        return np.where(is_chosen, self.values, 0).sum(axis=2) / np.maximum(counts, 1), counts


def lay_out(items: Sequence[Item], ratings: Sequence[Rating]) -> Rated:
    """Ratings of `items` in their order; ratings of other texts are left aside.

    Raises BadInput (a rater twice on a text, a rating that is not a number, an HJ that is not the mean of the ratings)
    and MissingHJ (a text without a rating), InsufficientData (no text).
    """
    if not items:
        raise InsufficientData("There is no text.")
    text_rows = {item.id: t for t, item in enumerate(items)}
    rated = [rating for rating in ratings if rating.item in text_rows]
    sums = {entry.item: entry for entry in sum_ratings(rated, text_rows)}
    if absent := [name for name in text_rows if not sums[name].count]:
        raise MissingHJ(absent)
    for item in items:
        mean = sums[item.id].total / sums[item.id].count
        if item.hj is not None and abs(float(item.hj - mean)) > HJ_TOLERANCE * max(1.0, abs(float(mean))):
            rule = f"hj is {float(item.hj):g}, and the mean of the item's ratings is {float(mean):g}"
            raise BadInput(rule, where=f"item {item.id}", column="hj")
    exact = (rating.value for rating in rated)
    values = [value if isinstance(value, Fraction) else Fraction(value) for value in exact]
    numerators, denominator = common_numerators(values)
    return _rows(rated, text_rows, integer_array(numerators), denominator)


def with_means(items: Sequence[Item], ratings: Sequence[Rating]) -> list[Item]:
    """The same items with HJ and its count from the ratings. Raises as `lay_out`."""
    rated = lay_out(items, ratings)
    totals, counts = [sum(row) for row in rated.values.tolist()], rated.counts.tolist()
    return [
        replace(item, hj=Fraction(total, rated.denominator * count), ratings=count)
        for item, total, count in zip(items, totals, counts, strict=True)
    ]


def _rows(rated: Sequence[Rating], text_rows: Mapping[str, int], numerators: Ints, denominator: int) -> Rated:
    text = np.array([text_rows[rating.item] for rating in rated], dtype=np.int64)
    rater = _numbered(rated, text, numerators)
    counts = np.bincount(text, minlength=len(text_rows))
    order = np.lexsort((rater, text))
    column = np.arange(len(rated)) - np.repeat(np.cumsum(counts) - counts, counts)
    values = np.zeros((len(text_rows), int(counts.max())), dtype=numerators.dtype)
    raters = np.full(values.shape, -1, dtype=np.int64)
    values[text[order], column] = numerators[order]
    raters[text[order], column] = rater[order]
    return Rated(values, raters, counts, denominator, int(rater.max()) + 1)


def _numbered(rated: Sequence[Rating], text: Ints, numerators: Ints) -> Ints:
    """Raters by what they rated, and how: the same numbers whatever they are called and in whatever order they come."""
    rated_by: dict[str, list[tuple[int, int]]] = {}
    for rating, t, value in zip(rated, text.tolist(), numerators.tolist(), strict=True):
        rated_by.setdefault(rating.rater, []).append((t, value))
    ordered = sorted(rated_by, key=lambda name: sorted(rated_by[name]))
    numbers = {name: number for number, name in enumerate(ordered)}
    return np.array([numbers[rating.rater] for rating in rated], dtype=np.int64)
