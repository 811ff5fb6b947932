"""What waits to be done at Prolific: queued with the decision, taken by compare-and-set, harmless when done twice."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F

from annotation.marketplace.models import ProlificAction, ProlificStudy, ProlificSubmission
from annotation.marketplace.prolific.answers import ProlificError

Kind = ProlificAction.Kind
State = ProlificAction.State
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=15), timedelta(hours=1)


def queue(
    study: ProlificStudy,
    kind: str,
    *,
    now: datetime,
    submission: ProlificSubmission | None = None,
    **details: Any,
) -> bool:
    """Have something done, in the transaction of the decision; False where it is queued, or was done, already."""
    try:
        with transaction.atomic():
            ProlificAction.objects.create(
                study=study, kind=kind, submission=submission, details=details, due_at=now, created_at=now
            )
    except IntegrityError:
        return False
    return True


def lease() -> timedelta:
    """For how long an action that was taken is not taken again: it may have been interrupted, or may be under way."""
    return timedelta(seconds=settings.PROLIFIC_LEASE_SECONDS)


def take(action: ProlificAction, *, now: datetime) -> bool:
    """Take `action` for this process; False where another has it."""
    rows = ProlificAction.objects.filter(pk=action.pk, state=State.WAITING, attempts=action.attempts, due_at__lte=now)
    if not rows.update(attempts=F("attempts") + 1, due_at=now + lease()):
        return False
    action.attempts += 1
    return True


def finish(action: ProlificAction, *, now: datetime) -> None:
    """Note that it is done."""
    rows = ProlificAction.objects.filter(pk=action.pk, state=State.WAITING)
    rows.update(state=State.DONE, done_at=now, error="")


def note_failure(action: ProlificAction, error: ProlificError, *, now: datetime) -> None:
    """Note why it was not done: it is tried again later where that can help."""
    rows = ProlificAction.objects.filter(pk=action.pk, state=State.WAITING)
    if error.later:
        rows.update(error=str(error), due_at=now + pause(action.attempts, error))
    else:
        rows.update(error=str(error), state=State.FAILED, done_at=now)


def pause(attempts: int, error: ProlificError) -> timedelta:
    """How long to wait before the next try: as long as Prolific says, else doubling."""
    doubled = FIRST_PAUSE * 2 ** min(max(attempts - 1, 0), 12)
    return max(error.retry_after or timedelta(0), min(doubled, LONGEST_PAUSE))


def retry_failed(study: ProlificStudy, *, now: datetime) -> int:
    """Try failed actions of a study again; how many."""
    rows = ProlificAction.objects.filter(study=study, state=State.FAILED)
    # The same may have been asked for again meanwhile.
    open_kinds = ProlificAction.objects.filter(study=study, state=State.WAITING, submission=None).values("kind")
    rows = rows.exclude(submission=None, kind__in=open_kinds)
    return rows.update(state=State.WAITING, due_at=now, done_at=None, attempts=0)
