"""How a person read a file: remembered for the next file with the same columns, or saved by name."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q


class SavedMapping(models.Model):
    """Which column holds what. name: "" for one that is only remembered; columns: a digest of the file's columns."""

    class Kind(models.TextChoices):
        TEXTS = "texts", "texts"
        RATINGS = "ratings", "ratings"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_mappings")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    name = models.CharField(max_length=100, blank=True)
    columns = models.CharField(max_length=64)
    content: models.JSONField = models.JSONField()
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint("user", "kind", "name", condition=~Q(name=""), name="one_mapping_of_a_name"),
            models.UniqueConstraint("user", "kind", "columns", condition=Q(name=""), name="one_mapping_remembered"),
            models.CheckConstraint(condition=Q(kind__in=["texts", "ratings"]), name="mapping_kind_is_known"),
        ]

    def __str__(self) -> str:
        return self.name or f"{self.kind} {self.columns[:8]}"
