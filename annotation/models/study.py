"""A study, who may see and change it, and its between-subject layout (arms, cells)."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from annotation.accounts.models import User


class Role(models.TextChoices):
    OWNER = "owner", "owner"
    EDITOR = "editor", "editor"
    REVIEWER = "reviewer", "reviewer"
    VIEWER = "viewer", "viewer"


class StudyQuerySet(models.QuerySet["Study"]):
    def visible_to(self, user: User) -> StudyQuerySet:
        """Studies that `user` has any role on; every study for a superuser."""
        return self.with_role(user, *Role.values)

    def with_role(self, user: User, *roles: str) -> StudyQuerySet:
        """Studies on which `user` holds one of `roles`."""
        if user.is_superuser:
            return self
        if not user.is_active or user.is_anonymous:
            return self.none()
        return self.filter(pk__in=Membership.objects.filter(user=user, role__in=roles).values("study"))


class Study(models.Model):
    """One human evaluation: its texts, its design, its work and its money."""

    class Mode(models.TextChoices):
        REHEARSAL = "rehearsal", "rehearsal"
        LIVE = "live", "live"
        IMPORTED = "imported", "imported"

    class Status(models.TextChoices):
        DRAFT = "draft", "draft"
        PUBLISHED = "published", "published"
        CLOSED = "closed", "closed"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(
        max_length=100,
        unique=True,
        validators=[RegexValidator(r"\A[\w][\w.-]*\Z", "Letters, digits, dots, dashes and underscores only.")],
    )
    mode = models.CharField(max_length=10, choices=Mode.choices)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.DRAFT)
    question = models.TextField(blank=True, help_text="What the study asks, in a sentence; printed in the report.")
    noun = models.CharField(max_length=40, default="text", help_text="What a text is called on the worker's page.")
    scale = models.ForeignKey("annotation.Scale", on_delete=models.PROTECT, related_name="studies")
    seed = models.PositiveBigIntegerField(default=1)
    raters_per_text = models.PositiveIntegerField(default=20)
    texts_per_hit = models.PositiveIntegerField(default=25)
    reward_cents = models.PositiveIntegerField(default=100)
    assignment_seconds = models.PositiveIntegerField(default=3600)
    lifetime_seconds = models.PositiveIntegerField(default=7 * 24 * 3600)
    auto_approval_seconds = models.PositiveIntegerField(default=3 * 24 * 3600)
    minimum_approved_hits = models.PositiveIntegerField(null=True, blank=True)
    minimum_percent_approved = models.PositiveSmallIntegerField(null=True, blank=True)
    country = models.CharField(max_length=2, blank=True)
    # Published under the keyword assay:study=..., open to invited people only; empty: open to every account.
    channel_tag = models.CharField(max_length=64, blank=True)
    # From then on nobody can be told behind the pseudonyms of this study alone.
    retain_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    members: models.ManyToManyField[User, Membership] = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="annotation.Membership", related_name="studies"
    )

    objects = StudyQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(condition=Q(raters_per_text__gte=1), name="study_has_raters"),
            models.CheckConstraint(condition=Q(texts_per_hit__gte=1), name="study_has_texts_per_hit"),
            models.CheckConstraint(
                condition=Q(minimum_percent_approved=None) | Q(minimum_percent_approved__lte=100),
                name="study_percent_at_most_100",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's role on a study."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="one_role_per_person_and_study"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.role} of {self.study}"


class Arm(models.Model):
    """What evaluators see before the task (a training variant)."""

    class Training(models.TextChoices):
        NONE = "none", "none"
        INSTRUCTIONS = "instructions", "instructions"
        EXAMPLES = "examples", "examples"
        COMPARISON = "comparison", "comparison"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="arms")
    training = models.CharField(max_length=20, choices=Training.choices, default=Training.NONE)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "training"], name="one_arm_per_training"),
            models.CheckConstraint(
                condition=Q(training__in=["none", "instructions", "examples", "comparison"]), name="training_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.training}"


class Cell(models.Model):
    """One combination of arm and domain that gathers its own ratings."""

    arm = models.ForeignKey(Arm, on_delete=models.CASCADE, related_name="cells")
    domain = models.CharField(max_length=60, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["arm", "domain"], name="one_cell_per_arm_and_domain")]

    def __str__(self) -> str:
        return f"{self.arm} {self.domain}".strip()
