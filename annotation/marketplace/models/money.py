"""Ledger rows, bonuses and payouts."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.marketplace.ids import public_id
from annotation.marketplace.models.assignments import Assignment
from annotation.marketplace.models.hits import Hit
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


class RequesterBalance(models.Model):
    """What a requester has in a currency other than dollars, which are on the account's own row."""

    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="balances")
    currency = models.CharField(max_length=3)
    balance_cents = models.BigIntegerField(default=0)
    held_cents = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["requester", "currency"], name="marketplace_balance_once_per_currency"),
            models.CheckConstraint(
                condition=Q(balance_cents__gte=0, held_cents__gte=0), name="marketplace_balances_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.requester_id} {self.currency}"


class WorkerBalance(models.Model):
    """What a worker has earned, and is owed, in a currency other than dollars, which are on the account's own row."""

    worker = models.ForeignKey(WorkerAccount, on_delete=models.PROTECT, related_name="balances")
    currency = models.CharField(max_length=3)
    earned_cents = models.BigIntegerField(default=0)
    owed_cents = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["worker", "currency"], name="marketplace_earned_once_per_currency"),
            models.CheckConstraint(
                condition=Q(earned_cents__gte=0, owed_cents__gte=0), name="marketplace_earned_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker_id} {self.currency}"


class LedgerEntry(models.Model):
    """One side of a posting. The rows of a posting sum to zero; rows are never changed or deleted."""

    class Account(models.TextChoices):
        REQUESTER = "requester"
        HELD = "held"
        WORKER = "worker"
        PAYOUT = "payout"
        HOUSE = "house"
        OUTSIDE = "outside"

    class Purpose(models.TextChoices):
        DEPOSIT = "deposit"
        REWARD = "reward"
        BONUS = "bonus"
        HOLD = "hold"
        PAYOUT = "payout"
        # A reward booked back: whoever pays the person outside does not pay it.
        UNPAID = "unpaid"

    posting = models.UUIDField()
    purpose = models.CharField(max_length=10, choices=Purpose.choices)
    account = models.CharField(max_length=10, choices=Account.choices)
    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, null=True, blank=True, related_name="entries")
    worker = models.ForeignKey(WorkerAccount, on_delete=models.PROTECT, null=True, blank=True, related_name="entries")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, null=True, blank=True, related_name="entries")
    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, null=True, blank=True, related_name="entries")
    amount_cents = models.BigIntegerField()
    currency = models.CharField(max_length=3, default="USD")
    posted_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "ledger entries"
        constraints = [
            models.CheckConstraint(
                condition=Q(account__in=["requester", "held"], requester__isnull=False, worker__isnull=True)
                | Q(account__in=["worker", "payout"], requester__isnull=True, worker__isnull=False)
                | Q(account__in=["house", "outside"], requester__isnull=True, worker__isnull=True),
                name="marketplace_entry_names_its_account",
            ),
            models.UniqueConstraint(
                fields=["assignment", "account"],
                condition=Q(purpose="reward"),
                name="marketplace_reward_paid_once",
            ),
            models.UniqueConstraint(
                fields=["assignment", "account"],
                condition=Q(purpose="unpaid"),
                name="marketplace_reward_unpaid_once",
            ),
            models.UniqueConstraint(fields=["posting", "account"], name="marketplace_posting_touches_account_once"),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} {self.account} {self.amount_cents:+d}"


class Payout(models.Model):
    """What a worker is sent in a batch: on its way until somebody marks it as paid or failed, once."""

    class State(models.TextChoices):
        SENT = "sent"
        PAID = "paid"
        FAILED = "failed"

    payout_id = models.CharField(max_length=64, unique=True, default=public_id)
    batch = models.CharField(max_length=64, db_index=True)
    worker = models.ForeignKey(WorkerAccount, on_delete=models.PROTECT, related_name="payouts")
    amount_cents = models.BigIntegerField()
    currency = models.CharField(max_length=3, default="USD")
    state = models.CharField(max_length=6, choices=State.choices, default=State.SENT)
    # What the payment service calls the payment, as marked back.
    reference = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount_cents__gt=0), name="marketplace_payout_positive"),
            models.UniqueConstraint(fields=["batch", "worker", "currency"], name="marketplace_payout_once_in_batch"),
        ]

    def __str__(self) -> str:
        return self.payout_id
