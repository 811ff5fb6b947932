"""How the texts of a study were chosen from those imported: the rules, and what each of them did."""

from __future__ import annotations

from django.db import models

from annotation.models.study import Study


class Selection(models.Model):
    """One run of a selection; the study's latest one holds. From `plan` and the pool it can be run again.

    funnel: what each rule did, in order. pool_digest, outcome_digest: SHA-256 of all texts before and of every
    text's fate. tool: the rules of words and sentences, by name and number.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="selections")
    number = models.PositiveIntegerField()
    plan = models.JSONField()
    funnel = models.JSONField()
    tool = models.CharField(max_length=60)
    pool_digest = models.CharField(max_length=64)
    outcome_digest = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="selection_number_unique_in_study")]

    def __str__(self) -> str:
        return f"{self.study}: selection {self.number}"
