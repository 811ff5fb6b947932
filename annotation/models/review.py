"""What a review leaves besides decisions: proposed rejections, replies of workers, codes of their explanations."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.presentation import Remark
from annotation.models.study import Study
from annotation.models.submission import Submission


class Rejection(models.Model):
    """A proposed rejection. A second reviewer must confirm it to make it a decision."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="rejection")
    reason = models.CharField(max_length=1024)
    category = models.CharField(max_length=30, blank=True, help_text="Prolific's, for people who came from there.")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()
    seconded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    seconded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(seconded_by=None) | ~Q(seconded_by=models.F("proposed_by")), name="rejected_by_two_people"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="rejection_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"rejection of {self.submission}"


class Reply(models.Model):
    """What a worker answered to a decision: as the marketplace told it (nobody recorded it; one an assignment), or as
    somebody wrote it down here. heeded: a reviewer has read it and the rejection stays."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="replies")
    body = models.TextField()
    recorded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    heeded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    heeded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "replies"
        constraints = [
            models.UniqueConstraint(
                fields=["submission"], condition=Q(recorded_by=None), name="one_reply_by_the_marketplace"
            ),
        ]

    def __str__(self) -> str:
        return f"reply about {self.submission}"


class Codebook(models.Model):
    """A version of the codes that explanations are given. categories: [[name, [code, ...]], ...]."""

    class Purpose(models.TextChoices):
        COMMENTS = "comments", "what the explanations say"
        CRITERIA = "criteria", "whether work meets the criteria"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="codebooks")
    purpose = models.CharField(max_length=10, choices=Purpose.choices)
    number = models.PositiveIntegerField()
    categories = models.JSONField()
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "purpose", "number"], name="codebook_number_unique_by_purpose"),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} codebook {self.number} of {self.study}"


class Coding(models.Model):
    """The codes one person gave one explanation; adjudicated: the word that holds where two coders differ."""

    remark = models.ForeignKey(Remark, on_delete=models.CASCADE, related_name="codings")
    codebook = models.ForeignKey(Codebook, on_delete=models.PROTECT, related_name="codings")
    coder = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    codes = models.JSONField()
    adjudicated = models.BooleanField(default=False)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["remark", "codebook", "coder"], condition=Q(adjudicated=False), name="one_coding_per_coder"
            ),
            models.UniqueConstraint(
                fields=["remark", "codebook"], condition=Q(adjudicated=True), name="one_adjudication_per_remark"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.remark}: {', '.join(self.codes)}"
