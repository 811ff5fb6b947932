"""The queue of long work: request a job, take it, report its progress, end it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q

from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.models import Job, Study

# A job without a sign of life for this long counts as dead; after MAX_ATTEMPTS it has failed.
SILENCE = timedelta(minutes=15)
MAX_ATTEMPTS = 3
# Jobs that read what somebody uploaded: they have a queue of their own, so that no report is in their way, and no file
# takes down the process of other jobs.
FILE_KINDS = (
    Job.Kind.LOOK_AT_FILE,
    Job.Kind.CHECK_TEXTS,
    Job.Kind.ADD_TEXTS,
    Job.Kind.IMPORT_BATCH,
    Job.Kind.CHECK_RATINGS,
    Job.Kind.IMPORT_RATINGS,
    Job.Kind.CHECK_REVIEW,
    Job.Kind.APPLY_REVIEW,
    Job.Kind.IMPORT_WORKERS,
)


def ask(
    kind: str, *, by: User | None, now: datetime, study: Study | None = None, settings: Mapping[str, Any] | None = None
) -> Job:
    """A new job; the open one, where the same is under way already for this study."""
    requested = dict(settings or {})
    with transaction.atomic():
        if study is not None:
            Study.objects.select_for_update().get(pk=study.pk)
            for job in Job.objects.filter(study=study, kind=kind, state__in=["waiting", "running"]):
                if job.settings == requested:
                    return job
        return Job.objects.create(kind=kind, study=study, asked_by=by, settings=requested, created_at=now)


def take(*, now: datetime, only: Job | None = None, files: bool | None = None) -> Job | None:
    """The oldest job that waits or whose taker is silent, now this caller's; None where there is none.

    only: that one and no other. files: of those that read files, or of the others.
    """
    silent = Q(state=Job.State.RUNNING, beat_at__lte=now - SILENCE)
    due = Job.objects.filter(Q(state=Job.State.WAITING) | silent).order_by("created_at", "pk")
    if only is not None:
        due = due.filter(pk=only.pk)
    if files is not None:
        due = due.filter(kind__in=FILE_KINDS) if files else due.exclude(kind__in=FILE_KINDS)
    for job in due[:20]:
        if job.attempts >= MAX_ATTEMPTS:
            fail(job, "It was begun three times and never came to an end.", now=now)
            continue
        mine = Job.objects.filter(pk=job.pk, state=job.state, attempts=job.attempts)
        if mine.update(state=Job.State.RUNNING, attempts=F("attempts") + 1, beat_at=now):
            job.refresh_from_db()
            return job
    return None


def tell(job: Job, step: str, done: int, of: int, *, now: datetime) -> None:
    """Store how far the job is. Raises StateError where another worker has taken it meanwhile."""
    if not _held(job).update(step=step[:200], done=done, of=of, beat_at=now):
        raise StateError("Another worker has taken over this job.")


def finish(job: Job, outcome: Mapping[str, Any], *, now: datetime, study: Study | None = None) -> bool:
    """Note what came of it (and the study that it made); False where it is no longer the caller's."""
    created = {"study": study} if study is not None else {}
    return bool(_held(job).update(state=Job.State.DONE, outcome=dict(outcome), finished_at=now, **created))


def fail(job: Job, problem: str, *, now: datetime) -> bool:
    """Note why nothing came of it."""
    return bool(_held(job).update(state=Job.State.FAILED, problem=problem or "It failed.", finished_at=now))


def cancel(job: Job, *, actor: str, now: datetime) -> None:
    """End a job that waits or runs; who has taken it notices when it next says how far it is, and stores nothing.

    Raises StateError where it cannot be canceled (any more).
    """
    job.refresh_from_db()
    problem = f"Canceled by {actor}."
    if not job.cancelable or not _held(job).update(state=Job.State.FAILED, problem=problem, finished_at=now):
        raise StateError("This job cannot be canceled: it has ended, or it is storing its work already.")
    job.refresh_from_db()


def _held(job: Job) -> Any:
    return Job.objects.filter(pk=job.pk, attempts=job.attempts, state=job.state)
