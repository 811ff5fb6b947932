"""Deadlines of the marketplace's automatic approval."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, Q

from annotation.models import Decision, Study, Submission


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Submissions without a decision: all of them, those approved within the time asked for, and the first moment."""

    waiting: int
    soon: int
    first: datetime | None


def deadlines(study: Study, *, now: datetime, within: timedelta) -> Deadlines:
    """Return when the marketplace approves undecided work, by the study's delay."""
    delay = timedelta(seconds=study.auto_approval_seconds)
    undecided = Submission.objects.filter(hit__study=study).exclude(decisions__matter=Decision.Matter.PAYMENT)
    counts = undecided.aggregate(
        waiting=Count("pk"),
        soon=Count("pk", filter=Q(submitted_at__lte=now + within - delay)),
        first=Min("submitted_at"),
    )
    first = counts["first"] + delay if counts["first"] else None
    return Deadlines(counts["waiting"], counts["soon"], first)
