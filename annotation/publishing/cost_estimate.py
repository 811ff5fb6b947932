"""Estimate cost, wage and precision of a draft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from annotation import ledger
from annotation.design.presets import ArmPlan, CellPlan
from annotation.design.wording import from_json
from annotation.models import Cell, Study
from annotation.pricing.estimates import CellSize, Estimate, Sketch, estimate
from annotation.pricing.wages import floor_for
from annotation.texts import pile as texts_pile
from metrics.errors import MetricsError
from metrics.inference.power import accuracy_difference, minimum_effect
from metrics.planning import Precision, expected_precision, known_pilots, prior_pilot

SIMULATED = 100
FIELDS = (
    "texts_per_hit",
    "raters_per_text",
    "evaluators_per_cell",
    "in_nines",
    "budget_cents",
    "assignment_seconds",
    "floor_cents",
    "currency",
)


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


def estimate_study(study: Study) -> Bill:
    """The bill of the design as it is stored."""
    cells = Cell.objects.filter(arm__study=study).select_related("arm__study", "generator").order_by("pk")
    plans = [CellPlan(cell.arm.training, cell.domain, cell.generator.name if cell.generator else "") for cell in cells]
    pays = {cell.arm.training: cell.reward_cents for cell in cells}
    values = {name: getattr(study, name) for name in FIELDS}
    extra = study.gold_per_hit + study.repeats_per_hit + study.checks_per_hit
    return _bill(study, {**values, "reward_cents": study.reward_cents, "extra": extra}, plans, pays)


def estimate_forms(study: Study, form_data: dict[str, Any], cells: Sequence[CellPlan], arms: Sequence[ArmPlan]) -> Bill:
    """The bill of a design that is being edited."""
    extra = form_data["gold_per_hit"] + form_data["repeats_per_hit"] + form_data["checks_per_hit"]
    return _bill(study, {**form_data, "extra": extra}, cells, {arm.training: arm.reward_cents for arm in arms})


def _bill(study: Study, form_data: dict[str, Any], cells: Sequence[CellPlan], pays: dict[str, int]) -> Bill:
    pile = texts_pile.pile(study)
    sizes = [
        CellSize(pile.of_cell(cell.domain, cell.generator), pays.get(cell.training, form_data["reward_cents"]))
        for cell in cells or [CellPlan("none")]
    ]
    version = study.wordings.last()
    wording = from_json(version.body) if version else None
    sketch = Sketch(
        tuple(sizes), form_data["texts_per_hit"], form_data["raters_per_text"], ledger.endpoint_fees(),
        form_data["evaluators_per_cell"], form_data["in_nines"], form_data["extra"], texts_pile.average_words(study),
        len(wording.criteria) if wording else 1, bool(wording and wording.follow_ups), form_data["budget_cents"],
    )  # fmt: skip
    floor = floor_for(form_data["floor_cents"], form_data["currency"])
    references = sum(pile.references.values())
    return Bill(
        estimate(sketch, floor=floor), pile.total, len(sizes), form_data["budget_cents"], sketch.raters, sketch.per_hit,
        sketch.evaluators, min([references, *(sum(counts.values()) for counts in pile.generators.values())]),
        form_data["assignment_seconds"],
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ExpectedPrecision:
    """How exact a study will be, in one of two ways: HUSE's half-width, or the difference in accuracy it can see."""

    huse: float | None = None
    huse_q: float | None = None
    pilot: str = ""
    difference: float | None = None
    evaluators: int | None = None


def precision(study: Study, *, contexts: int, raters: int, per_hit: int, evaluators: int | None) -> ExpectedPrecision:
    """Expected precision at this size; all empty where nothing can be said."""
    try:
        if study.task == Study.Task.TYPICALITY and contexts:
            name = next(iter(known_pilots()))
            expected = _huse(name, contexts, raters, per_hit)
            return ExpectedPrecision(huse=expected.half_width("huse"), huse_q=expected.half_width("huse_q"), pilot=name)
        if study.task == Study.Task.HUMAN_OR_MACHINE and evaluators:
            effect = minimum_effect(evaluators)
            return ExpectedPrecision(difference=accuracy_difference(effect, per_hit), evaluators=evaluators)
    except MetricsError:
        pass
    return ExpectedPrecision()


@lru_cache(maxsize=256)
def _huse(name: str, contexts: int, raters: int, per_hit: int) -> Precision:
    return expected_precision(prior_pilot(name), texts=2 * contexts, raters=raters, per_hit=per_hit, studies=SIMULATED)
