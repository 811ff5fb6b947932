"""What a worker was shown: a text at a position within their submission, and how long they took."""

from __future__ import annotations

from django.db import models

from annotation.models.hit import AttentionCheck, ItemRole
from annotation.models.submission import Submission
from annotation.models.text import Text


class Presentation(models.Model):
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="presentations")
    text = models.ForeignKey(Text, on_delete=models.PROTECT, related_name="presentations")
    partner = models.ForeignKey(Text, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    position = models.PositiveIntegerField()
    role = models.CharField(max_length=10, choices=ItemRole.choices, default=ItemRole.ITEM)
    shown_at = models.PositiveIntegerField(null=True, blank=True, help_text="Place in the order this worker met.")
    sides_changed = models.BooleanField(
        null=True, default=False, help_text="Of a pair: the second text was shown first; empty: not known."
    )
    active_ms = models.PositiveIntegerField(null=True, blank=True, help_text="Active time on this text, by the page.")
    away = models.PositiveIntegerField(null=True, blank=True, help_text="How often the worker left the page here.")
    pastes = models.PositiveIntegerField(null=True, blank=True)
    keystrokes = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["submission", "position"], name="position_unique_in_submission"),
            models.UniqueConstraint(fields=["submission", "text", "role"], name="text_once_in_submission_by_role"),
        ]

    def __str__(self) -> str:
        return f"{self.submission}[{self.position}]"


class Remark(models.Model):
    """What a worker wrote about a text in answer to a follow-up question."""

    presentation = models.ForeignKey(Presentation, on_delete=models.CASCADE, related_name="remarks")
    question = models.CharField(max_length=40)
    body = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["presentation", "question"], name="one_remark_per_question")]

    def __str__(self) -> str:
        return f"{self.presentation} {self.question}"


class CheckAnswer(models.Model):
    """What a worker chose at an attention check."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="check_answers")
    check_asked = models.ForeignKey(AttentionCheck, on_delete=models.PROTECT, related_name="answers")
    chosen = models.CharField(max_length=100, blank=True)
    passed = models.BooleanField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["submission", "check_asked"], name="one_answer_per_check")]

    def __str__(self) -> str:
        return f"{self.submission}: {self.chosen}"


class PracticeAnswer(models.Model):
    """A guess in a practice round of the training; it excludes no work."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="practice_answers")
    number = models.PositiveIntegerField(help_text="Of the round, from 0.")
    chosen = models.CharField(max_length=100)
    right = models.BooleanField()
    sides_changed = models.BooleanField(default=False)
    active_ms = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["submission", "number"], name="one_answer_per_practice_round")]

    def __str__(self) -> str:
        return f"{self.submission} round {self.number}"
