"""HIT types and HITs."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from annotation.marketplace.ids import public_id
from annotation.marketplace.models.requesters import Requester


class HitType(models.Model):
    """What HITs have in common. Equal properties of one requester are one type: `digest` is their fingerprint."""

    type_id = models.CharField(max_length=64, unique=True, default=public_id)
    group_id = models.CharField(max_length=64, unique=True, default=public_id)
    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="hit_types")
    title = models.CharField(max_length=128)
    description = models.TextField()
    keywords = models.TextField(blank=True)
    reward_cents = models.BigIntegerField()
    assignment_seconds = models.BigIntegerField()
    auto_approval_seconds = models.BigIntegerField()
    requirements = models.JSONField(default=list)
    digest = models.CharField(max_length=64)
    # Of the keyword assay:currency=...: every amount of the type's HITs is in its minor units.
    currency = models.CharField(max_length=3, default="USD")
    # The tag of the keyword assay:study=..., or of assay:cell=... where that stands alone; empty without either.
    study = models.CharField(max_length=64, blank=True)
    # The key of the keyword assay:cell=...: people are assigned to one of the cells of the study. Empty without one.
    cell = models.CharField(max_length=80, blank=True)
    # Open only to people of a channel that names the type or its study.
    by_channel = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["requester", "digest"], name="marketplace_equal_types_are_one"),
            models.CheckConstraint(condition=Q(reward_cents__gte=0), name="marketplace_reward_not_negative"),
            models.CheckConstraint(condition=Q(assignment_seconds__gte=30), name="marketplace_duration_from_30"),
            models.CheckConstraint(condition=Q(auto_approval_seconds__gte=0), name="marketplace_delay_from_0"),
        ]
        indexes = [models.Index(fields=["requester", "study"], name="marketplace_type_study")]

    def __str__(self) -> str:
        return self.title


class Hit(models.Model):
    """One task with `max_assignments` places.

    `pending` places are accepted, `submitted` wait for a decision, `completed` are approved or rejected; the rest
    is available while the HIT has not expired. `status` follows from them (`lifecycle`), and `due_at` is the next
    moment at which time alone changes it.
    """

    class Status(models.TextChoices):
        ASSIGNABLE = "Assignable"
        UNASSIGNABLE = "Unassignable"
        REVIEWABLE = "Reviewable"
        REVIEWING = "Reviewing"
        DISPOSED = "Disposed"

    class Kind(models.TextChoices):
        HTML = "HTMLQuestion"
        EXTERNAL = "ExternalQuestion"
        FORM = "QuestionForm"

    hit_id = models.CharField(max_length=64, unique=True, default=public_id)
    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="hits")
    hit_type = models.ForeignKey(HitType, on_delete=models.PROTECT, related_name="hits")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    question = models.TextField()
    annotation = models.CharField(max_length=255, blank=True)
    max_assignments = models.BigIntegerField(default=1)
    # The fee rules under which it was published, whatever MARKETPLACE_FEES says later.
    fees = models.CharField(max_length=10, default="none")
    pending = models.BigIntegerField(default=0)
    submitted = models.BigIntegerField(default=0)
    completed = models.BigIntegerField(default=0)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.ASSIGNABLE)
    # On hold for the places that may still have to be paid; the requester's `held_cents` is the sum.
    held_cents = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()
    expiration = models.DateTimeField()
    # When nothing more could change but the requester's decisions; disposal is counted from here.
    settled_at = models.DateTimeField(null=True, blank=True)
    disposed_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(pending__gte=0, submitted__gte=0, completed__gte=0),
                name="marketplace_counters_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(max_assignments__gte=F("pending") + F("submitted") + F("completed")),
                name="marketplace_places_not_exceeded",
            ),
            models.CheckConstraint(condition=Q(held_cents__gte=0), name="marketplace_hold_not_negative"),
        ]
        indexes = [
            models.Index(fields=["requester", "id"], name="marketplace_hit_own"),
            models.Index(fields=["requester", "status", "id"], name="marketplace_hit_own_status"),
            models.Index(fields=["hit_type", "status", "id"], name="marketplace_hit_type_status"),
            models.Index(fields=["status", "id"], name="marketplace_hit_status"),
            # Which types have open HITs is found by jumping along this.
            models.Index(fields=["hit_type"], condition=Q(status="Assignable"), name="marketplace_hit_open"),
            models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="marketplace_hit_due"),
        ]

    def __str__(self) -> str:
        return self.hit_id
