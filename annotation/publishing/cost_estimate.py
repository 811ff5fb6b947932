"""Estimate cost and wage of a draft."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation import ledger
from annotation.design.kinds import find_kind
from annotation.design.presets import ArmPlan, CellPlan
from annotation.design.preview_time import PreviewTime, preview_time_of
from annotation.design.task_kind import TaskKind
from annotation.design.wording import from_json
from annotation.models import Cell, Study
from annotation.pricing.estimates import CellSize, Estimate, Sketch, estimate
from annotation.pricing.wages import SECONDS_A_JUDGMENT, floor_for
from annotation.texts import pile as texts_pile
from annotation.texts.pile import Pile

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
    """A study's price in numbers, and the numbers it is made of (for the precision, which takes a moment).

    preview: the measurement that the minutes come from (None: reckoned from words and answers). reward_cents: what
    every task pays; None where conditions pay differently.
    """

    estimate: Estimate
    texts: int
    cells: int
    budget_cents: int | None
    raters: int
    per_hit: int
    evaluators: int | None
    contexts: int
    allowed_seconds: int
    preview: PreviewTime | None
    reward_cents: int | None

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
    kind = find_kind(study.task)
    cells = cells or [CellPlan("none")]
    lines = [_lines(study, kind, pile, cell) for cell in cells]
    sizes = [
        CellSize(count, pays.get(cell.training, form_data["reward_cents"]))
        for count, cell in zip(lines, cells, strict=True)
    ]
    texts = [pile.of_cell(cell.domain, cell.generator) for cell in cells]
    # Texts of a line: of a page with pairs or whole contexts more than one.
    per_line = max((text / line for text, line in zip(texts, lines, strict=True) if line), default=1.0)
    version = study.wordings.last()
    wording = from_json(version.body) if version else None
    answers = math.ceil(per_line) if kind and kind.keeps_contexts else 1
    preview = preview_time_of(study)
    has_remarks = bool(wording and wording.follow_ups)
    sketch = Sketch(
        tuple(sizes), form_data["texts_per_hit"], form_data["raters_per_text"], ledger.endpoint_fees(),
        form_data["evaluators_per_cell"], form_data["in_nines"], form_data["extra"],
        per_line * texts_pile.average_words(study),
        answers * (len(wording.criteria) if wording else 1), has_remarks, form_data["budget_cents"],
        kind.judgment_seconds if kind else SECONDS_A_JUDGMENT, preview.median_seconds if preview else None,
    )  # fmt: skip
    floor = floor_for(form_data["floor_cents"], form_data["currency"])
    references = sum(pile.references.values())
    rewards = {size.reward_cents for size in sizes}
    return Bill(
        estimate(sketch, floor=floor), pile.total, len(sizes), form_data["budget_cents"], sketch.raters, sketch.per_hit,
        sketch.evaluators, min([references, *(sum(counts.values()) for counts in pile.generators.values())]),
        form_data["assignment_seconds"], preview, rewards.pop() if len(rewards) == 1 else None,
    )  # fmt: skip


def _lines(study: Study, kind: TaskKind | None, pile: Pile, cell: CellPlan) -> int:
    """What a cell's pages show, as the layout counts it: texts, pairs of texts, or contexts with all their texts."""
    if kind is not None and kind.keeps_contexts:
        return texts_pile.contexts_of_cell(study, cell.domain, cell.generator, by_source=kind.in_order)
    if kind is not None and kind.in_pairs:
        return pile.pairs_of_cell(cell.domain, cell.generator)
    return pile.of_cell(cell.domain, cell.generator)
