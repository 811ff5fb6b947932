"""Public releases of a study, and the people who did not agree that their answers are shared."""

from __future__ import annotations

from django.db import models

from annotation.models.study import Study
from annotation.models.submission import Submission
from annotation.models.wording import StudyWording
from annotation.models.worker import Worker


class SharingObjection(models.Model):
    """A person whose answers are in no public release of the study."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="sharing_objections")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="sharing_objections")
    actor = models.CharField(max_length=150)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "worker"], name="sharing_objection_once")]

    def __str__(self) -> str:
        return f"{self.worker} in {self.study}"


class SharingAnswer(models.Model):
    """Whether a person agreed, with a submission, that answers are published. wording: the version that asked."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="sharing_answer")
    wording = models.ForeignKey(StudyWording, on_delete=models.PROTECT, related_name="sharing_answers")
    agreed = models.BooleanField()

    def __str__(self) -> str:
        return f"{self.submission}: {'agreed' if self.agreed else 'not agreed'}"


class Release(models.Model):
    """A public release that was written. sha256: of its list of checksums. Its pseudonyms are stored nowhere."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="releases")
    number = models.PositiveIntegerField()
    created_at = models.DateTimeField()
    actor = models.CharField(max_length=150)
    licence = models.CharField(max_length=200)
    consent = models.TextField()
    content_sha256 = models.CharField(max_length=64, help_text="Of the study's snapshot that it was made from.")
    sha256 = models.CharField(max_length=64)
    raters = models.PositiveIntegerField()
    withheld = models.PositiveIntegerField(help_text="Raters who did not agree to share.")
    comments = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="release_number_unique_in_study")]

    def __str__(self) -> str:
        return f"release {self.number} of {self.study}"
