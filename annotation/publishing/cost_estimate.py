"""What stands beside every step of a draft: mode, cost, wage, precision, budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from annotation import ledger as books
from annotation.design.presets import ArmPlan, CellPlan
from annotation.design.wording import from_json
from annotation.models import Cell, Study
from annotation.pricing.estimates import CellSize, Estimate, Sketch, estimate
from annotation.texts import pile as texts_pile
from metrics.errors import MetricsError
from metrics.inference.power import accuracy_difference, minimum_effect
from metrics.planning import Precision, expected_precision, known_pilots, prior_pilot

SIMULATED = 100
FIELDS = ("texts_per_hit", "raters_per_text", "evaluators_per_cell", "in_nines", "budget_cents", "assignment_seconds")


@dataclass(frozen=True, slots=True)
class Bill:
    """A study's price in numbers, and the numbers it is made of (for the precision, which takes a moment)."""

    estimate: Estimate
    texts: int
    cells: int
    budget_cents: int | None
    raters: int
    per_hit: int
    evaluators: int | None
    contexts: int
    allowed_seconds: int

    @property
    def tight(self) -> bool:
        """Whether a quarter of the people would need longer than is allowed, and lose their work."""
        slow = self.estimate.slow_minutes
        return slow is not None and self.allowed_seconds < slow * 60


def of(study: Study) -> Bill:
    """The bill of the design as it is stored."""
    cells = Cell.objects.filter(arm__study=study).select_related("arm__study", "generator").order_by("pk")
    plans = [CellPlan(one.arm.training, one.domain, one.generator.name if one.generator else "") for one in cells]
    pays = {one.arm.training: one.reward_cents for one in cells}
    values = {name: getattr(study, name) for name in FIELDS}
    extra = study.gold_per_hit + study.repeats_per_hit + study.checks_per_hit
    return _bill(study, {**values, "reward_cents": study.reward_cents, "extra": extra}, plans, pays)


def of_forms(study: Study, given: dict[str, Any], cells: Sequence[CellPlan], arms: Sequence[ArmPlan]) -> Bill:
    """The bill of a design that is being edited."""
    extra = given["gold_per_hit"] + given["repeats_per_hit"] + given["checks_per_hit"]
    return _bill(study, {**given, "extra": extra}, cells, {arm.training: arm.reward_cents for arm in arms})


def _bill(study: Study, given: dict[str, Any], cells: Sequence[CellPlan], pays: dict[str, int]) -> Bill:
    pile = texts_pile.pile(study)
    sizes = [
        CellSize(pile.of_cell(one.domain, one.generator), pays.get(one.training, given["reward_cents"]))
        for one in cells or [CellPlan("none")]
    ]
    version = study.wordings.last()
    wording = from_json(version.body) if version else None
    sketch = Sketch(
        tuple(sizes), given["texts_per_hit"], given["raters_per_text"], books.endpoint_fees(),
        given["evaluators_per_cell"], given["in_nines"], given["extra"], texts_pile.average_words(study),
        len(wording.criteria) if wording else 1, bool(wording and wording.follow_ups), given["budget_cents"],
    )  # fmt: skip
    references = sum(pile.references.values())
    return Bill(
        estimate(sketch), pile.total, len(sizes), given["budget_cents"], sketch.raters, sketch.per_hit,
        sketch.evaluators, min([references, *(sum(one.values()) for one in pile.generators.values())]),
        given["assignment_seconds"],
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told:
    """How exact a study will be, in one of two ways: HUSE's half-width, or the difference in accuracy it can see."""

    huse: float | None = None
    huse_q: float | None = None
    pilot: str = ""
    difference: float | None = None
    evaluators: int | None = None


def precision(study: Study, *, contexts: int, raters: int, per_hit: int, evaluators: int | None) -> Told:
    """Expected precision at this size; all empty where nothing can be said."""
    try:
        if study.task == Study.Task.TYPICALITY and contexts:
            name = next(iter(known_pilots()))
            found = _huse(name, contexts, raters, per_hit)
            return Told(huse=found.half_width("huse"), huse_q=found.half_width("huse_q"), pilot=name)
        if study.task == Study.Task.HUMAN_OR_MACHINE and evaluators:
            effect = minimum_effect(evaluators)
            return Told(difference=accuracy_difference(effect, per_hit), evaluators=evaluators)
    except MetricsError:
        pass
    return Told()


@lru_cache(maxsize=256)
def _huse(name: str, contexts: int, raters: int, per_hit: int) -> Precision:
    return expected_precision(prior_pilot(name), texts=2 * contexts, raters=raters, per_hit=per_hit, studies=SIMULATED)
