"""Unblind results: from then on decisions are not blind, so the log records when and by whom."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Study, Submission
from annotation.studies.blinding import seen_at

UNBLINDED = (
    "Warning: the results of {study} are no longer blinded. From now on decisions on exclusions and on stopping are "
    "not blind. The log records who unblinded the results, when, and how much work was in."
)


def unblind(study: Study, *, actor: str, now: datetime) -> bool:
    """Log that results are shown from now on, with how much work was in; False where that was logged before."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        if AuditEvent.objects.filter(study=study, verb="unblind").exists():
            return False
        submitted = Submission.objects.filter(hit__study=study).count()
        AuditEvent.objects.record(study, "unblind", actor=actor, now=now, submitted=submitted)
    return True


def is_first_look(study: Study) -> bool:
    """Whether something was submitted, and nobody could see results yet."""
    return seen_at(study) is None and Submission.objects.filter(hit__study=study).exists()


def look(study: Study, *, actor: str, now: datetime, confirmed: bool = True) -> str:
    """Show results; return a warning where they were blinded, else "".

    Before anything was submitted there is nothing to see, and nothing is logged. Raises StateError, naming `unblind`,
    for a first look that is not `confirmed`.
    """
    if not is_first_look(study):
        return ""
    require_confirmation(study, confirmed=confirmed)
    unblind(study, actor=actor, now=now)
    return UNBLINDED.format(study=study.name)


def require_confirmation(study: Study, *, confirmed: bool) -> None:
    """Raise StateError, naming `unblind`, for a first look that is not `confirmed`."""
    if not confirmed and is_first_look(study):
        raise StateError(
            f"The results of {study.name} are blinded. Once they are shown, decisions on exclusions and on stopping "
            "are no longer blind: decide on exclusions first, then confirm with `unblind`. The log will record who "
            "unblinded the results, when, and how much work was in."
        ).at("unblind")
