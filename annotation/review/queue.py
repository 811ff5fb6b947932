"""Assignments that await a decision, their order and their deadlines."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import (
    Case,
    Count,
    DateTimeField,
    Exists,
    ExpressionWrapper,
    F,
    IntegerField,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from annotation.models import Decision, Hit, Intent, Reply, Study, Submission

# Bands of the time left until the auto-approval.
BANDS = (timedelta(hours=6), timedelta(hours=24), timedelta(days=3))


# How long after submission the marketplace lets a rejection be reversed.
OVERRIDE_WINDOW = timedelta(days=30)


def payments() -> QuerySet[Decision]:
    """Decisions on payment."""
    return Decision.objects.filter(matter=Decision.Matter.PAYMENT)


def undecided(study: Study, *, now: datetime) -> QuerySet[Submission]:
    """Return undecided work: the most urgent band first, and in each the most suspicious.

    Each with `due` (the time of auto-approval), `band` (0: the most urgent) and `suspicion`.
    """
    return waiting_order(
        Submission.objects.filter(hit__study=study).exclude(Exists(payments().filter(submission=OuterRef("pk")))),
        study,
        now=now,
    )


def answered(study: Study, *, now: datetime) -> QuerySet[Submission]:
    """Return rejected work with an unread reply of its worker that can still be approved: in the order of the
    replies, each with `answered_at` and `open_until`, and as `undecided`."""
    unread = Reply.objects.filter(submission=OuterRef("pk"), heeded_at=None)
    refused = payments().filter(submission=OuterRef("pk"), verdict="reject")
    mine = Submission.objects.filter(Exists(unread), Exists(refused), hit__study=study)
    open_ones = mine.filter(submitted_at__gte=now - OVERRIDE_WINDOW).exclude(hit__market_status=Hit.DISPOSED)
    until = ExpressionWrapper(F("submitted_at") + OVERRIDE_WINDOW, output_field=DateTimeField())
    came = Subquery(unread.order_by("at").values("at")[:1])
    return (
        waiting_order(open_ones, study, now=now)
        .annotate(answered_at=came, open_until=until)
        .order_by("answered_at", "pk")
    )


def waiting_order(rows: QuerySet[Submission], study: Study, *, now: datetime) -> QuerySet[Submission]:
    """With `due`, `band` and `suspicion`, in the order in which a reviewer should look."""
    late = study_delay(study)
    edges = [When(submitted_at__lte=now + band - late, then=Value(at)) for at, band in enumerate(BANDS)]
    return rows.annotate(
        due=ExpressionWrapper(F("submitted_at") + late, output_field=DateTimeField()),
        band=Case(*edges, default=Value(len(BANDS)), output_field=IntegerField()),
        suspicion=Coalesce(F("evidence__suspicion"), 0.5),
    ).order_by("band", "-suspicion", "pk")


def study_delay(study: Study) -> timedelta:
    """Return how long after its submission the marketplace auto-approves work."""
    return timedelta(seconds=study.auto_approval_seconds)


def due_at(study: Study, submission: Submission) -> datetime | None:
    """Return when the marketplace auto-approves; None where the time of submission is unknown."""
    return submission.submitted_at + study_delay(study) if submission.submitted_at else None


def waits(submission: Submission, *, now: datetime) -> Intent | None:
    """Return the intent that sends a decision to the marketplace and can still be undone."""
    kinds = [Intent.Kind.APPROVE, Intent.Kind.REJECT]
    return Intent.objects.filter(kind__in=kinds, subject=submission.pk, state="waiting", not_before__gt=now).first()


def decided_counts(study: Study) -> dict[str, int]:
    """Submissions by payment decision, and all of them under `all`."""
    rows = payments().filter(submission__hit__study=study).order_by().values_list("verdict").annotate(n=Count("pk"))
    return {"all": Submission.objects.filter(hit__study=study).count(), **dict(rows)}
