"""What a study has cost: whole cents, one row per effect."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.models.intent import Intent
from annotation.models.study import Study


class LedgerEntry(models.Model):
    """Money that left: written in the transaction that records the effect's outcome."""

    class Kind(models.TextChoices):
        REWARD = "reward", "reward"
        FEE = "fee", "fee"
        BONUS = "bonus", "bonus"

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="ledger")
    intent = models.ForeignKey(Intent, on_delete=models.PROTECT, related_name="ledger")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    cents = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "ledger entries"
        constraints = [
            models.UniqueConstraint(fields=["intent", "kind"], name="each_effect_paid_once"),
            models.CheckConstraint(condition=Q(kind__in=["reward", "fee", "bonus"]), name="money_kind_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.cents}"
