"""When a marketplace may be called next: one row for an account, shared by every process that calls it."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import models


class TurnManager(models.Manager["Turn"]):
    def take(self, account: str, *, gap: timedelta, now: datetime) -> datetime:
        """The moment at which the caller may call; the next one's is `gap` later. By compare-and-set.

        Call it outside of a transaction: a row that is held would hold up everybody else.
        """
        while True:
            row, _ = self.get_or_create(account=account, defaults={"next_at": now})
            mine = max(now, row.next_at)
            if self.filter(pk=row.pk, next_at=row.next_at).update(next_at=mine + gap):
                return mine


class Turn(models.Model):
    """`account`: a digest of where and as whom is called."""

    account = models.CharField(max_length=64, unique=True)
    next_at = models.DateTimeField()

    objects = TurnManager()

    def __str__(self) -> str:
        return f"{self.account[:12]} from {self.next_at:%H:%M:%S} on"
