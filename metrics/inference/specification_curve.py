"""Selections of exclusion rules: which are made, what each shows, and whether a conclusion holds under all of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from metrics.data.arrays import Bools, Floats
from metrics.errors import InsufficientData
from metrics.types import Estimate, Interval, Setting
from metrics.version import __version__

Measure = Literal["huse", "huse_q", "accuracy"]
Conclusion = Literal["below", "open", "above"]
NAMES: dict[Measure, str] = {"huse": "HUSE", "huse_q": "HUSE-Q", "accuracy": "Accuracy"}
# What an interval is compared with: no difference, or guessing.
AGAINST: dict[Measure, float] = {"huse": 1.0, "huse_q": 1.0, "accuracy": 0.5}
MAX_RULES, MAX_SELECTIONS = 8, 256
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Removal:
    """A value over draws: the mean, and the band that holds the middle 95% of them. draws: how many."""

    mean: float
    low: float
    high: float
    draws: int


@dataclass(frozen=True, slots=True)
class Specification:
    """One selection of rules. units, ratings: excluded; fewest: ratings left of the text with the fewest (of accuracy:
    evaluators left).

    value: with what is left, None where a text (of accuracy: everybody) has no rating left; interval: of the value.
    random: as much removed at random. as_low: share of those that are at most the value. equalised: every text on
    `common` ratings, mean of draws; None where the selection leaves fewer, and of accuracy. quality, diversity: HUSE-Q
    and HUSE-D with what is left; None of accuracy, and where there is no value.
    """

    rules: tuple[str, ...]
    units: int
    ratings: int
    fewest: int
    value: float | None
    random: Removal | None
    as_low: float | None
    equalised: float | None
    interval: Interval | None = None
    quality: Estimate | None = None
    diversity: Estimate | None = None

    @property
    def named(self) -> str:
        """The rules in one line."""
        return ", ".join(self.rules) or "no rule"


@dataclass(frozen=True, slots=True)
class Exclusions:
    """Every specification, the one without a rule first. measure: `huse`, `huse_q` or `accuracy`.

    headline: the estimate without any rule, with its interval. common: ratings per text to which all are equalised
    (None below 5, and of accuracy). below, inside, above: shares of the specifications with a value on each side of the
    headline's interval, None without one. subsets: `all`, or a number of `seeded` ones. reported: what the applied
    rules leave, where they were given.
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
    reported: Specification | None = None

    @property
    def without(self) -> int:
        """How many specifications have no value, for a text (of accuracy: everybody) is left without a rating."""
        return sum(specification.value is None for specification in self.specifications)

    @property
    def by_value(self) -> tuple[Specification, ...]:
        """Those that have a value, the lowest first: the places of the figure, from 1."""
        usable = [specification for specification in self.specifications if specification.value is not None]
        return tuple(sorted(usable, key=lambda specification: (specification.value or 0.0, specification.rules)))

    @property
    def sentence_without(self) -> str:
        """The same in a sentence; "" where all have a value."""
        n, of = self.without, len(self.specifications)
        left = "nobody" if self.measure == "accuracy" else "a text without a rating"
        if n < 2:
            return f"1 of {of} selections leaves {left} and has no value." if n else ""
        return f"{n} of {of} selections leave {left} and have no value."

    @property
    def conclusion(self) -> Conclusion | None:
        """Where the headline's interval lies, as `concluded`."""
        return concluded(self.headline.interval, self.measure)

    @property
    def changing(self) -> tuple[Specification, ...]:
        """The specifications under which another conclusion holds; one without an interval has none."""
        conclusions = (
            (specification, concluded(specification.interval, self.measure)) for specification in self.specifications
        )
        return tuple(
            specification for specification, conclusion in conclusions if conclusion not in (None, self.conclusion)
        )


def concluded(interval: Interval | None, measure: Measure) -> Conclusion | None:
    """Whether an interval lies below what it is held against (1; of accuracy .5), above, or holds it (`open`)."""
    if interval is None:
        return None
    if interval.high < AGAINST[measure]:
        return "below"
    return "above" if interval.low > AGAINST[measure] else "open"


def count_selections(joined: int, alone: int = 0) -> int:
    """How many selections are made of rules that are joined and rules that are not."""
    return (2**joined if joined <= MAX_RULES else MAX_SELECTIONS) + alone


def list_selections(rules: Sequence[str], alone: Sequence[str], seed: int) -> tuple[list[tuple[str, ...]], str]:
    """No rule, each alone, then the others by size, then those that are not joined; and how they were chosen."""
    joined = tuple(rule for rule in rules if rule not in alone)
    separate_rules = [(rule,) for rule in rules if rule in alone]
    if len(joined) <= MAX_RULES:
        return [
            subset for size in range(len(joined) + 1) for subset in combinations(joined, size)
        ] + separate_rules, "all"
    rng, chosen = np.random.default_rng(seed), dict.fromkeys([(), *((rule,) for rule in joined), joined])
    while len(chosen) < MAX_SELECTIONS:
        mask = rng.random(len(joined)) < 0.5
        chosen[tuple(rule for rule, is_chosen in zip(joined, mask, strict=True) if is_chosen)] = None
    return [*chosen, *separate_rules], f"{len(chosen)} seeded"


def units_mask(names: Sequence[str], excluded: Collection[str]) -> Bools:
    """(units,) which of the named units are excluded."""
    return np.array([name in excluded for name in names], dtype=np.bool_)


def union_mask(masks: Mapping[str, Bools], chosen: Sequence[str], size: int) -> Bools:
    """(units,) whether any of the chosen rules excludes a unit. masks: by rule, (units,)."""
    out = np.zeros(size, dtype=np.bool_)
    for rule in chosen:
        out |= masks[rule]
    return out


def random_removal(values: Floats) -> Removal:
    """Mean and middle 95% of the values of random removals."""
    low, high = np.quantile(values, [0.025, 0.975]).tolist()
    return Removal(float(np.mean(values)), low, high, len(values))


def summarize_specifications(
    measure: Measure,
    headline: Estimate,
    specifications: tuple[Specification, ...],
    *,
    common: int | None,
    subsets: str,
    settings: Mapping[str, Setting],
    flags: Sequence[str],
    reported: Specification | None,
) -> Exclusions:
    """All specifications with their shares on each side of the headline's interval."""
    values = np.array([specification.value for specification in specifications if specification.value is not None])
    if not len(values):
        raise InsufficientData("Every selection leaves a text without a rating.")
    below = inside = above = None
    if headline.interval is not None:
        under, over = values < headline.interval.low - ROUNDING, values > headline.interval.high + ROUNDING
        below, inside, above = float(under.mean()), float((~under & ~over).mean()), float(over.mean())
    line = "|".join(f"{name}:{value}" for name, value in settings.items())
    signature = f"exclusions|{measure}|n:{headline.n}|specifications:{len(specifications)}|{line}|v:{__version__}"
    more: dict[str, Setting] = {**settings, "measure": measure, "subsets": subsets, "common": common}
    return Exclusions(
        measure,
        headline,
        specifications,
        common,
        below,
        inside,
        above,
        subsets,
        more,
        tuple(flags),
        signature,
        reported,
    )
