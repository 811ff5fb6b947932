"""Detectors of machine-written text, and what they make of explanations. A score decides nothing."""

from __future__ import annotations

from django.db import models

from annotation.models.presentation import Remark
from annotation.models.study import Study


class Detector(models.Model):
    """A detector as a study uses it, with its threshold: declared before it scores, and never changed.

    A score `beyond` the threshold is called machine-written. blind: whether results of the study were blinded.
    """

    class Side(models.TextChoices):
        ABOVE = "above", "above"
        BELOW = "below", "below"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="detectors")
    name = models.CharField(max_length=100)
    version = models.CharField(max_length=700)
    beyond = models.CharField(max_length=10, choices=Side.choices)
    threshold = models.FloatField()
    blind = models.BooleanField()
    actor = models.CharField(max_length=100)
    declared_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(name="") & ~models.Q(version=""), name="detector_is_named"),
        ]

    def __str__(self) -> str:
        return f"{self.name}, {self.version}"


class Detection(models.Model):
    """A detector's score of one explanation; null: it can say nothing of it, a text of one token for instance."""

    detector = models.ForeignKey(Detector, on_delete=models.CASCADE, related_name="detections")
    remark = models.ForeignKey(Remark, on_delete=models.CASCADE, related_name="detections")
    score = models.FloatField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["detector", "remark"], name="one_score_of_a_detector")]

    def __str__(self) -> str:
        return f"{self.remark}: {self.score}"
