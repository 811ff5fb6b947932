"""Sensitivity of HUSE to exclusion rules: every selection of rules, with random removals of the same size.

HUSE falls with the number of ratings per text, and removing any ratings at all moves it: a selection is therefore shown
with removals of as many ratings of each text at random, and once more with every text on one common number of
ratings (method, 2.5 (vi)). Selections by agreement with the other raters are circular.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from metrics.data.arrays import Bools, Floats, Ints
from metrics.data.items import check_items, leave_out_log_prob
from metrics.errors import BadInput
from metrics.huse.estimate import evaluate
from metrics.huse.ratings_by_text import Rated, lay_out, with_means
from metrics.huse.subsets import Study, diversity
from metrics.inference.specification_curve import (
    Exclusions,
    Measure,
    Specification,
    list_selections,
    random_removal,
    summarize_specifications,
    union_mask,
    units_mask,
)
from metrics.types import Estimate, HuseResult, Item, Missing, Rating

FEWEST = 5  # ratings per text, below which nothing is equalised
MIN_DRAWS = 20  # of an interval
CELLS = 1 << 22


def exclusion_sensitivity(
    items: Sequence[Item],
    ratings: Sequence[Rating],
    rules: Mapping[str, Collection[str]],
    *,
    measure: Measure = "huse",
    k: int = 16,
    draws: int = 200,
    seed: int = 0,
    level: float = 0.95,
    missing: Missing = "error",
    alone: Collection[str] = (),
    reported: Collection[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Exclusions:
    """HUSE (or HUSE-Q) with no rule, each rule alone, and all selections of up to 8 rules (beyond: 256 seeded ones).

    items: as for `evaluate`; HJ is taken from the ratings. rules: by name, the units (`Rating.unit`, an assignment)
    each excludes; a selection excludes the union. draws: random removals for each specification, draws of
    each equalisation, and half-samples (at least 20) of each specification's interval. level: of the intervals.
    alone: rules that are joined with no other. reported: units that the applied rules exclude; `reported` of
    the result is then what they leave. progress: called with how many specifications of how many are done. Values are
    those of exact ties. Flags: `text_without_ratings` (a selection leaves a text none), `not_equalised` (one leaves
    fewer than 5 on a text). Raises as `evaluate` and `lay_out`, BadInput.
    """
    _check(measure, draws, seed)
    by_unit, names, judged = lay_out_units(items, ratings, measure=measure, k=k, missing=missing)
    chosen, how = list_selections(tuple(rules), tuple(alone), seed)
    masks = {rule: units_mask(names, excluded_units) for rule, excluded_units in rules.items()}
    every = evaluate(judged, ["exact"], k=k, seed=seed, level=level)["exact"]
    headline: Estimate = getattr(every, measure)
    work = _Work(by_unit, judged, every, draws, seed, level)
    left = [by_unit.left(union_mask(masks, selection, len(names))) for selection in chosen]
    usable = [fewest for *_, fewest in left if fewest >= FEWEST]
    common = min(usable) if usable else None
    specifications = tuple(_each(work, chosen, left, common, progress))
    held = None
    if reported is not None:
        held = work.specification(("as reported",), by_unit.left(units_mask(names, reported)), common)
    return summarize_specifications(
        measure,
        headline,
        specifications,
        common=common,
        subsets=how,
        settings={"k": k, "draws": draws, "seed": seed},
        flags=_flags(specifications),
        reported=held,
    )


def _flags(specifications: Sequence[Specification]) -> tuple[str, ...]:
    named = {
        "text_without_ratings": any(specification.value is None for specification in specifications),
        "not_equalised": any(selection.equalised is None for selection in specifications),
    }
    return tuple(name for name, holds in named.items() if holds)


def _each(
    work: _Work,
    selections: Sequence[tuple[str, ...]],
    left: Sequence[Left],
    common: int | None,
    progress: Callable[[int, int], None] | None,
) -> Iterator[Specification]:
    for done, (chosen, remaining) in enumerate(zip(selections, left, strict=True), 1):
        yield work.specification(chosen, remaining, common)
        if progress:
            progress(done, len(selections))


def _check(measure: str, draws: int, seed: int) -> None:
    if measure not in ("huse", "huse_q"):
        raise BadInput("a measure is 'huse' or 'huse_q'", column="measure")
    if draws < 1 or seed < 0:
        raise BadInput("draws are at least 1, a seed at least 0")


def lay_out_units(
    items: Sequence[Item], ratings: Sequence[Rating], *, measure: Measure, k: int = 16, missing: Missing = "error"
) -> tuple[UnitRatings, list[str], Sequence[Item]]:
    """Ratings as arrays by unit, the units' names, and the items with HJ of all ratings. Raises as
    `exclusion_sensitivity`."""
    judged = with_means(items, ratings)
    blank = measure == "huse_q" and missing == "quality_only" and any(item.log_prob is None for item in judged)
    table = check_items(leave_out_log_prob(judged) if blank else judged, k=k, missing=missing)
    rated = lay_out(table.items, ratings)
    unit, names = _units(table.items, ratings, rated)
    by_unit = UnitRatings(rated.values, unit, table.q, table.z, measure, rated.denominator, k)
    return by_unit, names, table.items


def _units(items: Sequence[Item], ratings: Sequence[Rating], rated: Rated) -> tuple[Ints, list[str]]:
    """The unit of each rating, (texts, most) numbers, -1 beyond a text's ratings; and the units' names."""
    place = {item.id: t for t, item in enumerate(items)}
    names = list(dict.fromkeys(rating.unit for rating in ratings if rating.item in place))
    if "" in names:
        raise BadInput("rules exclude assignments, so every rating needs a unit", column="unit")
    number = {name: i for i, name in enumerate(names)}
    of: list[list[tuple[int, int]]] = [[] for _ in items]
    for rating in ratings:
        if rating.item in place:
            scaled = int(rating.value * rated.denominator)
            of[place[rating.item]].append((scaled, number[rating.unit]))
    unit = np.full(rated.values.shape, -1, dtype=np.int64)
    for t, rated_values in enumerate(of):
        # Ratings of one text and one value may change places: what is excluded is the same.
        spare: dict[int, list[int]] = {}
        for value, rated_unit in rated_values:
            spare.setdefault(value, []).append(rated_unit)
        for column, value in enumerate(rated.values[t, : rated.counts[t]].tolist()):
            unit[t, column] = spare[int(value)].pop()
    return unit, names


Left = tuple[Bools, int, int, int]


@dataclass(frozen=True)
class UnitRatings:
    """The ratings of a generator's texts and their references by unit: all that HUSE of any selection is made of.

    values: (texts, most ratings), whole numbers: of one `denominator`, 0 beyond a text's ratings. unit: as many, -1
    beyond. q: (texts,) log p per unit of length. z: (texts,) True for reference.
    """

    values: Ints
    unit: Ints
    q: Floats
    z: Bools
    measure: Measure
    denominator: int
    k: int
    percent: ClassVar[bool] = False

    @property
    def measure_names(self) -> tuple[str, ...]:
        """What `measures_without` returns."""
        return ("HUSE", "HUSE-Q", "HUSE-D") if self.measure == "huse" else ("HUSE-Q",)

    @cached_property
    def has_rating(self) -> Bools:
        """(texts, most ratings)."""
        return np.asarray(self.unit >= 0)

    @cached_property
    def study(self) -> Study:
        """With every rating."""
        return Study(self.values.sum(axis=1) / self.has_rating.sum(axis=1), self.q, self.z, self.k)

    def left(self, out: Bools) -> Left:
        """Which ratings a selection keeps, (texts, most); units and ratings excluded; the fewest left of a text."""
        is_included = self._included(out)
        excluded = int(self.has_rating.sum() - is_included.sum())
        return is_included, int(out.sum()), excluded, int(is_included.sum(axis=1).min())

    def _included(self, out: Bools) -> Bools:
        return np.asarray(self.has_rating & ~out[self.unit])

    def sums(self, is_included: Bools) -> tuple[Ints, Ints]:
        """(texts,) sums and numbers of the ratings that are kept."""
        return np.where(is_included, self.values, 0).sum(axis=1), is_included.sum(axis=1)

    def measures_without(self, out: Bools) -> tuple[float | None, ...]:
        """By name the measures without the units of a selection, (units,); None where a text keeps no rating."""
        sums, counts = self.sums(self._included(out))
        if counts.min() < 1:
            return (None,) * len(self.measure_names)
        both, quality = self.study.rated((sums / counts)[None])
        values = float(both[0]), float(quality[0]), float(diversity(both, quality)[0])
        return values if self.measure == "huse" else values[1:2]


@dataclass(frozen=True)
class _Work:
    by_unit: UnitRatings
    items: Sequence[Item]
    every: HuseResult
    draws: int
    seed: int
    level: float

    def specification(self, chosen: tuple[str, ...], left: Left, common: int | None) -> Specification:
        """The measure on what the chosen rules leave, with random removals; none where a text keeps no rating."""
        is_included, units, excluded, fewest = left
        if fewest < 1:
            return Specification(chosen, units, excluded, fewest, None, None, None, None)
        rng = np.random.default_rng([self.seed, excluded])
        sums, counts = self.by_unit.sums(is_included)
        value = float(self._values((sums / counts)[None])[0])
        among = self.by_unit.has_rating
        random_values = self._values(self._drawn(among, counts, rng)) if excluded else np.array([value])
        as_low = float((random_values <= value).mean())
        equal = None
        if common is not None and fewest >= common:
            equal = float(self._values(self._drawn(is_included, np.full(len(is_included), common), rng)).mean())
        result = self._result(sums, counts) if excluded else self.every
        return Specification(
            chosen,
            units,
            excluded,
            fewest,
            value,
            random_removal(random_values),
            as_low,
            equal,
            getattr(result, self.by_unit.measure).interval,
            result.huse_q,
            result.huse_d,
        )

    def _result(self, sums: Ints, counts: Ints) -> HuseResult:
        """Every measure of these sums of whole values, with its interval."""
        hj = [Fraction(int(s), int(n) * self.by_unit.denominator) for s, n in zip(sums, counts, strict=True)]
        left = [replace(item, hj=value) for item, value in zip(self.items, hj, strict=True)]
        draws = max(MIN_DRAWS, self.draws)
        return evaluate(left, ["exact"], k=self.by_unit.k, seed=self.seed, level=self.level, draws=draws)["exact"]

    def _drawn(self, among: Bools, sizes: Ints, rng: np.random.Generator) -> Floats:
        """Means of a given number of ratings of each text (texts,), drawn without replacement: (draws, texts)."""
        parts, step = [], max(1, CELLS // among.size)
        for begin in range(0, self.draws, step):
            key = rng.random((min(step, self.draws - begin), *among.shape))
            key[:, ~among] = 2.0
            order = key.argsort(axis=2)
            values = np.take_along_axis(np.broadcast_to(self.by_unit.values, key.shape), order, axis=2)
            is_drawn = np.arange(among.shape[1]) < sizes[:, None]
            parts.append((values * is_drawn).sum(axis=2) / sizes)
        return np.concatenate(parts)

    def _values(self, hj: Floats) -> Floats:
        both, quality = self.by_unit.study.rated(hj)
        return both if self.by_unit.measure == "huse" else quality
