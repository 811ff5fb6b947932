"""Log of requests about one person, access and erasure: who did it and why, never who it was about."""

from __future__ import annotations

from django.db import models


class PersonRequest(models.Model):
    """One look at all that is stored of one person, or their erasure, over all studies and both sides.

    counts: of records, by what they are. Neither a pseudonym nor an id is among them.
    """

    class Kind(models.TextChoices):
        ACCESS = "access", "access"
        ERASURE = "erasure", "erasure"

    kind = models.CharField(max_length=7, choices=Kind.choices)
    actor = models.CharField(max_length=150)
    reason = models.CharField(max_length=200)
    at = models.DateTimeField()
    counts: models.JSONField = models.JSONField(default=dict)

    class Meta:
        constraints = [models.CheckConstraint(condition=~models.Q(reason=""), name="person_request_has_a_reason")]

    def __str__(self) -> str:
        return f"{self.kind} by {self.actor}"
