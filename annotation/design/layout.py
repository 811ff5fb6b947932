"""From a study's cells to its HITs: pages of texts, extra lines that watch quality, and how many people see each."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from annotation.design.criteria import ALL_OF_CONTEXT
from annotation.design.packing import REFERENCE, Mix, Packable, pack
from annotation.exceptions import DesignError
from annotation.pricing.fees import split_places

Role = Literal["item", "gold", "repeat", "check"]


@dataclass(frozen=True, slots=True)
class Rules:
    """How the HITs of a study are made. evaluators: people in each cell, one page each (None: raters a text)."""

    per_hit: int
    raters: int
    seed: int
    evaluators: int | None = None
    mix: Mix = "balanced"
    references: int | None = None
    gold: int = 0
    repeats: int = 0
    checks: int = 0
    in_nines: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a page: a text by its key, or a check that asks for the label with that number."""

    role: Role
    key: int
    partner: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One set of texts and the places (people) of each HIT that shows it."""

    lines: tuple[Place, ...]
    places: tuple[int, ...]

    @property
    def people(self) -> int:
        return sum(self.places)


def lay_out(
    texts: Sequence[Packable],
    rules: Rules,
    *,
    cell: int = 0,
    gold: Sequence[int] = (),
    labels: int = 0,
    shown: int = 1,
    in_order: bool = False,
    single_generated: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> list[Page]:
    """The pages of one cell. progress: is told how many texts of how many are dealt, now and then.

    gold: keys of texts with known answers; labels: how many the scale has, for checks; shown: texts of a line: 2 puts
    the two texts of a context side by side, ALL_OF_CONTEXT keeps all texts of a context together, in_order those
    of one source (a document), single_generated demands one generated text among references.
    Everything random hangs on rules.seed and the cell's number. Raises DesignError.
    """
    seed = rules.seed if cell == 0 else random.Random(f"{rules.seed}:{cell}").getrandbits(32)
    if rules.gold > len(gold):
        problem = f"Each HIT is to hold {rules.gold} gold texts, and the study has {len(gold)}."
        raise DesignError(problem).at("gold_per_hit")
    if shown == 2:
        pages = _pairs(texts, rules, seed)
    elif shown == ALL_OF_CONTEXT:
        pages = _full_contexts(texts, rules, seed, by_source=in_order, single=single_generated)
    else:
        packed = pack(
            texts, per_hit=rules.per_hit, seed=seed, mix=rules.mix, references=rules.references, progress=progress
        )
        pages = [[Place("item", key) for key in keys] for keys in packed]
    rng = random.Random(f"{seed}:extras")
    for number, page in enumerate(pages):
        _add_extras(page, number, rules, gold, labels, rng)
    people = _people(len(pages), rules, rng)
    return [
        Page(tuple(page), split_places(count) if rules.in_nines else (count,))
        for page, count in zip(pages, people, strict=True)
        if count
    ]


def _people(pages: int, rules: Rules, rng: random.Random) -> list[int]:
    """How many see each page: equal within one, the odd ones by chance."""
    if rules.evaluators is None:
        return [rules.raters] * pages
    base, more = divmod(rules.evaluators, pages)
    extra = set(rng.sample(range(pages), more))
    return [base + (page in extra) for page in range(pages)]


def _pairs(texts: Sequence[Packable], rules: Rules, seed: int) -> list[list[Place]]:
    """Each context's two texts as one line; which stands first is shuffled for each worker, in the page."""
    by_context: dict[int | None, list[Packable]] = {}
    for text in texts:
        by_context.setdefault(text.context, []).append(text)
    odd = [c for c, pair in by_context.items() if c is None or len(pair) != 2 or pair[0].group == pair[1].group]
    if odd or not by_context:
        raise DesignError(
            "A comparison in pairs needs exactly two texts of two sources for each context; "
            f"{len(odd)} contexts have not."
        )
    lines = [Place("item", a.key, b.key) for a, b in (sorted(pair, key=_side) for pair in by_context.values())]
    random.Random(seed).shuffle(lines)
    count = -(-len(lines) // rules.per_hit)
    return [lines[first::count] for first in range(count)]


def _full_contexts(
    texts: Sequence[Packable], rules: Rules, seed: int, *, by_source: bool, single: bool
) -> list[list[Place]]:
    """All texts of a context one after the other, in the order in which they came; contexts are dealt at random.

    by_source: those of each source by themselves, as the sentences of a document that one system wrote. single: each
    context has one generated text, and references.
    """
    if single:
        _require_single_generated(texts)
    for name in ("gold", "repeats", "checks"):
        if getattr(rules, name):
            problem = "Texts of a context that are shown together leave no place for gold texts, repeats or checks."
            raise DesignError(problem).at(f"{name}_per_hit")
    by_context: dict[tuple[int, str], list[Place]] = {}
    for text in sorted(texts, key=lambda text: text.key):
        if text.context is None:
            raise DesignError("Texts that are shown together need a context; some have none.")
        by_context.setdefault((text.context, text.group if by_source else ""), []).append(Place("item", text.key))
    groups = list(by_context.values())
    random.Random(seed).shuffle(groups)
    count = -(-len(groups) // rules.per_hit)
    return [[place for group in groups[first::count] for place in group] for first in range(count)]


def _require_single_generated(texts: Sequence[Packable]) -> None:
    sources: dict[int | None, list[bool]] = {}
    for text in texts:
        sources.setdefault(text.context, []).append(text.group != REFERENCE)
    odd = [context for context, generated in sources.items() if sum(generated) != 1 or len(generated) < 2]
    if odd:
        raise DesignError(
            "Each context needs exactly one generated text and at least one reference; "
            f"{len(odd)} of {len(sources)} contexts do not have them. With several generators, make one condition for "
            "each generator."
        )


def _side(text: Packable) -> tuple[str, int]:
    return text.group, text.key


def _add_extras(
    page: list[Place], number: int, rules: Rules, gold: Sequence[int], labels: int, rng: random.Random
) -> None:
    """Put gold texts, repeats and checks among the items, a repeat in the other half than its first showing."""
    items = list(page)
    for i in range(rules.gold):
        page.insert(rng.randrange(len(page) + 1), Place("gold", gold[(number * rules.gold + i) % len(gold)]))
    for again in rng.sample(items, min(rules.repeats, len(items))):
        before = page.index(again) < len(page) / 2
        half = range(len(page) // 2 + 1, len(page) + 1) if before else range(len(page) // 2)
        page.insert(rng.choice(list(half)), Place("repeat", again.key, again.partner))
    for _ in range(rules.checks):
        page.insert(rng.randrange(1, len(page) + 1), Place("check", rng.randrange(labels)))
