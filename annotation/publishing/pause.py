"""Pause a study and resume it. While it is paused, only workers with an open assignment can submit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Hit, Study
from annotation.outbox import queue


@dataclass(frozen=True, slots=True)
class Change:
    """HITs whose offer ends or begins again by this."""

    hits: int


def pause(study: Study, *, actor: str, now: datetime) -> Change:
    """Offer no HIT to anybody new until `resume`. Raises StateError unless the study is published."""
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.status != Study.Status.PUBLISHED:
            raise StateError(f"The study {study.name} is {locked.status}; only a published study is paused.")
        hits = list(locked.hits.exclude(market_id=None).exclude(market_status=Hit.DISPOSED).order_by("slot"))
        queue.expiries(locked, hits)
        _become(study, Study.Status.PAUSED)
        AuditEvent.objects.record(study, "pause", actor=actor, now=now, hits=len(hits))
    return Change(len(hits))


def resume(study: Study, *, actor: str, now: datetime) -> Change:
    """Offer the HITs that are not full again, for as long as new ones are offered. Raises StateError unless paused."""
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.status != Study.Status.PAUSED:
            raise StateError(f"The study {study.name} is {locked.status}; only a paused study is resumed.")
        open_hits = locked.hits.exclude(market_id=None).exclude(market_status=Hit.DISPOSED)
        hits = list(open_hits.filter(collected__lt=F("max_assignments")).order_by("slot"))
        queue.prolongations(locked, hits)
        _become(study, Study.Status.PUBLISHED)
        AuditEvent.objects.record(study, "resume", actor=actor, now=now, hits=len(hits))
    return Change(len(hits))


def _become(study: Study, status: str) -> None:
    Study.objects.filter(pk=study.pk).update(status=status)
    study.status = status
