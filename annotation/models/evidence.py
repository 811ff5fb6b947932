"""What the checks measured of a submission. Evidence decides nothing; it is measured again as work comes in."""

from __future__ import annotations

from django.db import models

from annotation.models.submission import Submission


class Evidence(models.Model):
    """All that was measured of one submission. findings: by kind of filter, [value, low, high, n]; null: unknown."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="evidence")
    suspicion = models.FloatField(help_text="In [0, 1]: the order in which a reviewer looks.")
    findings = models.JSONField(default=dict)
    measured_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "evidence"

    def __str__(self) -> str:
        return f"{self.submission}: {self.suspicion:.2f}"
