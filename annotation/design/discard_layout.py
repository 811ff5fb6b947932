"""Take back a layout that nothing was published of, so that the design can change."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Hit, Study


def clear_design(study: Study, *, actor: str, now: datetime) -> int:
    """Remove the HITs of a draft; how many there were. Raises StateError once anything was asked of a marketplace."""
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.status != Study.Status.DRAFT or locked.intents.exists():
            raise StateError(f"The study {study.name} is {locked.status}; its HITs stay as they are.")
        count = locked.hits.count()
        Hit.objects.filter(study=locked).delete()
        if count:
            AuditEvent.objects.record(locked, "clear_design", actor=actor, now=now, hits=count)
    return count
