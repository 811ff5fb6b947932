"""What the verbs of the review share: when a decision leaves, and rows that several of them write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db.models import Count

from annotation.accounts.models import User
from annotation.models import Decision, Intent, Study, Submission

# A decision of the desk can be taken back for so long, and leaves at the latest so long before the market's own.
WINDOW = timedelta(minutes=10)
MARGIN = timedelta(minutes=5)
DECIDING = (Intent.Kind.APPROVE, Intent.Kind.REJECT)


def leaves_at(study: Study, submission: Submission, *, now: datetime, window: timedelta) -> datetime | None:
    """When the marketplace is told: after the window, but never past its own approval; None: at once."""
    if not window:
        return None
    at = now + window
    if submission.submitted_at is not None:
        at = min(at, submission.submitted_at + timedelta(seconds=study.auto_approval_seconds) - MARGIN)
    return at if at > now else None


def intents(
    study: Study, kind: Intent.Kind, submissions: Sequence[Submission], *, now: datetime, window: timedelta
) -> list[Intent]:
    """Write the intents to tell the marketplace (the study must be locked)."""
    before = Intent.objects.filter(study=study, kind=kind, subject__in=[one.pk for one in submissions])
    numbers = dict(before.order_by().values_list("subject").annotate(n=Count("pk")))
    made = []
    for one in submissions:
        intent = Intent.of(study, kind, one.pk, slot=one.market_id, number=numbers.get(one.pk, 0))
        intent.not_before = leaves_at(study, one, now=now, window=window)
        made.append(intent)
    return Intent.objects.bulk_create(made)


def exclude_by_hand(submissions: Iterable[Submission], *, reason: str, actor: User | None, now: datetime) -> None:
    """Write that a person leaves these out of the analysis, in place of whatever was decided about that."""
    found = list(submissions)
    Decision.objects.filter(submission__in=found, matter=Decision.Matter.ANALYSIS).delete()
    Decision.objects.bulk_create(
        Decision(submission=one, matter=Decision.Matter.ANALYSIS, verdict="exclude", reason=reason, actor=actor, at=now)
        for one in found
    )


def name_of(actor: User | None) -> str:
    """As the audit log names who did it."""
    return actor.get_username() if actor else "assay"
