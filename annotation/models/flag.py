"""Evidence about a submission. A flag decides nothing."""

from __future__ import annotations

from django.db import models

from annotation.models.submission import Submission


class Flag(models.Model):
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="flags")
    kind = models.CharField(max_length=40)
    sentence = models.TextField()
    value = models.FloatField(null=True, blank=True)
    threshold = models.FloatField(null=True, blank=True)
    raised_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["submission", "kind"], name="one_flag_of_a_kind")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.sentence}"
