"""Those who do the work: their own accounts, sign-in links and sessions, apart from researchers' accounts."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from annotation.marketplace.ids import worker_id


class WorkerAccount(models.Model):
    """A worker. The counters are what the system qualifications read; they change with the work they count."""

    worker_id = models.CharField(max_length=64, unique=True, default=worker_id)
    # How operators and commands know the worker; a random one for who registered.
    name = models.CharField(max_length=150, unique=True)
    # What the worker likes to be called: on the worker's own pages and in mails, nowhere else.
    called = models.CharField(max_length=150, blank=True)
    email = models.EmailField(blank=True)
    # When the worker proved to read mail at `email`; only then it opens doors.
    email_confirmed_at = models.DateTimeField(null=True, blank=True)
    # Django's hash; empty for who comes by links only.
    password = models.CharField(max_length=128, blank=True)
    terms_version = models.CharField(max_length=40, blank=True)
    terms_accepted_at = models.DateTimeField(null=True, blank=True)
    # Whether the next task of a kind is accepted by itself when one has been handed in.
    auto_accept = models.BooleanField(default=False)
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
    # The account was deleted by its owner: what says who it was is gone, work and money keep their worker id.
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        permissions = [("see_identity", "Can see names, addresses and payees of workers")]
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                condition=Q(email_confirmed_at__isnull=False),
                name="marketplace_confirmed_address_once",
            ),
            models.CheckConstraint(
                condition=Q(submitted_count__gte=0, approved_count__gte=0, rejected_count__gte=0, earned_cents__gte=0),
                name="marketplace_worker_counts_not_negative",
            ),
            models.CheckConstraint(condition=Q(owed_cents__gte=0), name="marketplace_owed_not_negative"),
        ]

    def __str__(self) -> str:
        return self.worker_id


class CountryStatement(models.Model):
    """What a worker said of where they live (real time): DE, or US-CA with a state; erased with the account."""

    worker = models.ForeignKey(WorkerAccount, on_delete=models.CASCADE, related_name="country_statements")
    before = models.CharField(max_length=5, blank=True)
    after = models.CharField(max_length=5)
    stated_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.worker_id}: {self.before or 'unknown'} to {self.after}"


class OneTimeLink(models.Model):
    """A link that works once and until `expires_at` (real time); the token is stored as a hash."""

    class Purpose(models.TextChoices):
        SIGN_IN = "sign-in"
        RESET = "reset"
        EMAIL = "email"
        # By which somebody who came by a link goes on with another device.
        RESUME = "resume"

    purpose = models.CharField(max_length=7, choices=Purpose.choices, default=Purpose.SIGN_IN)
    # The address it was mailed to; for `email` the one that it confirms.
    email = models.EmailField(blank=True)
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


class Registration(models.Model):
    """Somebody who wants an account and has not shown yet to read mail at `email`; gone when it expires (real time)."""

    called = models.CharField(max_length=150)
    email = models.EmailField()
    password = models.CharField(max_length=128)
    terms_version = models.CharField(max_length=40)
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"registration {self.pk}"


class Throttle(models.Model):
    """How often something was tried from one place or for one account since a moment; the key is a hash (real time)."""

    key = models.CharField(max_length=64, unique=True)
    count = models.IntegerField(default=0)
    until = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.count} until {self.until}"
