"""Soft exclusion of a person from future studies, and who looked up whom."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.worker import Worker


class Hold(models.Model):
    """A person is kept out of studies made until a day, for a reason. It changes nothing about work done."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="holds")
    reason = models.CharField(max_length=500)
    until = models.DateField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    since = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True, blank=True)
    # null: ended before this was kept
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="hold_has_a_reason"),
            models.UniqueConstraint(fields=["worker"], condition=Q(lifted_at=None), name="one_open_hold_per_worker"),
        ]

    def __str__(self) -> str:
        return f"{self.worker} until {self.until}"


class Look(models.Model):
    """A user with the permission saw the real id behind a pseudonym."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="looks")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(reason=""), name="look_has_a_reason")]

    def __str__(self) -> str:
        return f"{self.user} looked up {self.worker}"
