"""Retry or discard failed effects."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from annotation import ledger
from annotation.models import AuditEvent, Intent, Study
from annotation.outbox import queue

# A decision that a worker was promised cannot be dropped.
DROPPABLE = tuple(kind for kind in Intent.Kind.values if kind not in {Intent.Kind.APPROVE, Intent.Kind.REJECT})


@dataclass(frozen=True, slots=True)
class Mended:
    """Effects concerned, and cents that are not reserved any more."""

    effects: int
    released_cents: int = 0


def retry(study: Study, *, actor: str, now: datetime) -> Mended:
    """Let every failed effect of the study be tried again, under the token that it had."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        failed = study.intents.filter(state=Intent.State.FAILED)
        number = failed.update(state=Intent.State.WAITING, refusals=0, not_before=None, away_at=None)
        if number:
            AuditEvent.objects.record(study, "retry", actor=actor, now=now, effects=number)
    return Mended(number)


def drop(study: Study, *, actor: str, now: datetime) -> Mended:
    """Give up the study's failed effects (but decisions on pay) and release what was reserved for them."""
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        dropped = queue.drop(locked, Q(kind__in=DROPPABLE, state=Intent.State.FAILED))
        released = 0
        for intent in dropped:
            cents = ledger.reserved_by(intent)
            ledger.give_back(intent, cents, now=now)
            released += cents
        if dropped:
            AuditEvent.objects.record(
                study, "drop", actor=actor, now=now, effects=len(dropped), released_cents=released
            )
    return Mended(len(dropped), released)
