"""Arrange a study: which combinations of training, domain and generator gather ratings of their own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from annotation.design.presets import ArmPlan, CellPlan
from annotation.exceptions import DesignError, StateError
from annotation.models import Arm, AuditEvent, Cell, Study


def arrange(study: Study, arms: Sequence[ArmPlan], cells: Sequence[CellPlan], *, actor: str, now: datetime) -> int:
    """Make the study's arms and cells; how many cells there are now.

    Domains and generators are those of the study's texts. Raises StateError once the study has HITs, DesignError for
    an arm, a domain or a generator that is not there, or a cell named twice.
    """
    if len(set(cells)) < len(cells):
        raise DesignError("A combination of training, domain and generator is named twice.")
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.hits.exists():
            raise StateError(f"The study {study.name} already has its HITs.")
        Cell.objects.filter(arm__study=study).delete()
        stored_arms = {plan.training: _arm(study, plan) for plan in arms}
        _check(study, cells, set(stored_arms))
        generators = {generator.name: generator for generator in study.generators.all()}
        Cell.objects.bulk_create(
            Cell(arm=stored_arms[cell.training], domain=cell.domain, generator=generators.get(cell.generator))
            for cell in cells
        )
        AuditEvent.objects.record(study, "arrange", actor=actor, now=now, arms=len(stored_arms), cells=len(cells))
    return len(cells)


def _arm(study: Study, plan: ArmPlan) -> Arm:
    if plan.training not in Arm.Training.values:
        raise DesignError(f"A training is one of {', '.join(Arm.Training.values)}, not {plan.training}.")
    return Arm.objects.update_or_create(
        study=study, training=plan.training, defaults={"reward_cents": plan.reward_cents}
    )[0]


def _check(study: Study, cells: Sequence[CellPlan], arms: set[str]) -> None:
    domains = set(study.texts.judged().values_list("domain", flat=True))
    generators = set(study.generators.values_list("name", flat=True))
    for cell in cells:
        if cell.training not in arms:
            raise DesignError(f"A condition names the training {cell.training}, which is not an arm of the study.")
        if cell.domain and cell.domain not in domains:
            raise DesignError(f"A condition names the domain {cell.domain}; no text of the study has it.")
        if cell.generator and cell.generator not in generators:
            raise DesignError(f"A condition names the generator {cell.generator}; the study has no text of it.")
