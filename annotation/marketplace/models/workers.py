"""Those who do the work: their own accounts, sign-in links and sessions, apart from researchers' accounts."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.marketplace.ids import worker_id


class WorkerAccount(models.Model):
    """A worker. The counters are what the system qualifications read; they change with the work they count."""

    worker_id = models.CharField(max_length=64, unique=True, default=worker_id)
    name = models.CharField(max_length=150, unique=True)
    email = models.EmailField(blank=True)
    # How a payment service knows the worker (an address, an account); stands in the batches of payouts.
    payee = models.CharField(max_length=200, blank=True)
    country = models.CharField(max_length=2, blank=True)
    subdivision = models.CharField(max_length=2, blank=True)
    adult = models.BooleanField(default=False)
    masters = models.BooleanField(default=False)
    active = models.BooleanField(default=True)
    # The channel that an invited person came by; registered accounts have none.
    channel = models.ForeignKey("Channel", on_delete=models.PROTECT, null=True, blank=True, related_name="workers")
    submitted_count = models.BigIntegerField(default=0)
    approved_count = models.BigIntegerField(default=0)
    rejected_count = models.BigIntegerField(default=0)
    earned_cents = models.BigIntegerField(default=0)
    # What was earned and is in no payout yet; changes only together with ledger rows.
    owed_cents = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(submitted_count__gte=0, approved_count__gte=0, rejected_count__gte=0, earned_cents__gte=0),
                name="marketplace_worker_counts_not_negative",
            ),
            models.CheckConstraint(condition=Q(owed_cents__gte=0), name="marketplace_owed_not_negative"),
        ]

    def __str__(self) -> str:
        return self.worker_id


class OneTimeLink(models.Model):
    """A sign-in link: the token is stored as a hash, works once and until `expires_at` (real time)."""

    worker = models.ForeignKey(WorkerAccount, on_delete=models.CASCADE, related_name="links")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"link of {self.worker_id}"


class WorkerSession(models.Model):
    """A signed-in browser of a worker; the cookie's value is stored as a hash (real time)."""

    worker = models.ForeignKey(WorkerAccount, on_delete=models.CASCADE, related_name="sessions")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"session of {self.worker_id}"
