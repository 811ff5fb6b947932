"""Decisions about a submission: payment and analysis are decided separately and never imply each other."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.exclusion import RuleSet
from annotation.models.submission import Submission


class Decision(models.Model):
    class Matter(models.TextChoices):
        PAYMENT = "payment", "payment"
        ANALYSIS = "analysis", "analysis"

    class Verdict(models.TextChoices):
        APPROVE = "approve", "approve"
        REJECT = "reject", "reject"
        INCLUDE = "include", "include"
        EXCLUDE = "exclude", "exclude"

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="decisions")
    matter = models.CharField(max_length=10, choices=Matter.choices)
    verdict = models.CharField(max_length=10, choices=Verdict.choices)
    reason = models.CharField(max_length=1024, blank=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="decisions"
    )
    # The version of the rules that excluded it; null: a person decided on this submission.
    rule_set = models.ForeignKey(RuleSet, on_delete=models.PROTECT, null=True, blank=True, related_name="decisions")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["submission", "matter"], name="one_decision_per_matter"),
            models.CheckConstraint(
                condition=Q(matter="payment", verdict__in=["approve", "reject"])
                | Q(matter="analysis", verdict__in=["include", "exclude"]),
                name="verdict_fits_its_matter",
            ),
            models.CheckConstraint(
                condition=Q(verdict__in=["approve", "include"]) | ~Q(reason=""), name="refusals_give_a_reason"
            ),
            models.CheckConstraint(
                condition=Q(rule_set=None) | Q(matter="analysis"), name="rules_decide_on_the_analysis_only"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} {self.submission}"
