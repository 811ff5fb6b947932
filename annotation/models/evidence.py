"""What the checks measured of a submission. Evidence decides nothing; it is measured again as work comes in."""

from __future__ import annotations

from django.db import models

from annotation.models.study import Study
from annotation.models.submission import Submission
from annotation.models.worker import Worker


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


class CheckCounts(models.Model):
    """Counts of a run of the checks. counts: by kind of check, [submissions measured, beyond its threshold]."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="check_counts")
    counts = models.JSONField(default=dict)
    measured_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "check counts"

    def __str__(self) -> str:
        return f"{self.study}: {len(self.counts)} checks"


class PersonEvidence(models.Model):
    """What the model of people shows of one worker of a study. Like `Evidence`, it decides nothing.

    kind: the likeliest way of working (metrics.worker_models.people.KINDS). log_odds: natural log of how much better it
    fits than careful reading. details: chances by kind, answers behind them, whom they answer like.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="person_evidence")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="person_evidence")
    chance = models.FloatField(help_text="Of bad work, in [0, 1].")
    suspicion = models.FloatField(help_text="In [0, 1]: the order in which a reviewer looks.")
    kind = models.CharField(max_length=20)
    log_odds = models.FloatField()
    details = models.JSONField(default=dict)
    measured_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "evidence of people"
        constraints = [models.UniqueConstraint(fields=["study", "worker"], name="person_evidence_once")]

    def __str__(self) -> str:
        return f"{self.worker}: {self.kind}, {self.chance:.2f}"
