"""A worker's assignment of a HIT, and its submission."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.marketplace.ids import public_id
from annotation.marketplace.models.hits import Hit
from annotation.marketplace.models.workers import WorkerAccount


class Assignment(models.Model):
    """One place of a HIT, from acceptance on. `due_at` is the next moment at which time alone changes it."""

    class State(models.TextChoices):
        ACCEPTED = "Accepted"
        RETURNED = "Returned"
        ABANDONED = "Abandoned"
        SUBMITTED = "Submitted"
        APPROVED = "Approved"
        REJECTED = "Rejected"

    RETURNED_OR_ABANDONED = (State.RETURNED, State.ABANDONED)
    SUBMITTED_STATES = (State.SUBMITTED, State.APPROVED, State.REJECTED)

    assignment_id = models.CharField(max_length=64, unique=True, default=public_id)
    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, related_name="assignments")
    worker = models.ForeignKey(WorkerAccount, on_delete=models.PROTECT, related_name="assignments")
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACCEPTED)
    accepted_at = models.DateTimeField()
    deadline = models.DateTimeField()
    given_up_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    auto_approval_at = models.DateTimeField(null=True, blank=True)
    approved_at = models.DateTimeField(null=True, blank=True)
    rejected_at = models.DateTimeField(null=True, blank=True)
    feedback = models.TextField(blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    # When the worker withdrew the answers; they are erased, the payment stays.
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    # What the person was shown when they accepted: pay, its currency, minutes, and of how many people these are the
    # median (0: planned). Null in rows that no acceptance made.
    shown_reward_cents = models.BigIntegerField(null=True, blank=True)
    shown_currency = models.CharField(max_length=3, blank=True)
    shown_minutes = models.PositiveIntegerField(null=True, blank=True)
    shown_minutes_people = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["hit", "worker"],
                condition=~Q(state__in=["Returned", "Abandoned"]),
                name="marketplace_one_hold_per_worker",
            ),
            models.CheckConstraint(
                condition=Q(submitted_at__isnull=False, auto_approval_at__isnull=False)
                | Q(state__in=["Accepted", "Returned", "Abandoned"]),
                name="marketplace_handed_in_has_times",
            ),
        ]
        indexes = [
            models.Index(fields=["hit", "submitted_at", "id"], name="marketplace_asg_submitted"),
            models.Index(fields=["worker", "id"], name="marketplace_asg_worker"),
            models.Index(fields=["worker", "hit"], name="marketplace_asg_pair"),
            models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="marketplace_asg_due"),
        ]

    def __str__(self) -> str:
        return self.assignment_id


class Submission(models.Model):
    """What a worker submitted: the fields as they came, written once, and the XML made from them."""

    assignment = models.OneToOneField(Assignment, on_delete=models.PROTECT, related_name="submission")
    # JSON in ASCII: a list of [name, value] pairs in the order of the form.
    raw = models.TextField()
    answer = models.TextField()
    received_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"submission of {self.assignment_id}"


class Draft(models.Model):
    """What a worker has typed into a HIT that keeps drafts, until it is handed in, given back or out of time."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="draft")
    # JSON, as the HIT's page sent it.
    content = models.TextField()
    saved_at = models.DateTimeField()
    # Which showing of the page stored it, and how often it was stored: a tab that has not seen the latest takes no
    # other's place.
    page = models.CharField(max_length=32, blank=True)
    version = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"draft of {self.assignment_id}"


class Reply(models.Model):
    """What a worker answered to a rejection (market time): once, never changed, gone with account or answers."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="reply")
    text = models.TextField()
    sent_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "replies"
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="marketplace_reply_has_words")]

    def __str__(self) -> str:
        return f"reply about {self.assignment_id}"


class AssignmentDevice(models.Model):
    """A code of the device on which an assignment was first worked on, for its requester alone; deleted by age."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="device")
    code = models.CharField(max_length=16)
    noted_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"device of {self.assignment_id}"
