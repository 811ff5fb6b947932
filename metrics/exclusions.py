"""What leaving out ratings by rules does to HUSE: every selection of rules beside random removals of the same size.

HUSE falls with the number of ratings a text, and removing any ratings at all moves it: a selection is therefore shown
beside removals of as many ratings of each text at random, and once more with every text on one common number of
ratings (method, 2.5 (vi)). Selections by agreement with the other raters are circular.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from metrics.arrays import Bools, Floats, Ints
from metrics.errors import BadInput, InsufficientData
from metrics.huse import evaluate
from metrics.rated import Rated, lay_out, with_means
from metrics.subsets import Study
from metrics.types import Estimate, Item, Missing, Rating, Setting
from metrics.validation import check_items, leave_out_log_prob
from metrics.version import __version__

Measure = Literal["huse", "huse_q"]
NAMES: dict[Measure, str] = {"huse": "HUSE", "huse_q": "HUSE-Q"}
MOST_RULES, MOST_SELECTIONS = 8, 256
FEWEST = 5  # ratings a text, below which nothing is equalised
CELLS = 1 << 22


@dataclass(frozen=True, slots=True)
class Removal:
    """A value over draws: the mean, and the band that holds the middle 95 % of them. draws: how many."""

    mean: float
    low: float
    high: float
    draws: int


@dataclass(frozen=True, slots=True)
class Specification:
    """One selection of rules. units, ratings: left out; fewest: ratings left of the text with the fewest.

    value: with what is left, None where a text has no rating left. random: as many ratings of each text left out at
    random. as_low: share of those that are at most the value. equalised: every text on `common` ratings, mean of draws;
    None where the selection leaves fewer.
    """

    rules: tuple[str, ...]
    units: int
    ratings: int
    fewest: int
    value: float | None
    random: Removal | None
    as_low: float | None
    equalised: float | None

    @property
    def named(self) -> str:
        """The rules in one line."""
        return ", ".join(self.rules) or "no rule"


@dataclass(frozen=True, slots=True)
class Exclusions:
    """Every specification, the one without a rule first. measure: `huse` or `huse_q`.

    headline: the estimate without any rule, with its interval. common: ratings a text to which all are equalised (None
    below 5). below, inside, above: shares of the specifications with a value on each side of the headline's interval,
    None without one. subsets: `all`, or so many `seeded` ones.
    """

    measure: Measure
    headline: Estimate
    specifications: tuple[Specification, ...]
    common: int | None
    below: float | None
    inside: float | None
    above: float | None
    subsets: str
    settings: Mapping[str, Setting]
    flags: tuple[str, ...]
    signature: str


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
    progress: Callable[[int, int], None] | None = None,
) -> Exclusions:
    """HUSE (or HUSE-Q) with no rule, each rule alone, and all selections of up to 8 rules (beyond: 256 seeded ones).

    items: as for `evaluate`; HJ is taken from the ratings. rules: by name, the units (`Rating.unit`, an assignment)
    each leaves out; a selection leaves out the union. draws: random removals beside each specification, and draws of
    each equalisation. level: of the headline's interval. alone: rules that are joined with no other. progress: told how
    many specifications of how many are done. Values are those of exact ties. Flags: `text_without_ratings` (a selection
    leaves a text none), `not_equalised` (one leaves fewer than 5 on a text). Raises as `evaluate` and `lay_out`,
    BadInput.
    """
    _check(measure, draws, seed)
    judged = with_means(items, ratings)
    blank = measure == "huse_q" and missing == "quality_only" and any(item.log_prob is None for item in judged)
    table = check_items(leave_out_log_prob(judged) if blank else judged, k=k, missing=missing)
    rated = lay_out(table.items, ratings)
    unit, given = _units(table.items, ratings, rated)
    selections, told = _selections(tuple(rule for rule in rules if rule not in alone), seed)
    selections += [(rule,) for rule in rules if rule in alone]
    masks = np.array([[one in rules[rule] for one in given] for rule in rules], dtype=np.bool_).reshape(
        len(rules), len(given)
    )
    study = Study(rated.means(), table.q, table.z, k)
    work = _Work(study, rated, unit, measure, draws, seed)
    left = [work.left(_union(masks, tuple(rules), chosen)) for chosen in selections]
    usable = [fewest for *_, fewest in left if fewest >= FEWEST]
    common = min(usable) if usable else None
    found = tuple(_each(work, selections, left, common, progress))
    headline = getattr(evaluate(table.items, ["exact"], k=k, seed=seed, level=level)["exact"], measure)
    return _told(measure, headline, found, common, told, {"k": k, "draws": draws, "seed": seed})


def count_selections(joined: int, alone: int = 0) -> int:
    """How many selections `exclusion_sensitivity` makes of rules that are joined and rules that stand alone."""
    return (2**joined if joined <= MOST_RULES else MOST_SELECTIONS) + alone


def _each(
    work: _Work,
    selections: Sequence[tuple[str, ...]],
    left: Sequence[Left],
    common: int | None,
    progress: Callable[[int, int], None] | None,
) -> Iterator[Specification]:
    for done, (chosen, one) in enumerate(zip(selections, left, strict=True), 1):
        yield work.specification(chosen, one, common)
        if progress:
            progress(done, len(selections))


def _check(measure: str, draws: int, seed: int) -> None:
    if measure not in ("huse", "huse_q"):
        raise BadInput("a measure is 'huse' or 'huse_q'", column="measure")
    if draws < 1 or seed < 0:
        raise BadInput("draws are at least 1, a seed at least 0")


def _units(items: Sequence[Item], ratings: Sequence[Rating], rated: Rated) -> tuple[Ints, list[str]]:
    """The unit of each rating, (texts, most) numbers, -1 beyond a text's ratings; and the units' names."""
    place = {item.id: t for t, item in enumerate(items)}
    names = list(dict.fromkeys(rating.unit for rating in ratings if rating.item in place))
    if "" in names:
        raise BadInput("a rule leaves out assignments, and a rating has no unit", column="unit")
    number = {name: i for i, name in enumerate(names)}
    of: list[list[tuple[int, int]]] = [[] for _ in items]
    for rating in ratings:
        if rating.item in place:
            whole = int(rating.value * rated.denominator)
            of[place[rating.item]].append((whole, number[rating.unit]))
    unit = np.full(rated.values.shape, -1, dtype=np.int64)
    for t, own in enumerate(of):
        # Ratings of one text and one value may change places: what is left out is the same.
        spare: dict[int, list[int]] = {}
        for value, one in own:
            spare.setdefault(value, []).append(one)
        for column, value in enumerate(rated.values[t, : rated.counts[t]].tolist()):
            unit[t, column] = spare[int(value)].pop()
    return unit, names


def _selections(rules: tuple[str, ...], seed: int) -> tuple[list[tuple[str, ...]], str]:
    """No rule, each alone, then the others by size; and how they were chosen."""
    if len(rules) <= MOST_RULES:
        return [chosen for size in range(len(rules) + 1) for chosen in combinations(rules, size)], "all"
    rng, found = np.random.default_rng(seed), dict.fromkeys([(), *((rule,) for rule in rules), rules])
    while len(found) < MOST_SELECTIONS:
        mask = rng.random(len(rules)) < 0.5
        found[tuple(rule for rule, one in zip(rules, mask, strict=True) if one)] = None
    return list(found), f"{len(found)} seeded"


def _union(masks: Bools, rules: tuple[str, ...], chosen: tuple[str, ...]) -> Bools:
    return np.asarray(masks[[rules.index(rule) for rule in chosen]].any(axis=0))


Left = tuple[Bools, int, int, int]


@dataclass(frozen=True)
class _Work:
    study: Study
    rated: Rated
    unit: Ints
    measure: Measure
    draws: int
    seed: int

    def left(self, out: Bools) -> Left:
        """Which ratings a selection keeps, (texts, most); units and ratings left out; the fewest left of a text."""
        given = self.unit >= 0
        kept = given & ~out[self.unit]
        gone = int(given.sum() - kept.sum())
        return kept, int(out.sum()), gone, int(kept.sum(axis=1).min())

    def specification(self, chosen: tuple[str, ...], left: Left, common: int | None) -> Specification:
        """The measure on what the chosen rules leave, beside random removals; none where a text keeps no rating."""
        kept, units, gone, fewest = left
        if fewest < 1:
            return Specification(chosen, units, gone, fewest, None, None, None, None)
        rng = np.random.default_rng([self.seed, gone])
        value = float(self._values((np.where(kept, self.rated.values, 0).sum(axis=1) / kept.sum(axis=1))[None])[0])
        beside = self._values(self._drawn(self.unit >= 0, kept.sum(axis=1), rng)) if gone else np.array([value])
        low, high = np.quantile(beside, [0.025, 0.975]).tolist()
        random = Removal(float(beside.mean()), low, high, len(beside))
        equal = None
        if common is not None and fewest >= common:
            equal = float(self._values(self._drawn(kept, np.full(len(kept), common), rng)).mean())
        return Specification(chosen, units, gone, fewest, value, random, float((beside <= value).mean()), equal)

    def _drawn(self, among: Bools, sizes: Ints, rng: np.random.Generator) -> Floats:
        """Means of so many ratings of each text (texts,) drawn without replacement: (draws, texts)."""
        parts, step = [], max(1, CELLS // among.size)
        for begin in range(0, self.draws, step):
            key = rng.random((min(step, self.draws - begin), *among.shape))
            key[:, ~among] = 2.0
            order = key.argsort(axis=2)
            values = np.take_along_axis(np.broadcast_to(self.rated.values, key.shape), order, axis=2)
            taken = np.arange(among.shape[1]) < sizes[:, None]
            parts.append((values * taken).sum(axis=2) / sizes)
        return np.concatenate(parts)

    def _values(self, hj: Floats) -> Floats:
        both, quality = self.study.rated(hj)
        return both if self.measure == "huse" else quality


def _told(
    measure: Measure,
    headline: Estimate,
    found: tuple[Specification, ...],
    common: int | None,
    subsets: str,
    settings: dict[str, Setting],
) -> Exclusions:
    values = np.array([one.value for one in found if one.value is not None])
    if not len(values):
        raise InsufficientData("Every selection leaves a text without a rating.")
    below = inside = above = None
    if headline.interval is not None:
        under, over = values < headline.interval.low - 1e-12, values > headline.interval.high + 1e-12
        below, inside, above = float(under.mean()), float((~under & ~over).mean()), float(over.mean())
    flags = ["text_without_ratings"] if len(values) < len(found) else []
    if any(one.equalised is None for one in found):
        flags.append("not_equalised")
    told_settings = "|".join(f"{name}:{value}" for name, value in settings.items())
    signature = f"exclusions|{measure}|n:{headline.n}|specifications:{len(found)}|{told_settings}|v:{__version__}"
    told: dict[str, Setting] = {**settings, "measure": measure, "subsets": subsets, "common": common}
    return Exclusions(measure, headline, found, common, below, inside, above, subsets, told, tuple(flags), signature)
