"""The outbox: every effect we intend on a marketplace, written with the decision that caused it."""

from __future__ import annotations

import hashlib

from django.db import models
from django.db.models import Q

from annotation.models.study import Study


class Intent(models.Model):
    """An effect to bring about exactly once.

    `key` is deterministic (study, kind, slot), doubles as the marketplace's UniqueRequestToken, and is stored
    before the first call. A row is taken by compare-and-set; a row taken by somebody who died comes back.
    """

    class Kind(models.TextChoices):
        CREATE_HIT = "create_hit", "create HIT"
        APPROVE = "approve", "approve assignment"
        REJECT = "reject", "reject assignment"

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        TAKEN = "taken", "taken"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="intents")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    key = models.CharField(max_length=64, unique=True)
    subject = models.PositiveBigIntegerField(help_text="Primary key of the HIT or submission it is about.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    taken_at = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    first_called_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    outcome = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "subject"], name="one_intent_per_kind_and_subject"),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "taken", "done", "failed"]), name="intent_state_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(state="taken") | Q(taken_at__isnull=False), name="taken_intent_says_when"
            ),
        ]
        indexes = [models.Index(fields=["study", "state"])]

    def __str__(self) -> str:
        return f"{self.kind} {self.key[:12]} {self.state}"

    @classmethod
    def of(cls, study: Study, kind: Kind, subject: int, *, slot: str) -> Intent:
        """An unsaved intent. Its key hashes the study's random UUID, the kind and the slot, never a primary key:
        a recreated database must not meet its own old tokens."""
        key = hashlib.sha256(f"{study.uuid}:{kind}:{slot}".encode()).hexdigest()
        return cls(study=study, kind=kind, subject=subject, key=key)
