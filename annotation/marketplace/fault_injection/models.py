"""The plan by which calls and messages fail."""

from __future__ import annotations

from django.db import models


class FaultPlan(models.Model):
    """At most one row. Every Nth call or message suffers the fault; 0 is never."""

    throttle_every = models.PositiveIntegerField(default=0)
    fail_every = models.PositiveIntegerField(default=0)
    drop_after_commit_every = models.PositiveIntegerField(default=0)
    lose_notifications_every = models.PositiveIntegerField(default=0)
    double_notifications_every = models.PositiveIntegerField(default=0)
    lag_seconds = models.FloatField(default=0)

    class Meta:
        # The table is older than this application.
        db_table = "marketplace_faultplan"
        constraints = [
            models.CheckConstraint(condition=models.Q(id=1), name="marketplace_one_fault_plan"),
            models.CheckConstraint(condition=models.Q(lag_seconds__gte=0), name="marketplace_lag_not_negative"),
        ]

    def __str__(self) -> str:
        return "faults"
