"""What a study costs, line by line, before it is published: rewards, fees, bonuses, work that will be replaced."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from annotation.pricing.fees import Fees, bonus_fee_cents, fee_cents, split_places


@dataclass(frozen=True, slots=True)
class Terms:
    """What one assignment pays and what the study expects.

    bonus_cents: paid for each finished assignment on top of the reward. excluded: share of the assignments, in [0, 1),
    that is expected to be paid but excluded from the analysis, and replaced. fees: the rules of the marketplace.
    """

    reward_cents: int
    fees: Fees
    bonus_cents: int = 0
    masters: bool = False
    premium_cents: int = 0
    excluded: float = 0.0
    in_nines: bool = True

    def __post_init__(self) -> None:
        if min(self.reward_cents, self.bonus_cents, self.premium_cents) < 0:
            raise ValueError("Money is not negative.")
        if not 0 <= self.excluded < 1:
            raise ValueError("The share expected to be excluded lies in [0, 1).")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a bill: `count` times `each` cents."""

    what: str
    count: int
    each: int

    @property
    def cents(self) -> int:
        return self.count * self.each


@dataclass(frozen=True, slots=True)
class Quote:
    """The bill of a design. planned: assignments wanted; replaced: more of them, for work that will be excluded.

    other_total: what the other way of splitting would cost, where raters need more than nine places; else the total.
    """

    lines: tuple[Line, ...]
    planned: int
    replaced: int
    hits: int
    in_nines: bool
    other_total: int

    @property
    def total(self) -> int:
        return sum(line.cents for line in self.lines)

    @property
    def saving(self) -> int:
        """Cents that HITs of nine save against larger ones (0 where there is nothing to split)."""
        return abs(self.other_total - self.total)

    @property
    def assignments(self) -> int:
        return self.planned + self.replaced

    def missing(self, budget_cents: int | None) -> int:
        """Cents by which the total passes a budget; 0 within it or without one."""
        return max(0, self.total - budget_cents) if budget_cents is not None else 0


def quote(pages: int, raters: int, terms: Terms) -> Quote:
    """The bill for `pages` (sets of texts that share a HIT), each seen by `raters` people.

    terms.in_nines: publish each page as HITs of nine places at most, at MTurk's lower fee; that keeps people apart
    only with a qualification (`assay:once`) across the HITs. Raises ValueError for fewer than 1 page or rater.
    """
    if pages < 1 or raters < 1:
        raise ValueError("A study has at least one page and one rater.")
    replaced = math.ceil(raters * pages * terms.excluded / (1 - terms.excluded) - 1e-9)
    chosen, other = (_lines(pages, raters, replaced, terms, nines) for nines in (terms.in_nines, not terms.in_nines))
    places = _places(raters, terms.in_nines)
    other_total = sum(line.cents for line in other)
    return Quote(chosen, pages * raters, replaced, pages * len(places), terms.in_nines, other_total)


def _places(raters: int, in_nines: bool) -> tuple[int, ...]:
    return split_places(raters) if in_nines else (raters,)


def _lines(pages: int, raters: int, replaced: int, terms: Terms, in_nines: bool) -> tuple[Line, ...]:
    """Replacements are dear where the HIT they are added to is."""
    places = _places(raters, in_nines)
    fee = fee_cents(
        terms.reward_cents,
        max_assignments=max(places),
        fees=terms.fees,
        masters=terms.masters,
        premium_cents=terms.premium_cents,
    )
    count = pages * raters
    lines = [Line("rewards", count, terms.reward_cents), Line("fees", count, fee)]
    if replaced:
        lines += [Line("rewards of replacements", replaced, terms.reward_cents), Line("their fees", replaced, fee)]
    if terms.bonus_cents:
        paid = count + replaced
        lines += [
            Line("bonuses", paid, terms.bonus_cents),
            Line("fees of bonuses", paid, bonus_fee_cents(terms.bonus_cents, fees=terms.fees)),
        ]
    return tuple(line for line in lines if line.each or "fees" not in line.what)


@dataclass(frozen=True, slots=True)
class Step:
    """What more money buys: the design it reaches and what it really costs. kind: `raters` or `texts`."""

    kind: str
    pages: int
    raters: int
    cents: int


def next_steps(pages: int, raters: int, terms: Terms, *, cents: int) -> tuple[Step, ...]:
    """The largest design within `cents` more, first by raters for every text, then by pages of more texts.

    A step that buys nothing (0 raters, 0 pages) is not listed.
    """
    now = quote(pages, raters, terms).total
    more_raters = _largest_count(lambda extra: quote(pages, raters + extra, terms).total - now, cents)
    more_pages = _largest_count(lambda extra: quote(pages + extra, raters, terms).total - now, cents)
    designs = (("raters", pages, raters + more_raters), ("texts", pages + more_pages, raters))
    return tuple(
        Step(kind, p, r, quote(p, r, terms).total - now) for kind, p, r in designs if (p, r) != (pages, raters)
    )


def _largest_count(cost: Callable[[int], int], cents: int) -> int:
    """The largest count whose cost (rising with it) is within `cents`."""
    high = 1
    while cost(high) <= cents:
        high *= 2
        if high > 1_000_000:
            return high
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if cost(middle) <= cents else (low, middle)
    return low
