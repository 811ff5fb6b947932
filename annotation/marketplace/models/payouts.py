"""What requesters pay people outside this marketplace: files of amounts, and what each amount is for."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.marketplace.ids import public_id
from annotation.marketplace.models.money import LedgerEntry
from annotation.marketplace.models.requesters import Requester
from annotation.marketplace.models.workers import WorkerAccount


class PayoutFile(models.Model):
    """Amounts that a requester takes out to pay them: open until they are marked as sent, or the file is discarded.

    `key` is the requester's own name of the study; `people` and `amount_minor` are what the file said when it was made.
    """

    class State(models.TextChoices):
        OPEN = "open"
        SENT = "sent"
        DISCARDED = "discarded"

    file_id = models.CharField(max_length=64, unique=True, default=public_id)
    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="payout_files")
    key = models.CharField(max_length=64)
    currency = models.CharField(max_length=3, default="USD")
    state = models.CharField(max_length=9, choices=State.choices, default=State.OPEN)
    people = models.PositiveIntegerField()
    amount_minor = models.BigIntegerField()
    # Who made and marked it, as the requester's programs say: a name of a colleague, never of who is paid.
    created_by = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    settled_by = models.CharField(max_length=150, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(people__gt=0, amount_minor__gte=0), name="marketplace_payout_file_has_people"
            ),
            models.CheckConstraint(
                condition=Q(state="open", settled_at=None) | (~Q(state="open") & Q(settled_at__isnull=False)),
                name="marketplace_payout_file_is_settled_once",
            ),
        ]
        indexes = [models.Index(fields=["requester", "key"], name="marketplace_payout_file_key")]

    def __str__(self) -> str:
        return self.file_id


class Settlement(models.Model):
    """What one person gets by a payout file; who they are is in the vault."""

    file = models.ForeignKey(PayoutFile, on_delete=models.CASCADE, related_name="settlements")
    worker = models.ForeignKey(WorkerAccount, on_delete=models.PROTECT, related_name="settlements")
    pays = models.CharField(max_length=20)
    tasks = models.PositiveIntegerField()
    amount_minor = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["file", "worker"], name="marketplace_settled_once_in_file"),
            models.CheckConstraint(condition=Q(amount_minor__gte=0), name="marketplace_settlement_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.file_id}: {self.worker_id}"


class SettledEntry(models.Model):
    """That a reward or bonus is in a payout file. The database lets each be in one only, so nobody is paid twice."""

    entry = models.OneToOneField(LedgerEntry, on_delete=models.PROTECT, related_name="settled")
    settlement = models.ForeignKey(Settlement, on_delete=models.CASCADE, related_name="entries")

    class Meta:
        verbose_name_plural = "settled entries"

    def __str__(self) -> str:
        return f"{self.entry_id} in {self.settlement_id}"
