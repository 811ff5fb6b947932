"""When the work loop last deleted what is past its date."""

from __future__ import annotations

from datetime import datetime

from django.db import models


class HousekeepingMark(models.Model):
    """At most one row. `swept_at`: when the marketplace of this installation was last asked to do the same."""

    at = models.DateTimeField()
    worker_ids = models.PositiveIntegerField(default=0)
    swept_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="one_housekeeping_mark")]

    def __str__(self) -> str:
        return f"kept house at {self.at}"

    @classmethod
    def note(cls, *, at: datetime, worker_ids: int) -> None:
        """Write down a run and how many worker ids it deleted."""
        cls.objects.update_or_create(pk=1, defaults={"at": at, "worker_ids": worker_ids})
