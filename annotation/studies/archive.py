"""Archive a study: it leaves the list of studies, and nothing of it is deleted."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Job, Study

# Work comes in and money is spent without a word from anybody: such a study must stay in sight.
RUNNING = frozenset({Study.Status.PUBLISHED, Study.Status.PAUSED, Study.Status.ENDING})


def archive(study: Study, *, actor: str, now: datetime) -> bool:
    """Hide the study from the list; False where it is archived already.

    Raises StateError while it runs on a marketplace, or a background job works on it.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.archived_at is not None:
            return False
        if locked.status in RUNNING and locked.mode != Study.Mode.IMPORTED:
            raise StateError(
                f"The study {locked.name} is {locked.get_status_display()}. Close it, then archive it: participants "
                "could still work in it and be paid."
            )
        if Job.objects.filter(study=locked, state__in=[Job.State.WAITING, Job.State.RUNNING]).exists():
            raise StateError(f"A background job of {locked.name} is not finished. Archive the study afterwards.")
        return _set(locked, now, "archive", actor, now)


def unarchive(study: Study, *, actor: str, now: datetime) -> bool:
    """Put the study on the list again; False where it is there."""
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        return locked.archived_at is not None and _set(locked, None, "unarchive", actor, now)


def _set(study: Study, at: datetime | None, verb: str, actor: str, now: datetime) -> bool:
    study.archived_at = at
    study.save(update_fields=["archived_at"])
    AuditEvent.objects.record(study, verb, actor=actor, now=now)
    return True
