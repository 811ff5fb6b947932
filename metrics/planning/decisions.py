"""Plan for a decision: contexts that a wanted power needs, what a size can show, and why a plan cannot reach it.

Three decisions: a difference of two generators' mean ratings (`ratings`), of their HUSE-Q (`huse_q`), and that HUSE of
a generator lies below 1 (`huse`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from metrics.errors import BadInput
from metrics.inference.distributions import check_alpha
from metrics.inference.error_rate_intervals import normal_quantile
from metrics.planning.huse_power import Chance, QualityStudies, huse_power
from metrics.planning.pilot import Pilot
from metrics.planning.rating_power import RatingSpreads, detectable_rating_difference, rating_error, rating_power
from metrics.planning.study_size import StudySize

DecisionKind = Literal["ratings", "huse_q", "huse"]
KINDS: tuple[DecisionKind, ...] = ("ratings", "huse_q", "huse")
FEWEST, LARGEST = 20, 5000  # contexts that are planned
ROUNDS = 3
NEAREST = 5  # sizes tried that a line is put through
FIRST_LOOK = 80  # contexts, from which the others are guessed
LOOKS = (0.6, 0.8, 1.0, 1.25, 1.6)  # of the contexts guessed, so far apart that the line is steady


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be decided. difference: to find (of ratings in their units, of HUSE-Q); None for `huse`.

    power: wanted chance to decide. alpha: of the two-sided test, of the family. comparisons: in the family; each is
    tested at alpha / comparisons, which is what Holm's first step asks.
    """

    kind: DecisionKind
    difference: float | None = None
    power: float = 0.8
    alpha: float = 0.05
    comparisons: int = 1

    def check(self) -> None:
        """Raise BadInput for a decision that is none."""
        if self.kind not in KINDS:
            raise BadInput(f"a decision is one of {', '.join(KINDS)}", column="kind")
        check_alpha(self.alpha)
        if not self.alpha < self.power < 1:
            raise BadInput("a power lies between alpha and 1", column="power")
        if self.comparisons < 1:
            raise BadInput("a family has at least 1 comparison", column="comparisons")
        if self.kind == "huse":
            return
        if self.difference is None or not (math.isfinite(self.difference) and self.difference > 0):
            raise BadInput("enter the difference to find, above 0", column="difference")

    @property
    def level(self) -> float:
        """Alpha of one test."""
        return self.alpha / self.comparisons


@dataclass(frozen=True, slots=True)
class Assumed:
    """What is assumed: texts and raters of HUSE (a pilot or prior study), spreads of ratings; None: not known."""

    pilot: Pilot | None = None
    spreads: RatingSpreads | None = None
    studies: int = 400
    seed: int = 0


def decision_chance(decision: Decision, assumed: Assumed, size: StudySize) -> Chance:
    """Power of a decision in a study of one size, with mean and sd of what is decided on. Raises BadInput."""
    decision.check()
    if decision.kind == "ratings":
        spreads = _spreads(assumed)
        power = rating_power(size, spreads, decision.difference or 0.0, alpha=decision.level)
        return Chance(power, decision.difference or 0.0, rating_error(size, spreads))
    pilot = _pilot(assumed)
    if decision.kind == "huse":
        return huse_power(pilot, size, alpha=decision.level, studies=assumed.studies, seed=assumed.seed)
    studies = QualityStudies(pilot, size, studies=assumed.studies, seed=assumed.seed)
    return studies.chance(decision.difference or 0.0, alpha=decision.level)


def contexts_needed(decision: Decision, assumed: Assumed, size: StudySize) -> StudySize | None:
    """Return the study with the fewest contexts that reaches the power, all else as in `size`; None: not with 5,000.

    Args:
        decision: with the power wanted.
        assumed: of texts, raters and ratings.
        size: raters of a text, texts of a task, generators; its contexts are not looked at.

    Returns:
        The same study with the contexts needed, at least 20.

    Raises:
        BadInput: a number that is not allowed, or a difference that the pilot's generator cannot have.

    Example:
        >>> from metrics.planning.decisions import Assumed, Decision, contexts_needed
        >>> from metrics.planning.rating_power import RatingSpreads
        >>> from metrics.planning.study_size import StudySize
        >>> assumed = Assumed(spreads=RatingSpreads(text=0.8, slope=0.0, severity=0.5, noise=1.2))
        >>> contexts_needed(Decision("ratings", 0.44), assumed, StudySize(20, 10)).contexts
        67
    """
    decision.check()
    if decision.kind == "ratings":
        return _smallest(size, lambda tried: decision_chance(decision, assumed, tried).power >= decision.power)
    if decision.kind == "huse_q":
        return _by_spread(decision, assumed, size)
    return _by_power(decision, assumed, size)


