"""What a worker was shown: a text at a position within their submission, and how long they took."""

from __future__ import annotations

from django.db import models

from annotation.models.submission import Submission
from annotation.models.text import Text


class Presentation(models.Model):
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="presentations")
    text = models.ForeignKey(Text, on_delete=models.PROTECT, related_name="presentations")
    position = models.PositiveIntegerField()
    active_ms = models.PositiveIntegerField(null=True, blank=True, help_text="Active time on this text, by the page.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["submission", "position"], name="position_unique_in_submission"),
            models.UniqueConstraint(fields=["submission", "text"], name="text_once_in_submission"),
        ]

    def __str__(self) -> str:
        return f"{self.submission}[{self.position}]"
