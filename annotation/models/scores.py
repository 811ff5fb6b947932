"""Files of numbers about a study's texts that were computed elsewhere, kept with it for every later report."""

from __future__ import annotations

from django.db import models

from annotation.models.study import Study


class ScoreFile(models.Model):
    """A file as it was brought: never changed. document: its content as JSON, in the order of the file."""

    class Kind(models.TextChoices):
        NND = "nnd", "near-negative tests"
        AUTOMATIC = "automatic", "automatic scores by a model"
        SCORES = "scores", "a table of scores"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="score_files")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    document = models.TextField()
    model = models.CharField(max_length=200, blank=True, help_text="What made the numbers.")
    version = models.CharField(max_length=200, blank=True)
    actor = models.CharField(max_length=150, blank=True)
    attached_at = models.DateTimeField(null=True, blank=True, help_text="Empty where the report read back did not say.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "sha256"], name="score_file_once")]

    def __str__(self) -> str:
        return self.name
