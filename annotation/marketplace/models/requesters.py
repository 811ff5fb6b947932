"""Those who publish work, and the request tokens they have used."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.marketplace.models.wordings import Wording


class Requester(models.Model):
    """A requester account. `balance_cents` can be spent, `held_cents` is on hold for published HITs.

    Both change only together with ledger rows, in `ledger`.
    """

    class Pays(models.TextChoices):
        """How workers get what they earn: by this marketplace's ledger, in another way, or not at all."""

        LEDGER = "ledger"
        VOUCHER = "voucher"
        CREDIT = "credit", "Course credit"
        VOLUNTEER = "volunteer"
        ELSEWHERE = "elsewhere"
        # By Prolific, which is told what was decided here.
        PROLIFIC = "prolific"

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="requester")
    balance_cents = models.BigIntegerField(default=0)
    held_cents = models.BigIntegerField(default=0)
    # What people who take part read as the name of who asks; empty: nobody has set one, and they read the account's.
    display_name = models.CharField(max_length=100, blank=True)
    pays = models.CharField(max_length=9, choices=Pays.choices, default=Pays.LEDGER)
    # What workers agree to before their first HIT and are told after their last, where no channel has its own text.
    consent = models.ForeignKey(Wording, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    debrief = models.ForeignKey(Wording, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(balance_cents__gte=0), name="marketplace_balance_not_negative"),
            models.CheckConstraint(condition=models.Q(held_cents__gte=0), name="marketplace_held_not_negative"),
        ]

    def __str__(self) -> str:
        """The name that people who take part read."""
        return self.display_name or self.account_name

    @property
    def account_name(self) -> str:
        """How commands and keys know the account."""
        return str(self.user)


class RequesterRecord(models.Model):
    """How a requester decided and paid in a window before `computed_at` (market time), counted over all their work.

    decided: assignments whose last decision fell into the window; rejected: those of them that stay rejected;
    reversed: those approved after a rejection. replies: of the decided, those whose worker had answered a rejection;
    reversed_replies: those of these that were approved afterwards.
    """

    # Below these numbers a share would say more about single assignments than about the requester.
    MIN_DECIDED, MIN_REPLIES = 20, 5

    requester = models.OneToOneField(Requester, on_delete=models.CASCADE, related_name="record")
    computed_at = models.DateTimeField(db_index=True)
    decided = models.PositiveIntegerField()
    rejected = models.PositiveIntegerField()
    reversed = models.PositiveIntegerField()
    replies = models.PositiveIntegerField()
    reversed_replies = models.PositiveIntegerField()
    # From submission to approval; null where nothing was approved.
    median_approval_seconds = models.PositiveBigIntegerField(null=True, blank=True)

    def __str__(self) -> str:
        return f"record of {self.requester_id}"

    @property
    def has_enough_decisions(self) -> bool:
        return self.decided >= self.MIN_DECIDED

    @property
    def has_enough_replies(self) -> bool:
        return self.replies >= self.MIN_REPLIES

    @property
    def percent_rejected(self) -> float:
        return 100 * self.rejected / self.decided


class RequestToken(models.Model):
    """A UniqueRequestToken that has been used: remembered for 24 hours of market time."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="+")
    scope = models.CharField(max_length=40)
    token = models.CharField(max_length=64)
    used_at = models.DateTimeField(db_index=True)
    # The HIT that was created, or the id of the request that did the work.
    result = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["requester", "scope", "token"], name="marketplace_token_used_once")
        ]

    def __str__(self) -> str:
        return f"{self.scope} {self.token}"
