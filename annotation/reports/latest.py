"""Reads across all studies of a visitor: whose work, which results, how much money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, IntegerField, Max, OuterRef, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from annotation.design.queries import arm_assignment
from annotation.models import Decision, Flag, Result, Study, Submission, Worker
from annotation.studies.queries import Told, stand_side_by_side, told_of
from metrics.data.arm_assignment import assignment_sentence


def workers(studies: QuerySet[Study]) -> QuerySet[Worker]:
    """Who handed in work in these studies, with counts: studies, handed_in, flags, left_out, refused; and one study.

    The most active first.
    """
    named = studies.values("pk")
    mine = Submission.objects.filter(hit__study__in=named)
    flagged = Flag.objects.filter(submission__hit__study__in=named)
    decided = Decision.objects.filter(submission__hit__study__in=named)
    return (
        Worker.objects.filter(Exists(mine.filter(worker=OuterRef("pk"))))
        .annotate(
            studies=_counted(mine, "worker", Count("hit__study", distinct=True)),
            handed_in=_counted(mine, "worker"),
            flags=_counted(flagged, "submission__worker"),
            left_out=_counted(decided.filter(verdict="exclude"), "submission__worker"),
            refused=_counted(decided.filter(verdict="reject"), "submission__worker"),
            seen_in=Subquery(mine.filter(worker=OuterRef("pk")).order_by("-pk").values("hit__study__uuid")[:1]),
        )
        .order_by("-handed_in", "pseudonym")
    )


def _counted(rows: QuerySet[Any], worker: str, what: Count | None = None) -> Coalesce:
    told = rows.filter(**{worker: OuterRef("pk")}).order_by().values(worker).annotate(n=what or Count("pk"))
    return Coalesce(Subquery(told.values("n"), output_field=IntegerField()), Value(0))


@dataclass(frozen=True, slots=True)
class Reported:
    """What the latest report of a study told, and when it was made.

    arms: how raters came to their arm, where several stand here and it was not drawn.
    """

    study: Study
    made_at: datetime
    measures: tuple[Told, ...]
    arms: str = ""


def results(studies: QuerySet[Study]) -> QuerySet[Result]:
    """The latest result of each study that has one, newest first: whoever had it made saw the results."""
    latest = Result.objects.filter(study__in=studies.values("pk")).order_by().values("study").annotate(last=Max("pk"))
    return Result.objects.filter(pk__in=latest.values("last")).select_related("study").order_by("-made_at", "-pk")


def reported(result: Result) -> Reported:
    """Its measures, as a table shows them."""
    measures = tuple(told_of(result))
    return Reported(result.study, result.made_at, measures, arms_of(result.study, measures))


def arms_of(study: Study, measures: Sequence[Told]) -> str:
    """What these measures must say of how raters came to their arm; "" for nothing."""
    return assignment_sentence(arm_assignment(study)) if stand_side_by_side(measures) else ""


@dataclass(frozen=True, slots=True)
class Purse:
    """Money of one mode: cents spent, and set aside."""

    mode: str
    spent_cents: int
    reserved_cents: int


def purses(studies: QuerySet[Study]) -> list[Purse]:
    """What accounts were charged: live studies and rehearsals (play money) apart."""
    out = Study.objects.filter(pk__in=studies.values("pk")).exclude(mode=Study.Mode.IMPORTED)
    rows = out.order_by("mode").values_list("mode").annotate(spent=Sum("spent_cents"), held=Sum("reserved_cents"))
    return [Purse(mode, int(spent), int(held)) for mode, spent, held in rows]


def costly(studies: QuerySet[Study]) -> QuerySet[Study]:
    """The studies that money was spent on, is set aside for or is planned for, newest first."""
    return studies.exclude(mode=Study.Mode.IMPORTED).order_by("-created_at", "-pk")
