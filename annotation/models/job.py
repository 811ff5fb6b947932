"""Long work requested on a page, which may be left and opened again."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.study import Study


class Job(models.Model):
    """A piece of computing, done by whoever takes it first. `settings`: what was asked; `outcome`: what came of it.

    A running job says `step`, `done` and `of`, and `beat_at` when it last said so; one that fell silent is taken again.
    """

    class Kind(models.TextChoices):
        LOOK_AT_FILE = "look_at_file", "look at a file"
        CHECK_TEXTS = "check_texts", "check a file of texts"
        ADD_TEXTS = "add_texts", "add texts"
        IMPORT_BATCH = "import_batch", "import a finished batch"
        CHECK_RATINGS = "check_ratings", "check a file of ratings"
        IMPORT_RATINGS = "import_ratings", "import ratings"
        PREFLIGHT = "preflight", "check before publishing"
        REPORT = "report", "compute a report"
        EXCLUSIONS = "exclusions", "show what exclusions do"
        COMPARISON = "comparison", "compare studies"
        DETECT = "detect", "score explanations by a detector"
        LAY_OUT = "lay_out", "create tasks"
        CROWD = "crowd", "let simulated people work"
        NND_TESTS = "nnd_tests", "build near-negative tests"
        NND_RUN = "nnd_run", "run near-negative tests"
        H_SCORE = "h_score", "score human-likelihood"
        LOG_PROBS = "log_probs", "compute log-probabilities"
        PUBLISH_BATCH = "publish_batch", "publish a batch"
        CANCEL_BATCH = "cancel_batch", "end the tasks of a batch"
        BATCH_RESULTS = "batch_results", "gather results of a batch"
        CHECK_REVIEW = "check_review", "check a reviewed file"
        APPLY_REVIEW = "apply_review", "apply a reviewed file"
        IMPORT_WORKERS = "import_workers", "import worker IDs"
        RELEASE = "release", "create a public release"
        UNBLIND = "unblind", "unblind results"
        CHECK_QUALITY = "check_quality", "run quality checks"
        APPROVE = "approve", "approve submissions"
        PRECISION = "precision", "simulate precision"
        PLAN_DECISION = "plan_decision", "plan a study for a decision"
        DUPLICATE = "duplicate", "duplicate a study"
        REPEAT = "repeat", "repeat a study"

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, null=True, blank=True, related_name="jobs")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="jobs"
    )
    settings: models.JSONField = models.JSONField(default=dict)
    step = models.CharField(max_length=200, blank=True)
    done = models.PositiveBigIntegerField(default=0)
    of = models.PositiveBigIntegerField(default=0)
    attempts = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    beat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    outcome: models.JSONField = models.JSONField(default=dict)
    problem = models.TextField(blank=True, help_text="Why it failed, in words.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "running", "done", "failed"]), name="job_state_is_known"
            ),
            models.CheckConstraint(condition=~Q(state="failed") | ~Q(problem=""), name="failed_job_says_why"),
        ]
        indexes = [models.Index(fields=["state", "created_at"])]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"

    @property
    def actor(self) -> str:
        """Who asked for it, as a log names them."""
        return self.asked_by.get_username() if self.asked_by else "assay"

    @property
    def open(self) -> bool:
        return self.state in (self.State.WAITING, self.State.RUNNING)

    @property
    def cancelable(self) -> bool:
        """Whether it can be canceled now: one that stores as it goes only before it has begun."""
        storing = (self.Kind.IMPORT_BATCH, self.Kind.IMPORT_RATINGS, self.Kind.CROWD)
        return self.state == self.State.WAITING or (self.state == self.State.RUNNING and self.kind not in storing)

    @property
    def keeps_part(self) -> bool:
        """Whether one that failed may have stored a part of its work, with which it goes on when it is begun again."""
        storing = (self.Kind.DETECT, self.Kind.CROWD, self.Kind.NND_RUN, self.Kind.H_SCORE, self.Kind.LOG_PROBS)
        return self.kind in (
            *storing,
            self.Kind.PUBLISH_BATCH,
            self.Kind.CANCEL_BATCH,
            self.Kind.APPLY_REVIEW,
            self.Kind.IMPORT_WORKERS,
        )

    @property
    def page(self) -> str:
        """The file that a reader opens; "" where the job writes none."""
        pages = {self.Kind.REPORT: "report.html", self.Kind.COMPARISON: "comparison.html"}
        return pages.get(self.Kind(self.kind), "")

    @property
    def percent(self) -> int | None:
        """How far, in whole per cent; None while it is unknown."""
        return min(100, 100 * self.done // self.of) if self.of else None
