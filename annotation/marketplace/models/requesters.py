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
