"""Who did what, when: a chain of rows in which each carries the hash of the one before. Pseudonyms only."""

from __future__ import annotations

from django.db import models

from annotation.models.study import Study


class AuditEvent(models.Model):
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="audit")
    number = models.PositiveIntegerField()
    actor = models.CharField(max_length=150)
    verb = models.CharField(max_length=40)
    facts = models.JSONField(default=dict)
    at = models.DateTimeField()
    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="audit_number_unique_in_study")]

    def __str__(self) -> str:
        return f"{self.study} #{self.number} {self.verb}"
