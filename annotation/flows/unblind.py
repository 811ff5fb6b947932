"""Look at results: once seen, a study can no longer be decided on blindly, so the log says when and by whom."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from annotation.models import AuditEvent, Study, Submission


def unblind(study: Study, *, actor: str, now: datetime) -> bool:
    """Note that results are looked at from now on, with how much work was in; False where that was noted before."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        if AuditEvent.objects.filter(study=study, verb="unblind").exists():
            return False
        submitted = Submission.objects.filter(hit__study=study).count()
        AuditEvent.objects.record(study, "unblind", actor=actor, now=now, submitted=submitted)
    return True
