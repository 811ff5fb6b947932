"""HITs published from a template with variables and a table: one row, one HIT."""

from __future__ import annotations

import hashlib
import secrets
import uuid
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.db.models import Q

from annotation.models.audit import ChainedEvent, append

DIGITS = 10**7


def batch_number() -> int:
    """Eight digits by which a marketplace's annotation names a batch."""
    return DIGITS + secrets.randbelow(9 * DIGITS)


class Batch(models.Model):
    """A template, the properties of its HITs and their state. `columns`: the names of the table's columns, in order.

    `literal`: names in ${...} that stay as they are written. Amounts are in US cents, times in seconds.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        PUBLISHING = "publishing", "publishing"
        PUBLISHED = "published", "published"
        CANCELED = "canceled", "canceled"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    number = models.BigIntegerField(default=batch_number, unique=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="batches")
    name = models.CharField(max_length=100)
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    template = models.TextField()
    columns: models.JSONField = models.JSONField(default=list)
    literal: models.JSONField = models.JSONField(default=list)
    title = models.CharField(max_length=128)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True)
    reward_cents = models.PositiveIntegerField()
    max_assignments = models.PositiveIntegerField(default=1)
    assignment_seconds = models.PositiveIntegerField()
    lifetime_seconds = models.PositiveIntegerField()
    auto_approval_seconds = models.PositiveIntegerField()
    created_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["draft", "publishing", "published", "canceled"]), name="batch_state_is_known"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def annotation(self) -> str:
        """The RequesterAnnotation of its HITs, as the requester site wrote it. Programs take the numbers from it."""
        template = int(hashlib.sha256(self.template.encode()).hexdigest(), 16) % (9 * DIGITS) + DIGITS
        return f"BatchId:{self.number};OriginalHitTemplateId:{template};"


class BatchHit(models.Model):
    """A row of the table and the HIT that it becomes. `token` makes publishing it twice impossible for a day.

    `line`: of the file. `called_at`: when the marketplace was first asked to create it.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="hits")
    position = models.PositiveIntegerField()
    line = models.PositiveIntegerField()
    cells: models.JSONField = models.JSONField()
    token = models.CharField(max_length=64, unique=True)
    called_at = models.DateTimeField(null=True, blank=True)
    market_id = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint("batch", "position", name="one_hit_for_each_row"),
            models.UniqueConstraint("market_id", condition=~Q(market_id=""), name="one_row_for_each_hit"),
        ]

    def __str__(self) -> str:
        return f"{self.batch} {self.position + 1}"


class BatchEventManager(models.Manager["BatchEvent"]):
    def record(self, batch: Batch, verb: str, *, actor: str, now: datetime, **facts: Any) -> BatchEvent:
        """Append one row to the batch's chain; call it in the transaction of what it records."""
        with transaction.atomic():
            Batch.objects.select_for_update().values_list("pk").get(pk=batch.pk)
            last = self.filter(batch_number=batch.number).order_by("-number").first()
            event = BatchEvent(batch_number=batch.number, actor=actor, verb=verb, facts=facts, at=now)
            append(event, last)
            return event


class BatchEvent(ChainedEvent):
    """One deed on a batch; it outlives a draft that is deleted."""

    batch_number = models.BigIntegerField(db_index=True)

    objects = BatchEventManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["batch_number", "number"], name="batch_event_number_unique_in_batch")
        ]

    def __str__(self) -> str:
        return f"batch {self.batch_number} #{self.number} {self.verb}"

    @property
    def chain(self) -> str:
        return str(self.batch_number)
