"""Long work: asked for, taken by one, told of while it runs, ended."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q

from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.models import Job, Study

# A job that has said nothing for so long is taken for dead; after so many deaths it is given up.
SILENCE = timedelta(minutes=15)
MOST_ATTEMPTS = 3


def ask(
    kind: str, *, by: User | None, now: datetime, study: Study | None = None, settings: Mapping[str, Any] | None = None
) -> Job:
    """A new job; the open one, where the same is under way already for this study."""
    wanted = dict(settings or {})
    with transaction.atomic():
        if study is not None:
            Study.objects.select_for_update().get(pk=study.pk)
            for one in Job.objects.filter(study=study, kind=kind, state__in=["waiting", "running"]):
                if one.settings == wanted:
                    return one
        return Job.objects.create(kind=kind, study=study, asked_by=by, settings=wanted, created_at=now)


def take(*, now: datetime, wanted: Job | None = None) -> Job | None:
    """The oldest job that waits or whose taker is silent, now this caller's; None where there is none.

    wanted: that one and no other.
    """
    silent = Q(state=Job.State.RUNNING, beat_at__lte=now - SILENCE)
    due = Job.objects.filter(Q(state=Job.State.WAITING) | silent).order_by("created_at", "pk")
    if wanted is not None:
        due = due.filter(pk=wanted.pk)
    for job in due[:20]:
        if job.attempts >= MOST_ATTEMPTS:
            fail(job, "It was begun three times and never came to an end.", now=now)
            continue
        mine = Job.objects.filter(pk=job.pk, state=job.state, attempts=job.attempts)
        if mine.update(state=Job.State.RUNNING, attempts=F("attempts") + 1, beat_at=now):
            job.refresh_from_db()
            return job
    return None


def tell(job: Job, step: str, done: int, of: int, *, now: datetime) -> None:
    """Say how far the job is. Raises StateError where somebody else has taken it meanwhile."""
    if not _own(job).update(step=step[:200], done=done, of=of, beat_at=now):
        raise StateError("This job was taken by somebody else.")


def finish(job: Job, outcome: Mapping[str, Any], *, now: datetime, study: Study | None = None) -> bool:
    """Note what came of it (and the study that it made); False where it is no longer the caller's."""
    made = {"study": study} if study is not None else {}
    return bool(_own(job).update(state=Job.State.DONE, outcome=dict(outcome), finished_at=now, **made))


def fail(job: Job, problem: str, *, now: datetime) -> bool:
    """Note why nothing came of it."""
    return bool(_own(job).update(state=Job.State.FAILED, problem=problem or "It failed.", finished_at=now))


def cancel(job: Job, *, actor: str, now: datetime) -> None:
    """End a job that waits or runs; who has taken it notices when it next says how far it is, and stores nothing.

    Raises StateError where it cannot be canceled (any more).
    """
    job.refresh_from_db()
    problem = f"Canceled by {actor}."
    if not job.cancelable or not _own(job).update(state=Job.State.FAILED, problem=problem, finished_at=now):
        raise StateError("This job cannot be canceled: it has ended, or it is storing its work already.")
    job.refresh_from_db()


def _own(job: Job) -> Any:
    return Job.objects.filter(pk=job.pk, attempts=job.attempts, state=job.state)
