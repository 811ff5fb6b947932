"""Rules by which work is excluded from the analysis: named, numbered, never changed."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.models.study import Study


class RuleSet(models.Model):
    """One version of a study's rules. rules: [[kind of filter, threshold or null for the default], ...].

    blind: whether results of the study were blinded when it was locked.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="rule_sets")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=100)
    rules = models.JSONField()
    blind = models.BooleanField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    fixed_at = models.DateTimeField()
    applied_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="rule_set_number_unique_in_study")]

    def __str__(self) -> str:
        return f"{self.name} (version {self.number})"
