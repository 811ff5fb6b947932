"""The outbox: every effect we intend on a marketplace, written with the decision that caused it."""

from __future__ import annotations

import hashlib
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models.study import Study


class Intent(models.Model):
    """An effect to bring about exactly once.

    `key` is deterministic (study, kind, slot, number), doubles as the marketplace's UniqueRequestToken, and is stored
    before the first call. A row is taken by compare-and-set; a row claimed by a process that died comes back.
    """

    class Kind(models.TextChoices):
        CREATE_HIT = "create_hit", "create HIT"
        ADD_PLACES = "add_places", "add places to a HIT"
        PROLONG = "prolong", "prolong a HIT"
        EXPIRE = "expire", "expire a HIT"
        DELETE_HIT = "delete_hit", "delete HIT"
        APPROVE = "approve", "approve assignment"
        REJECT = "reject", "reject assignment"
        BONUS = "bonus", "pay a bonus"
        GRANT = "grant", "grant a qualification"
        REVOKE = "revoke", "revoke a qualification"
        NOTIFY = "notify", "write to a worker"
        BLOCK = "block", "block a worker"
        UNBLOCK = "unblock", "end a block"
        RECRUIT = "recruit", "recruit on Prolific"

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        CLAIMED = "taken", "taken"
        DONE = "done", "done"
        FAILED = "failed", "failed"
        DROPPED = "dropped", "not wanted any more"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="intents")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    key = models.CharField(max_length=64, unique=True)
    subject = models.PositiveBigIntegerField(help_text="Primary key of the HIT, submission or worker it is about.")
    number = models.PositiveIntegerField(default=0, help_text="Which one of its kind for its subject, from 0.")
    details: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    created_at = models.DateTimeField(
        null=True,
        default=timezone.now,
        editable=False,
        help_text="Of rows of earlier versions: when the tables were brought up to date.",
    )
    attempts = models.PositiveIntegerField(default=0)
    refusals = models.PositiveIntegerField(default=0, help_text="Answers that asked to come again.")
    taken_at = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    away_at = models.DateTimeField(
        null=True, blank=True, help_text="When the last attempt failed because the marketplace was away."
    )
    first_called_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    outcome = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "kind", "subject", "number"], name="one_intent_per_kind_and_subject"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "taken", "done", "failed", "dropped"]), name="intent_state_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(state="taken") | Q(taken_at__isnull=False), name="taken_intent_says_when"
            ),
        ]
        indexes = [
            models.Index(fields=["study", "state"]),
            models.Index(fields=["away_at"], condition=Q(away_at__isnull=False), name="intent_away_at"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key[:12]} {self.state}"

    @classmethod
    def of(
        cls,
        study: Study,
        kind: Kind,
        subject: int,
        *,
        slot: str,
        number: int = 0,
        details: dict[str, Any] | None = None,
    ) -> Intent:
        """An unsaved intent. Its key hashes the study's random UUID, the kind, the slot and the number, never a primary
        key: a recreated database must not meet its own old tokens."""
        identity = f"{study.uuid}:{kind}:{slot}" + (f":{number}" if number else "")
        key = hashlib.sha256(identity.encode()).hexdigest()
        return cls(study=study, kind=kind, subject=subject, key=key, number=number, details=details or {})
