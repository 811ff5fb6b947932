"""Ledger rows and bonuses."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.marketplace.models.assignments import Assignment
from annotation.marketplace.models.requesters import Requester
from annotation.marketplace.models.workers import WorkerAccount


class BonusPayment(models.Model):
    """A bonus that was paid."""

    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="bonuses")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="bonuses")
    amount_cents = models.BigIntegerField()
    fee_cents = models.BigIntegerField()
    reason = models.TextField()
    granted_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount_cents__gt=0, fee_cents__gte=0), name="marketplace_bonus_positive")
        ]

    def __str__(self) -> str:
        return f"bonus of {self.amount_cents} cents"


class LedgerEntry(models.Model):
    """One side of a posting. The rows of a posting sum to zero; rows are never changed or deleted."""

    class Account(models.TextChoices):
        REQUESTER = "requester"
        WORKER = "worker"
        HOUSE = "house"
        OUTSIDE = "outside"

    class Purpose(models.TextChoices):
        DEPOSIT = "deposit"
        REWARD = "reward"
        BONUS = "bonus"

    posting = models.UUIDField()
    purpose = models.CharField(max_length=10, choices=Purpose.choices)
    account = models.CharField(max_length=10, choices=Account.choices)
    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, null=True, blank=True, related_name="entries")
    worker = models.ForeignKey(WorkerAccount, on_delete=models.PROTECT, null=True, blank=True, related_name="entries")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, null=True, blank=True, related_name="entries")
    amount_cents = models.BigIntegerField()
    posted_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "ledger entries"
        constraints = [
            models.CheckConstraint(
                condition=Q(account="requester", requester__isnull=False, worker__isnull=True)
                | Q(account="worker", requester__isnull=True, worker__isnull=False)
                | Q(account__in=["house", "outside"], requester__isnull=True, worker__isnull=True),
                name="marketplace_entry_names_its_account",
            ),
            models.UniqueConstraint(
                fields=["assignment", "account"],
                condition=Q(purpose="reward"),
                name="marketplace_reward_paid_once",
            ),
            models.UniqueConstraint(fields=["posting", "account"], name="marketplace_posting_touches_account_once"),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} {self.account} {self.amount_cents:+d}"
