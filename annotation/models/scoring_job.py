"""Scoring in the background: a job, and the chunks of texts that workers take from it one by one."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.models.study import Study
from annotation.models.text import Generator


class ScoringJob(models.Model):
    """One wish: score a study's texts under a generator by the backend that `opening` describes."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="scoring_jobs")
    generator = models.ForeignKey(Generator, on_delete=models.CASCADE, related_name="scoring_jobs")
    opening = models.JSONField(help_text="How the model is opened: the options of the command.")
    replace = models.BooleanField(default=False, help_text="Whether log-probabilities made otherwise are overwritten.")
    actor = models.CharField(max_length=100)
    created_at = models.DateTimeField()
    signature = models.CharField(max_length=700, blank=True, help_text="Of the scores, once a worker opened the model.")

    def __str__(self) -> str:
        return f"{self.study}: {self.generator} by {self.opening.get('model', '')}"


class ScoringChunk(models.Model):
    """Some of a job's texts. Claimed by compare-and-set; one claimed by a process that died comes back after the lease.

    `scored`, `reused` and `kept` count texts over all attempts: scored by the model, given the score of equal content,
    found with this score already.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        CLAIMED = "taken", "taken"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    job = models.ForeignKey(ScoringJob, on_delete=models.CASCADE, related_name="chunks")
    number = models.PositiveIntegerField()
    texts = models.JSONField(help_text="Primary keys of the texts.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    taken_at = models.DateTimeField(null=True, blank=True, help_text="Renewed with each part that is kept.")
    not_before = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    scored = models.PositiveIntegerField(default=0)
    reused = models.PositiveIntegerField(default=0)
    kept = models.PositiveIntegerField(default=0)
    outcome = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["job", "number"], name="scoring_chunk_number_unique_in_job"),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "taken", "done", "failed"]), name="scoring_chunk_state_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(state="taken") | Q(taken_at__isnull=False), name="taken_scoring_chunk_says_when"
            ),
        ]
        indexes = [models.Index(fields=["state", "job"])]

    def __str__(self) -> str:
        return f"{self.job} {self.number} {self.state}"
