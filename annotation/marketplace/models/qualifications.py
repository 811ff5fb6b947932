"""Qualification types of requesters and who holds them. The system types are not rows: they are facts of a worker."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.marketplace.ids import public_id
from annotation.marketplace.models.requesters import Requester
from annotation.marketplace.models.workers import WorkerAccount


class QualificationType(models.Model):
    """A requester's own qualification. The name is unique among the requester's living types."""

    class Status(models.TextChoices):
        ACTIVE = "Active"
        INACTIVE = "Inactive"

    type_id = models.CharField(max_length=64, unique=True, default=public_id)
    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="qualification_types")
    name = models.CharField(max_length=200)
    description = models.TextField()
    keywords = models.TextField(blank=True)
    status = models.CharField(max_length=8, choices=Status.choices)
    retry_delay_seconds = models.BigIntegerField(null=True, blank=True)
    auto_granted = models.BooleanField(default=False)
    auto_granted_value = models.IntegerField(default=1)
    # Keyword assay:once: given by the marketplace itself to whoever accepts a HIT that asks for its absence.
    once = models.BooleanField(default=False)
    # A QuestionForm and, where tests are graded by the marketplace, its AnswerKey; as they were given.
    test = models.TextField(blank=True)
    test_seconds = models.BigIntegerField(null=True, blank=True)
    answer_key = models.TextField(blank=True)
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "name"],
                condition=Q(deleted_at__isnull=True),
                name="marketplace_qualification_name_once",
            )
        ]

    def __str__(self) -> str:
        return self.name


class QualificationGrant(models.Model):
    """A worker's score for a type; a revoked one stays as a row."""

    class Status(models.TextChoices):
        GRANTED = "Granted"
        REVOKED = "Revoked"

    qualification_type = models.ForeignKey(QualificationType, on_delete=models.CASCADE, related_name="grants")
    worker = models.ForeignKey(WorkerAccount, on_delete=models.CASCADE, related_name="grants")
    value = models.IntegerField(default=1)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.GRANTED)
    granted_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["qualification_type", "worker"], name="marketplace_granted_once")
        ]

    def __str__(self) -> str:
        return f"{self.qualification_type_id} of {self.worker_id}"


class QualificationRequest(models.Model):
    """A worker's wish to be given a qualification, and what became of it."""

    class State(models.TextChoices):
        PENDING = "Pending"
        GRANTED = "Granted"
        REJECTED = "Rejected"

    request_id = models.CharField(max_length=64, unique=True, default=public_id)
    qualification_type = models.ForeignKey(QualificationType, on_delete=models.CASCADE, related_name="requests")
    worker = models.ForeignKey(WorkerAccount, on_delete=models.CASCADE, related_name="qualification_requests")
    state = models.CharField(max_length=8, choices=State.choices, default=State.PENDING)
    asked_at = models.DateTimeField()
    reason = models.TextField(blank=True)
    # Of a type with a test: the test as it was taken, and the answers.
    test = models.TextField(blank=True)
    answer = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["qualification_type", "worker"],
                condition=Q(state="Pending"),
                name="marketplace_one_pending_request",
            )
        ]
        indexes = [models.Index(fields=["qualification_type", "state", "id"], name="marketplace_qreq_state")]

    def __str__(self) -> str:
        return self.request_id


class TestAttempt(models.Model):
    """A worker's go at a qualification test, from the moment the questions may be seen; the times are the market's."""

    # No class of tests, whatever test runners think of its name.
    __test__ = False

    attempt_id = models.CharField(max_length=64, unique=True, default=public_id)
    qualification_type = models.ForeignKey(QualificationType, on_delete=models.CASCADE, related_name="attempts")
    worker = models.ForeignKey(WorkerAccount, on_delete=models.CASCADE, related_name="test_attempts")
    # As the type had it at the beginning: an update does not change a test that is being taken.
    test = models.TextField()
    answer_key = models.TextField(blank=True)
    began_at = models.DateTimeField()
    deadline = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(blank=True)
    score = models.IntegerField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["qualification_type", "worker", "id"], name="marketplace_attempt_of")]

    def __str__(self) -> str:
        return self.attempt_id
