"""The tasks of a study as another one needs them to give people the same."""

from __future__ import annotations

import json
from dataclasses import fields

from annotation.models import Arm, Cell, Study
from annotation.studies.create import Plan
from annotation.texts import queries
from metrics.report.row_records import TaskPlan

# Of a plan, what belongs to the run of one study, or names people or texts that a snapshot does not hold.
OF_THE_RUN = ("seed", "budget_cents", "floor_cents", "retain_until", "gold_per_hit", "noun")


def task_plan(study: Study) -> TaskPlan | None:
    """None of a study whose work was collected elsewhere."""
    last = None if study.mode == Study.Mode.IMPORTED else study.wordings.last()
    if last is None:
        return None
    cells = Cell.objects.filter(arm__study=study).order_by("pk")
    texts = queries.texts(study).filter(known_label="").exclude(domain="").order_by("pk")
    return TaskPlan(
        wording=json.dumps(last.body, ensure_ascii=False, sort_keys=True),
        design=tuple(
            (field.name, getattr(study, field.name)) for field in fields(Plan) if field.name not in OF_THE_RUN
        ),
        arms=tuple(
            (arm.training, study.reward_cents if arm.reward_cents is None else arm.reward_cents)
            for arm in Arm.objects.filter(study=study).order_by("pk")
        ),
        cells=tuple(
            (training, domain, generator or "")
            for training, domain, generator in cells.values_list("arm__training", "domain", "generator__name")
        ),
        domains=tuple(texts.values_list("key", "domain")),
    )
