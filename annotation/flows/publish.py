"""Publish a study: one intent per HIT, written with the decision."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Intent, Study


@dataclass(frozen=True, slots=True)
class Publication:
    """How many HITs will be created; `already`: how many had been asked for before."""

    intended: int
    already: int


def publish(study: Study, *, actor: str, now: datetime, by_invitation: bool = False) -> Publication:
    """Intend every HIT of the study. Safe to run twice: what was intended before stays one intent.

    `by_invitation`: under a tag of the study's name, which channels of the marketplace open to invited people.
    Raises StateError when the study has no HITs, is closed or imported, or was published openly before.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        hits = list(locked.hits.order_by("slot"))
        if not hits:
            raise StateError(f"The study {study.name} has no HITs yet: design it first.")
        if locked.mode == Study.Mode.IMPORTED or locked.status == Study.Status.CLOSED:
            raise StateError(f"The study {study.name} is {locked.mode} and {locked.status}; it cannot be published.")
        known = set(locked.intents.filter(kind=Intent.Kind.CREATE_HIT).values_list("subject", flat=True))
        if by_invitation and known and not locked.channel_tag:
            raise StateError(f"The study {study.name} was published to everybody; that cannot be taken back.")
        if by_invitation and not known:
            study.channel_tag = _tag(locked)
            Study.objects.filter(pk=study.pk).update(channel_tag=study.channel_tag)
        new = [
            Intent.of(locked, Intent.Kind.CREATE_HIT, hit.pk, slot=str(hit.slot)) for hit in hits if hit.pk not in known
        ]
        Intent.objects.bulk_create(new)
        if new:
            AuditEvent.objects.record(locked, "publish", actor=actor, now=now, hits=len(new))
        Study.objects.filter(pk=study.pk).update(status=Study.Status.PUBLISHED)
    study.status = Study.Status.PUBLISHED
    return Publication(len(new), len(known))


def _tag(study: Study) -> str:
    """The study's name as a keyword may hold it, and a part of its random id: names are unique here only."""
    plain = re.sub("[^a-z0-9]+", "-", study.name.lower()).strip("-")[:40]
    return f"{plain or 'study'}-{study.uuid.hex[:8]}"
