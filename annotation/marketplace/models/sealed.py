"""What is left of people whose identity was deleted, where somebody must still be recognised: a keyed hash, dated."""

from __future__ import annotations

from django.db import models

from annotation.marketplace.models.requesters import Requester


class SealedId(models.Model):
    """One id that is not admitted again until a day, and leads to no answer and no worker.

    study: the tag for which it holds; empty: for every study of the requester. digest: HMAC-SHA256 under SECRET_KEY.
    """

    class Purpose(models.TextChoices):
        # The plan of a study lets each person in once.
        ONCE = "once"
        # A session at Prolific whose person was erased: its list is read again and again, and names them.
        ERASED = "erased"

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="sealed_ids")
    study = models.CharField(max_length=64, blank=True)
    purpose = models.CharField(max_length=6, choices=Purpose.choices)
    digest = models.CharField(max_length=64)
    until = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "study", "purpose", "digest"], name="marketplace_sealed_id_once"
            )
        ]

    def __str__(self) -> str:
        return f"sealed id, {self.purpose} until {self.until:%Y-%m-%d}"
