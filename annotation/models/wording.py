"""The words of a study's pages, version by version."""

from __future__ import annotations

from typing import Any

from django.db import models

from annotation.models.study import Study


class StudyWording(models.Model):
    """One version of a study's wording, as JSON (`annotation.design.wording`); every version stays.

    The latest is in use. To go back, an old one is stored again as the latest, with the same digest.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="wordings")
    version = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    body: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "version"], name="wording_version_unique_in_study"),
        ]
        ordering = ["version"]

    def __str__(self) -> str:
        return f"{self.study} wording {self.version}"


class OncePass(models.Model):
    """A qualification type by which a marketplace lets each person in once, made when it is first needed.

    scope: what is entered once (a group of studies, or one page whose places are split over HITs).
    """

    endpoint = models.CharField(max_length=300)
    scope = models.CharField(max_length=100)
    type_id = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["endpoint", "scope"], name="one_pass_per_scope_and_endpoint")]

    def __str__(self) -> str:
        return f"{self.scope} at {self.endpoint}"
