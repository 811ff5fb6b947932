"""Work as it came from the marketplace: stored before anything parses it, and never changed."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.models.hit import Hit
from annotation.models.worker import Worker


class Submission(models.Model):
    """One submitted assignment. The database refuses to change a row once written (see the migrations).

    `raw` is the answer document as it came (QuestionFormAnswers XML, or the CSV cells of an import as JSON). The one
    change that the database lets through erases it: `raw` becomes empty and `raw_format` WITHDRAWN.
    """

    WITHDRAWN = "withdrawn"

    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, related_name="submissions")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="submissions")
    market_id = models.CharField(max_length=64)
    raw = models.TextField()
    raw_format = models.CharField(max_length=20)
    accepted_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    work_seconds = models.PositiveIntegerField(null=True, blank=True)
    received_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["hit", "market_id"], name="submission_once"),
            models.UniqueConstraint(fields=["hit", "worker"], name="worker_once_per_hit"),
            models.CheckConstraint(
                condition=Q(accepted_at=None) | Q(submitted_at=None) | Q(submitted_at__gte=models.F("accepted_at")),
                name="submitted_after_accepted",
            ),
        ]

    def __str__(self) -> str:
        return self.market_id


class Device(models.Model):
    """A code of the device that work came from, the same for one device within our account; deleted after a while."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="device")
    code = models.CharField(max_length=32)
    noted_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(code=""), name="device_has_a_code")]

    def __str__(self) -> str:
        return f"device of {self.submission}"


class Parse(models.Model):
    """That a submission has been read into judgments, or why it could not be."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="parse")
    parsed_at = models.DateTimeField()
    problem = models.TextField(blank=True)
    active_ms = models.PositiveIntegerField(
        null=True, blank=True, help_text="Sum over what was shown, by the page; empty unless every text was timed."
    )

    def __str__(self) -> str:
        return self.problem or "parsed"
