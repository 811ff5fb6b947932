"""How far the marketplace's clock has been moved (development only)."""

from __future__ import annotations

from django.db import models


class ClockOffset(models.Model):
    """At most one row: seconds added to the real time."""

    seconds = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="marketplace_one_clock")]

    def __str__(self) -> str:
        return f"{self.seconds:+d} s"
