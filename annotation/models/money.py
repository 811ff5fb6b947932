"""What a study has cost and what it has promised: whole cents, one row per effect."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.models.intent import Intent
from annotation.models.study import Study


class LedgerEntry(models.Model):
    """Money that left (written with the effect's outcome), or was set aside (written with the intent).

    The study's `spent_cents` and `reserved_cents` are the sums of its rows, changed in the same transaction.
    """

    class Kind(models.TextChoices):
        REWARD = "reward", "reward"
        FEE = "fee", "fee"
        BONUS = "bonus", "bonus"
        HOLD = "hold", "set aside"
        RELEASE = "release", "no longer set aside"

    SPENT = ("reward", "fee", "bonus")
    RESERVED = ("hold", "release")

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="ledger")
    intent = models.ForeignKey(Intent, on_delete=models.PROTECT, related_name="ledger")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    cents = models.BigIntegerField(help_text="Below zero for a release.")
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "ledger entries"
        constraints = [
            models.UniqueConstraint(fields=["intent", "kind"], name="each_effect_paid_once"),
            models.CheckConstraint(
                condition=Q(kind__in=["reward", "fee", "bonus", "hold", "release"]), name="money_kind_is_known"
            ),
            models.CheckConstraint(
                condition=Q(kind="release", cents__lte=0) | (~Q(kind="release") & Q(cents__gte=0)),
                name="only_releases_are_negative",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.cents}"
