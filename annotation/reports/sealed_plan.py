"""The sealed plan of a study as the report needs it, next to what is in force now."""

from __future__ import annotations

from annotation.models import SealedPlan, Study
from annotation.quality import applied_rules
from annotation.quality.rules import Rule
from annotation.reports.exclusion_rules import named_rule
from annotation.reports.report_rows import compared_in
from annotation.studies.freeze_plan import sealed_plans
from annotation.studies.plan_document import questions, read_document
from metrics.report.row_records import PlanAmendment, SealedPlanFacts


def sealed_facts(study: Study) -> SealedPlanFacts | None:
    """None where no plan was sealed, as of studies that were collected before plans were."""
    rows = sealed_plans(study)
    if not rows:
        return None
    first, document = rows[0], read_document(rows[0])
    settings, answers = document["settings"], document["answers"]
    question = [("Question", settings["question"])] if settings["question"] else []
    labels = {item.key: item.label for item in questions(document)}
    stored = applied_rules.rule_set(study)
    return SealedPlanFacts(
        sealed_at=first.at,
        sha256=first.sha256,
        submissions=first.submissions,
        items=(*question, *((labels[key], answers[key]) for key in labels if key in answers)),
        rules=None if document["rules"] is None else _named(document["rules"]["rules"]),
        applied_rules=_named(stored.rules) if stored else None,
        texts=document["texts"],
        conditions=len(document["cells"]),
        raters_per_text=settings["raters_per_text"] if settings["evaluators_per_cell"] is None else None,
        people=settings["evaluators_per_cell"],
        stop_width=settings["stop_width"] if settings["stop_rule"] == Study.Stop.WIDTH else None,
        comparison=compared_in(settings),
        amendments=tuple(map(_amendment, rows[1:])),
    )


def _named(rules: list[tuple[str, float | None]]) -> tuple[str, ...]:
    return tuple(named_rule(Rule(kind, threshold)) for kind, threshold in rules)


def _amendment(row: SealedPlan) -> PlanAmendment:
    return PlanAmendment(row.at, row.reason, row.submissions, row.sha256)
