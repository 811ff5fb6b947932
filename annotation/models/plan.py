"""The plan of a study: what people answered about it, and the versions that were sealed."""

from __future__ import annotations

from django.db import models

from annotation.models.study import Study


class PaperAnswers(models.Model):
    """What people entered for a paper of a study, because the design does not know it.

    paper: `plan`, or `ethics` in one language. The answers of a plan cannot change once it is sealed: the database
    refuses it.
    """

    class Paper(models.TextChoices):
        PLAN = "plan", "plan"
        ETHICS = "ethics", "ethics pack"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="paper_answers")
    paper = models.CharField(max_length=6, choices=Paper.choices)
    language = models.CharField(max_length=2, default="en")
    answers: models.JSONField = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "paper", "language"], name="paper_answers_once")]

    def __str__(self) -> str:
        return f"{self.paper} of {self.study} ({self.language})"


class SealedPlan(models.Model):
    """A version of a study's plan, never changed: 1 is the plan, each later one an amendment with its reason.

    submissions: how many were collected when it was sealed. document: canonical JSON, of which `sha256` is the digest.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="sealed_plans")
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    actor = models.CharField(max_length=150)
    reason = models.TextField(blank=True)
    submissions = models.PositiveIntegerField()
    document = models.TextField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="sealed_plan_number_unique_in_study"),
            models.CheckConstraint(condition=models.Q(number=1) | ~models.Q(reason=""), name="amendment_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"plan {self.number} of {self.study}"
