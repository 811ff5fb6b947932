"""Which of two candidates people found better: by rank of the label, by a partial order of labels, by a number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol

from metrics.errors import BadInput
from metrics.nnd.records import Candidate

Skip = Literal["same_quality", "unordered", "below_minimum_gap"]
Verdict = Literal["first", "second"] | Skip


class Order(Protocol):
    """Says which of two candidates is better, or why none is."""

    def compare(self, first: Candidate, second: Candidate) -> Verdict:
        """`first` or `second` is the better one; any other word says why the pair makes no test."""
        ...


class Ranks:
    """Labels with ranks; a higher rank is better, equal ranks make no test. Raises BadInput for an unknown label."""

    def __init__(self, ranks: Mapping[str, float]):
        if not ranks:
            raise BadInput("an order needs a label", column="ranks")
        strange = [label for label, rank in ranks.items() if not math.isfinite(rank)]
        if strange:
            raise BadInput(f"the rank of {strange[0]!r} is not a finite number", column="ranks")
        self.ranks = dict(ranks)

    def compare(self, first: Candidate, second: Candidate) -> Verdict:
        """The higher rank."""
        rank, other = self._rank(first), self._rank(second)
        if rank == other:
            return "same_quality"
        return "first" if rank > other else "second"

    def _rank(self, candidate: Candidate) -> float:
        if candidate.label not in self.ranks:
            raise _unknown(candidate)
        return self.ranks[candidate.label]


class PartialOrder:
    """Labels of which some are better than others: what follows from the given pairs, and nothing more.

    better: pairs (better label, worse label). Labels that no chain of pairs connects are unordered and make no test.
    Raises BadInput for a label that would be better than itself.
    """

    def __init__(self, better: Iterable[tuple[str, str]]):
        self.below: dict[str, set[str]] = {}
        for high, low in better:
            self.below.setdefault(high, set()).add(low)
            self.below.setdefault(low, set())
        if not self.below:
            raise BadInput("an order needs a pair of labels", column="order")
        for label in self.below:
            self.below[label] = self._all_below(label)

    def compare(self, first: Candidate, second: Candidate) -> Verdict:
        """The candidate whose label is above the other's."""
        for candidate in (first, second):
            if candidate.label not in self.below:
                raise _unknown(candidate)
        if first.label == second.label:
            return "same_quality"
        if second.label in self.below[first.label]:
            return "first"
        return "second" if first.label in self.below[second.label] else "unordered"

    def _all_below(self, label: str) -> set[str]:
        lower: set[str] = set()
        waiting = list(self.below[label])
        while waiting:
            low = waiting.pop()
            if low not in lower:
                lower.add(low)
                waiting.extend(self.below[low])
        if label in lower:
            raise BadInput(f"by this order {label!r} would be better than itself", column="order")
        return lower


@dataclass(frozen=True, slots=True)
class Numbers:
    """The higher `quality`; gaps below `minimum_gap` (>= 0) make no test. Raises BadInput where a quality is None."""

    minimum_gap: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if self.minimum_gap < 0:
            raise BadInput("a gap cannot be below 0", column="minimum_gap")

    def compare(self, first: Candidate, second: Candidate) -> Verdict:
        """The higher number, exactly."""
        if first.quality is None or second.quality is None:
            missing = first if first.quality is None else second
            raise BadInput("the candidate has no quality", where=f"candidate {missing.id}", column="quality")
        gap = first.quality - second.quality
        if gap == 0:
            return "same_quality"
        if abs(gap) < self.minimum_gap:
            return "below_minimum_gap"
        return "first" if gap > 0 else "second"


def best_above_others(best: str, others: Iterable[str]) -> PartialOrder:
    """`best` is better than each other label, and those are unordered: no error against any error."""
    return PartialOrder((best, other) for other in others if other != best)


def likert_majority(scores: Iterable[float], score: float = 5) -> bool:
    """Whether more than half of the ratings are `score` (NND's rule for SummEval, strict). Raises BadInput for none."""
    listed = list(scores)
    if not listed:
        raise BadInput("a majority needs a rating", column="ratings")
    return 2 * sum(value == score for value in listed) > len(listed)


def _unknown(candidate: Candidate) -> BadInput:
    rule = f"the order says nothing of the label {candidate.label!r}"
    return BadInput(rule, where=f"candidate {candidate.id}", column="label")