def _smallest(size: StudySize, reaches: Callable[[StudySize], bool]) -> StudySize | None:
    low, high = FEWEST - 1, LARGEST
    if not reaches(replace(size, contexts=high)):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(replace(size, contexts=middle)) else (middle, high)
    return replace(size, contexts=high)


def _by_spread(decision: Decision, assumed: Assumed, size: StudySize) -> StudySize | None:
    """The spread goes about with 1 / contexts: a line through sizes about where it should be small enough."""
    first = decision_chance(decision, assumed, replace(size, contexts=FIRST_LOOK))
    needed = normal_quantile(1 - decision.level) + normal_quantile(2 * decision.power - 1)
    guess = FIRST_LOOK * (first.sd * needed / first.mean) ** 2
    if guess > LARGEST:
        return None
    sizes = {min(LARGEST, max(FEWEST, round(guess * factor))) for factor in LOOKS}
    return _planned(size, [_score(decision, assumed, size, contexts) for contexts in sorted(sizes)], decision.power)


def _by_power(decision: Decision, assumed: Assumed, size: StudySize) -> StudySize | None:
    """Where a line through several sizes' simulated powers reaches what is wanted.

    One size that came out high enough would be one that chance favoured: studies planned so found HUSE below 1 in 70 %
    where 80 were promised.
    """

    needed_score = _power_score(decision.power)
    contexts = FEWEST
    tried = [_score(decision, assumed, size, contexts)]
    if tried[0][1] >= needed_score:
        return replace(size, contexts=FEWEST)
    while tried[-1][1] < needed_score:
        if contexts >= LARGEST:
            return None
        contexts = min(LARGEST, 2 * contexts)
        tried.append(_score(decision, assumed, size, contexts))
    for _ in range(ROUNDS):
        tried.append(_score(decision, assumed, size, min(LARGEST, _crossing(tried, needed_score))))
    return _planned(size, tried, decision.power)


def _score(decision: Decision, assumed: Assumed, size: StudySize, contexts: int) -> tuple[float, float]:
    """Root of the contexts, in which the score of the power is about straight, and that score."""
    power = decision_chance(decision, assumed, replace(size, contexts=contexts)).power
    return math.sqrt(contexts), _power_score(min(max(power, 1e-6), 1 - 1e-6))


def _power_score(power: float) -> float:
    return normal_quantile(2 * power - 1)


def _planned(size: StudySize, tried: list[tuple[float, float]], power: float) -> StudySize | None:
    contexts = _crossing(tried, _power_score(power))
    return None if contexts > LARGEST else replace(size, contexts=contexts)


def _crossing(tried: list[tuple[float, float]], needed: float) -> int:
    """Contexts where the score, about straight in their root, is as needed: by the sizes tried that came nearest."""
    nearest = sorted(tried, key=lambda point: abs(point[1] - needed))[:NEAREST]
    roots, scores = (sum(column) / len(nearest) for column in zip(*nearest, strict=True))
    spread = sum((root - roots) ** 2 for root, _ in nearest)
    slope = sum((root - roots) * (score - scores) for root, score in nearest) / spread if spread else 0.0
    root = roots + (needed - scores) / slope if slope > 0 else max(root for root, _ in tried)
    return max(FEWEST, math.ceil(max(0.0, root) ** 2))


def detectable(decision: Decision, assumed: Assumed, size: StudySize) -> float | None:
    """Return the smallest difference that a study of this size finds with the power wanted; None: no difference.

    Not for `huse`, which has none. Raises BadInput.
    """
    if decision.kind == "huse":
        raise BadInput("HUSE below 1 has no difference to find", column="kind")
    if decision.kind == "ratings":
        return detectable_rating_difference(size, _spreads(assumed), power=decision.power, alpha=decision.level)
    studies = QualityStudies(_pilot(assumed), size, studies=assumed.studies, seed=assumed.seed)
    return studies.detectable(power=decision.power, alpha=decision.level)


def _pilot(assumed: Assumed) -> Pilot:
    if assumed.pilot is None:
        raise BadInput("HUSE is planned from a pilot or a prior study", column="pilot")
    return assumed.pilot


def _spreads(assumed: Assumed) -> RatingSpreads:
    if assumed.spreads is None:
        raise BadInput(
            "ratings are planned from stated standard deviations, a pilot or a prior study", column="spreads"
        )
    return assumed.spreads
