"""The cheapest study that decides as often as wanted, and what a budget buys where it does not reach that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from annotation.pricing.quotes import Terms, quote
from metrics.planning.decisions import FEWEST, LARGEST, Assumed, Decision, contexts_needed, decision_chance
from metrics.planning.study_size import StudySize

RATERS = (3, 5, 8, 10, 15, 20)


@dataclass(frozen=True, slots=True)
class PlannedStudy:
    """A size with its price in minor units and its power."""

    contexts: int
    texts: int
    raters: int
    people: int
    pages: int
    cents: int
    power: float


@dataclass(frozen=True, slots=True)
class DecisionPlan:
    """What was found for a decision.

    reaching: the cheapest study for each number of raters a text that reaches the power, cheapest first; empty where
    none of up to 5,000 contexts does. within: of all studies within the budget, the one with the most power, where no
    reaching one is within it; None too where the budget buys no study of 20 contexts.
    """

    decision: Decision
    reaching: tuple[PlannedStudy, ...]
    within: PlannedStudy | None
    budget: int | None

    @property
    def cheapest(self) -> PlannedStudy | None:
        return self.reaching[0] if self.reaching else None

    @property
    def missing(self) -> int:
        """What the cheapest reaching study costs above the budget; 0 within it or without one."""
        if self.cheapest is None or self.budget is None:
            return 0
        return max(0, self.cheapest.cents - self.budget)


def plan_decision(
    decision: Decision,
    assumed: Assumed,
    terms: Terms,
    size: StudySize,
    *,
    raters: Sequence[int] = RATERS,
    budget: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> DecisionPlan:
    """Find the cheapest study that reaches the decision's power, trying each number of raters for a text.

    size: texts of a task, generators, tasks of a person; its contexts and raters are not looked at. progress: called
    with how many of how many numbers of raters were tried. Raises BadInput.
    """
    sizes: list[StudySize | None] = []
    for each in raters:
        if progress is not None:
            progress(len(sizes), len(raters))
        sizes.append(contexts_needed(decision, assumed, replace(size, raters=each)))
    reaching = sorted(
        (_planned(decision, assumed, terms, needed) for needed in sizes if needed is not None),
        key=lambda planned: (planned.cents, planned.raters),
    )
    plan = DecisionPlan(decision, tuple(reaching), None, budget)
    if budget is None or (reaching and not plan.missing):
        return plan
    affordable = [_affordable(replace(size, raters=each), terms, budget) for each in raters]
    within = [_planned(decision, assumed, terms, payable) for payable in affordable if payable is not None]
    return replace(plan, within=max(within, key=lambda planned: planned.power, default=None))


def _planned(decision: Decision, assumed: Assumed, terms: Terms, size: StudySize) -> PlannedStudy:
    power = decision_chance(decision, assumed, size).power
    cents = quote(size.pages, size.raters, terms).total
    return PlannedStudy(size.contexts, size.texts, size.raters, size.people, size.pages, cents, power)


def _affordable(size: StudySize, terms: Terms, budget: int) -> StudySize | None:
    """The most contexts that the budget pays with these raters; None below 20."""
    low, high = FEWEST - 1, LARGEST + 1
    while high - low > 1:
        middle = (low + high) // 2
        pages = replace(size, contexts=middle).pages
        low, high = (middle, high) if quote(pages, size.raters, terms).total <= budget else (low, middle)
    return replace(size, contexts=low) if low >= FEWEST else None
