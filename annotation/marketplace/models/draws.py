"""The draw of a study: which cell each person was assigned to, and the log from which every draw can be replayed."""

from __future__ import annotations

import secrets

from django.db import models
from django.db.models import Q

from annotation.marketplace.models.requesters import Requester
from annotation.marketplace.models.workers import WorkerAccount


def new_seed() -> str:
    return secrets.token_hex(8)


class StudyDraw(models.Model):
    """A study of several cells: people are assigned to one of them when they enter."""

    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="study_draws")
    # The tag that the study's HIT types carry.
    study = models.CharField(max_length=64)
    seed = models.CharField(max_length=64, default=new_seed)
    # The number of the last event of the log.
    last_number = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["requester", "study"], name="marketplace_study_drawn_once")]

    def __str__(self) -> str:
        return f"draw of {self.study}"


class Draw(models.Model):
    """The cell of one person in one study; it never changes. `counted`: something is submitted or being worked on."""

    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="+")
    study = models.CharField(max_length=64)
    worker = models.ForeignKey(WorkerAccount, on_delete=models.PROTECT, related_name="draws")
    cell = models.CharField(max_length=80)
    drawn_at = models.DateTimeField()
    # When the person went on after they were told what their task pays; at once where every cell pays the same.
    started_at = models.DateTimeField(null=True, blank=True)
    counted = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["worker", "requester", "study"], name="marketplace_one_cell_per_person")
        ]
        indexes = [
            models.Index(
                fields=["requester", "study", "cell"], condition=Q(counted=True), name="marketplace_draw_counted"
            )
        ]

    def __str__(self) -> str:
        return f"cell of {self.worker_id} in {self.study}"


class DrawEvent(models.Model):
    """One line of a study's log: a change of the counts, with the counts before it; never changed."""

    class Kind(models.TextChoices):
        DRAWN = "drawn"
        LEFT = "left"
        REJOINED = "came back"

    study_draw = models.ForeignKey(StudyDraw, on_delete=models.PROTECT, related_name="events")
    number = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=9, choices=Kind.choices)
    worker = models.ForeignKey(WorkerAccount, on_delete=models.PROTECT, related_name="+")
    cell = models.CharField(max_length=80)
    at = models.DateTimeField()
    # People counted in each cell before the event, the cells with a place that the person could take, those of them
    # with the smallest count, and the random number that chose among these; the last three of draws only.
    counts = models.JSONField(default=dict)
    eligible = models.JSONField(default=list)
    tied = models.JSONField(default=list)
    random_number = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study_draw", "number"], name="marketplace_draw_event_number"),
            models.CheckConstraint(
                condition=~Q(kind="drawn") | Q(random_number__isnull=False), name="marketplace_drawn_by_a_number"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.kind}"
