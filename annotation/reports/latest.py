"""Reads across all studies of a visitor: whose work, which results, how much money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, QuerySet

from annotation.design.queries import arm_assignment
from annotation.models import Result, Study
from annotation.reports.measures import Measure, measures_of, stand_side_by_side
from metrics.data.arm_assignment import assignment_sentence


@dataclass(frozen=True, slots=True)
class Reported:
    """The measures of a study's latest report, and when it was created.

    arms: how raters came to their arm, where several are listed and it was not drawn.
    """

    study: Study
    created_at: datetime
    measures: tuple[Measure, ...]
    arms: str = ""


def results(studies: QuerySet[Study]) -> QuerySet[Result]:
    """The latest result of each study that has one, newest first: whoever had it made saw the results."""
    latest = Result.objects.filter(study__in=studies.values("pk")).order_by().values("study").annotate(last=Max("pk"))
    return Result.objects.filter(pk__in=latest.values("last")).select_related("study").order_by("-made_at", "-pk")


def reported(result: Result) -> Reported:
    """Its measures, as a table shows them."""
    measures = tuple(measures_of(result))
    return Reported(result.study, result.made_at, measures, arms_of(result.study, measures))


def arms_of(study: Study, measures: Sequence[Measure]) -> str:
    """What these measures must say of how raters came to their arm; "" for nothing."""
    return assignment_sentence(arm_assignment(study)) if stand_side_by_side(measures) else ""
