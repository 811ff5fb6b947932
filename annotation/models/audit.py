"""Who did what, when: a chain of rows in which each carries the hash of the one before. Pseudonyms only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypeVar

from django.db import models, transaction

from annotation.models.study import Study

FIRST = "0" * 64
Event = TypeVar("Event", bound="ChainedEvent")


class AuditManager(models.Manager["AuditEvent"]):
    def record(self, study: Study, verb: str, *, actor: str, now: datetime, **facts: Any) -> AuditEvent:
        """Append one row to the study's chain; call it in the transaction of what it records."""
        with transaction.atomic():
            Study.objects.select_for_update().values_list("pk").get(pk=study.pk)
            last = self.filter(study=study).order_by("-number").first()
            event = AuditEvent(study=study, actor=actor, verb=verb, facts=facts, at=now)
            append(event, last)
            return event

    def first_broken(self, study: Study) -> AuditEvent | None:
        """The first row of the study's chain that was altered, or None when the chain holds."""
        rows = self.filter(study=study).select_related("study").order_by("number")
        return first_broken(rows.iterator(chunk_size=2000))


class ChainedEvent(models.Model):
    """One deed. `digest` is SHA-256 over the row and the digest before it."""

    number = models.PositiveIntegerField()
    actor = models.CharField(max_length=150)
    verb = models.CharField(max_length=40)
    facts = models.JSONField(default=dict)
    at = models.DateTimeField()
    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)

    class Meta:
        abstract = True

    @property
    def chain(self) -> str:
        """What the chain is of: part of every digest."""
        raise NotImplementedError

    def expected_digest(self) -> str:
        content = [self.chain, self.number, self.actor, self.verb, self.facts, self.at.isoformat(), self.previous]
        return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def append(event: ChainedEvent, last: ChainedEvent | None) -> None:
    """Store an event as the next of its chain; the caller holds a lock on the chain."""
    event.number = last.number + 1 if last else 1
    event.previous = last.digest if last else FIRST
    event.digest = event.expected_digest()
    event.save(force_insert=True)


def first_broken(rows: Iterable[Event]) -> Event | None:
    """The first of a chain's rows, in their order, that was altered or follows one that is missing."""
    previous = FIRST
    for number, event in enumerate(rows, start=1):
        if (event.number, event.previous, event.digest) != (number, previous, event.expected_digest()):
            return event
        previous = event.digest
    return None


class AuditEvent(ChainedEvent):
    """One deed on a study."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="audit")

    objects = AuditManager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="audit_number_unique_in_study")]

    def __str__(self) -> str:
        return f"{self.study} #{self.number} {self.verb}"

    @property
    def chain(self) -> str:
        return str(self.study.uuid)
