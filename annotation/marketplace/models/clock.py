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


class SweepMark(models.Model):
    """At most one row: when what was due was last looked for (real time, to the minute)."""

    at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="marketplace_one_sweep_mark")]

    def __str__(self) -> str:
        return f"swept at {self.at}"


class PurgeMark(models.Model):
    """At most one row: when what is past its retention date was last deleted (market time), and of how many people."""

    at = models.DateTimeField()
    identities = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="marketplace_one_purge_mark")]

    def __str__(self) -> str:
        return f"purged at {self.at}"
