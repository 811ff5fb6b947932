"""Counts of collected work: time, submissions, providers, quality flags."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, F, FloatField, Max, Min, OuterRef, Q, Value
from django.db.models.functions import Coalesce

from annotation.collecting.ratings import exclusions
from annotation.models import AuditEvent, Decision, Flag, Study, Submission, WorkerIdentity

# Of a submission: the active time that the page's own clock measured, where it timed every text; else from accepting
# to submitting, which also counts the time a worker was elsewhere.
SECONDS_WORKED = Coalesce(F("parse__active_ms") / Value(1000.0), F("work_seconds"), output_field=FloatField())


def work_seconds(study: Study) -> list[int]:
    """How long each submission took, where known, ascending."""
    times = Submission.objects.filter(hit__study=study).values_list(SECONDS_WORKED, flat=True)
    return sorted(round(seconds) for seconds in times if seconds is not None)


@dataclass(frozen=True, slots=True)
class CrowdCounts:
    """Submissions of a study: who gave them, when, and what was decided about them."""

    workers: int
    submitted: int
    approved: int
    rejected: int
    excluded: int
    rejected_included: int
    withdrawn: int
    first: datetime | None
    last: datetime | None


def crowd_counts(study: Study) -> CrowdCounts:
    """One row of counts."""
    left_out = Exists(exclusions().filter(submission=OuterRef("pk")))
    paid = Decision.objects.filter(matter=Decision.Matter.PAYMENT, submission=OuterRef("pk"))
    counts = (
        Submission.objects.filter(hit__study=study)
        .annotate(
            left_out=left_out, yes=Exists(paid.filter(verdict="approve")), no=Exists(paid.filter(verdict="reject"))
        )
        .aggregate(
            workers=Count("worker", distinct=True),
            submitted=Count("pk"),
            approved=Count("pk", filter=Q(yes=True)),
            rejected=Count("pk", filter=Q(no=True)),
            excluded=Count("pk", filter=Q(left_out=True)),
            rejected_included=Count("pk", filter=Q(no=True, left_out=False)),
            withdrawn=Count("pk", filter=Q(raw_format=Submission.WITHDRAWN)),
            first=Min("submitted_at"),
            last=Max("submitted_at"),
        )
    )
    return CrowdCounts(**counts)


def refused_by_two(study: Study) -> int:
    """Count rejections that one reviewer proposed and another confirmed; others were made on the marketplace."""
    refused = Decision.objects.filter(submission__hit__study=study, matter=Decision.Matter.PAYMENT, verdict="reject")
    return refused.filter(submission__rejection__seconded_by__isnull=False).count()


def replied(study: Study) -> int:
    """Count submissions whose worker replied to the decision."""
    return Submission.objects.filter(hit__study=study, replies__isnull=False).distinct().count()


def reversed_rejections(study: Study) -> int:
    """Count rejections that reviewers reversed, as the log has them."""
    return AuditEvent.objects.filter(study=study, verb="overturn").count()


def providers(study: Study) -> tuple[str, ...]:
    """Where the study's workers come from."""
    known = WorkerIdentity.objects.filter(worker__submissions__hit__study=study)
    return tuple(known.order_by("provider").values_list("provider", flat=True).distinct())


def flags_by_kind(study: Study) -> dict[str, tuple[int, int]]:
    """Return (assignments flagged, of these excluded from the analysis) by kind of flag."""
    left_out = Exists(exclusions().filter(submission=OuterRef("submission")))
    rows = (
        Flag.objects.filter(submission__hit__study=study)
        .annotate(left_out=left_out)
        .values("kind")
        .annotate(n=Count("pk"), gone=Count("pk", filter=Q(left_out=True)))
        .order_by("kind")
    )
    return {row["kind"]: (row["n"], row["gone"]) for row in rows}


def flagged_workers(study: Study) -> dict[str, int]:
    """People with a flag, by its kind."""
    rows = Flag.objects.filter(submission__hit__study=study).order_by().values_list("kind")
    return dict(rows.annotate(n=Count("submission__worker", distinct=True)))
