"""What the verbs of the review share: when a decision leaves, and rows that several of them write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db.models import Count
from django.utils.dateparse import parse_datetime

from annotation.accounts.models import User
from annotation.models import Decision, Intent, Study, Submission

# How long a decision can be undone, and how long before the auto-approval it is sent at the latest.
WINDOW = timedelta(minutes=10)
MARGIN = timedelta(minutes=5)
DECIDING = (Intent.Kind.APPROVE, Intent.Kind.REJECT)
# What an intent keeps of a decision on the analysis that another has taken the place of.
BEFORE, STOOD = "before", ("verdict", "reason", "actor_id", "rule_set_id", "at")


def leaves_at(study: Study, submission: Submission, *, now: datetime, window: timedelta) -> datetime | None:
    """Return when the decision is sent: after the window, but never past the auto-approval; None: at once."""
    if not window:
        return None
    at = now + window
    if submission.submitted_at is not None:
        at = min(at, submission.submitted_at + timedelta(seconds=study.auto_approval_seconds) - MARGIN)
    return at if at > now else None


def intents(
    study: Study, kind: Intent.Kind, submissions: Sequence[Submission], *, now: datetime, window: timedelta
) -> list[Intent]:
    """Write the intents to send decisions to the marketplace (the study must be locked)."""
    before = intended(study, kind, [submission.pk for submission in submissions])
    unsaved = []
    for submission in submissions:
        intent = Intent.of(study, kind, submission.pk, slot=submission.market_id, number=before[submission.pk])
        intent.not_before = leaves_at(study, submission, now=now, window=window)
        unsaved.append(intent)
    return Intent.objects.bulk_create(unsaved)


def intended(study: Study, kind: Intent.Kind, subjects: Sequence[int]) -> Counter[int]:
    """By subject, how many effects of this kind were ever intended: the number of the next one."""
    before = Intent.objects.filter(study=study, kind=kind, subject__in=subjects)
    return Counter(dict(before.order_by().values_list("subject").annotate(n=Count("pk"))))


def exclude_by_hand(
    submissions: Iterable[Submission], *, reason: str, actor: User | None, now: datetime
) -> list[Decision]:
    """Write a person's exclusion of these from the analysis, in place of earlier decisions; return those."""
    excluded = list(submissions)
    mine = Decision.objects.filter(submission__in=excluded, matter=Decision.Matter.ANALYSIS)
    before = list(mine)
    mine.delete()
    Decision.objects.bulk_create(
        Decision(
            submission=submission,
            matter=Decision.Matter.ANALYSIS,
            verdict="exclude",
            reason=reason,
            actor=actor,
            at=now,
        )
        for submission in excluded
    )
    return before


def remember(written: Iterable[Intent], before: Iterable[Decision]) -> None:
    """Store with the intents the decisions that were replaced, so that undoing can restore them."""
    stood = {decision.submission_id: decision for decision in before}
    changed = [intent for intent in written if intent.subject in stood]
    for intent in changed:
        intent.details = {BEFORE: {name: _plain(getattr(stood[intent.subject], name)) for name in STOOD}}
    Intent.objects.bulk_update(changed, ["details"])


def restore(dropped: Iterable[Intent], *, holds: int | None) -> None:
    """Restore the decisions that were replaced; those of rules only where their version (primary key) still applies."""
    stored = [(intent.subject, intent.details[BEFORE]) for intent in dropped if BEFORE in intent.details]
    Decision.objects.bulk_create(
        Decision(submission_id=subject, matter=Decision.Matter.ANALYSIS, **{**row, "at": parse_datetime(row["at"])})
        for subject, row in stored
        if row["rule_set_id"] in (None, holds)
    )


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def name_of(actor: User | None) -> str:
    """As the audit log names who did it."""
    return actor.get_username() if actor else "assay"
