"""Gather human-or-machine judgments for `metrics.evaluate_judgments`."""

from __future__ import annotations

from annotation.collecting.ratings import by_code_point, excluded
from annotation.design.kinds import asks
from annotation.exceptions import StateError
from annotation.models import ItemRole, Judgment, Study, Text
from metrics import EvaluatorJudgment
from metrics.data.answer_types import AnswerType
from metrics.data.criterion_names import WRITTEN_BY
from metrics.data.evaluator_judgments import HUMAN, MACHINE

FACTORS = ("training", "domain", "generator")


def score_evaluators(study: Study) -> list[EvaluatorJudgment]:
    """Every kept judgment with its condition: training, domain and the generator its cell compares.

    Raises StateError for another kind of study, or one without judgments.
    """
    if not asks(study.task, AnswerType.TWO_SIDED):
        raise StateError(f"The study {study.name} asks another question than who wrote its texts.")
    rows = (
        Judgment.objects.filter(
            presentation__submission__hit__study=study, presentation__role=ItemRole.ITEM, criterion=WRITTEN_BY
        )
        .filter(~excluded())
        .order_by(
            "presentation__submission__hit__slot",
            by_code_point("presentation__submission__worker__pseudonym"),
            "pk",
        )
        .values_list(
            "presentation__submission__worker__pseudonym",
            "presentation__text__key",
            "presentation__text__source",
            "label__code",
            "presentation__submission__hit__cell__arm__training",
            "presentation__submission__hit__cell__domain",
            "presentation__submission__hit__cell__generator__name",
        )
    )
    judgments = [
        EvaluatorJudgment(
            rater,
            text,
            HUMAN if source == Text.Source.REFERENCE else MACHINE,
            int(code),
            {"training": training, "domain": domain or "all", "generator": generator or "all"},
        )
        for rater, text, source, code, training, domain, generator in rows.iterator(chunk_size=5000)
    ]
    if not judgments:
        raise StateError(f"The study {study.name} has no judgments yet.")
    return judgments
