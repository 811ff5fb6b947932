"""A study, who may see and change it, and its between-subject design (arms, conditions)."""

from __future__ import annotations

import re
import uuid
from math import inf

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q

from annotation.accounts.models import User

DAY = 24 * 3600
# What marketplaces take (Requester API of 2017-01-17), in seconds.
DURATION = (
    MinValueValidator(30, "A marketplace takes 30 seconds at least."),
    MaxValueValidator(365 * DAY, "A marketplace takes a year (31,536,000 seconds) at most."),
)
DELAY = (MaxValueValidator(30 * DAY, "A marketplace waits 30 days (2,592,000 seconds) at most."),)
DRAW_SEED = re.compile(r"[A-Za-z0-9._-]{1,64}")


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


class StudyGroup(models.Model):
    """Studies that share one rule: a person takes part in only one of their conditions."""

    name = models.CharField(max_length=100, unique=True)
    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)

    def __str__(self) -> str:
        return self.name


class Study(models.Model):
    """One human evaluation: its texts, its design, its work and its money."""

    class Mix(models.TextChoices):
        BALANCED = "balanced", "sources as even as can be in each HIT"
        BERNOULLI = "bernoulli", "the source of each text drawn at random"
        FIXED = "fixed", "a fixed number of references in each HIT"

    class Stop(models.TextChoices):
        RATERS = "raters", "when every text has its raters"
        WIDTH = "width", "when the interval of every text's mean is narrow enough"

    class Tests(models.TextChoices):
        """Which comparisons are tested together, with p-values adjusted for their number."""

        GENERATORS = "generators", "all pairs of generators"
        SOURCES = "sources", "all pairs of sources, references included"
        MAIN = "main", "the main comparison alone"

    class Raters(models.TextChoices):
        """Whom intervals and tests are for, where both exist."""

        NEW = "new", "new raters"
        THESE = "these", "these raters alone"

    class Mode(models.TextChoices):
        REHEARSAL = "rehearsal", "rehearsal"
        LIVE = "live", "live"
        IMPORTED = "imported", "imported"

    class ArmAssignment(models.TextChoices):
        """How raters come to their arm; empty where it is not known (`metrics.data.arm_assignment`)."""

        CHOSEN = "chosen", "raters choose tasks from a list"
        WAVES = "waves", "one arm is open after another"
        DRAWN = "drawn", "drawn at random"

    class Status(models.TextChoices):
        DRAFT = "draft", "draft"
        PUBLISHED = "published", "published"
        PAUSED = "paused", "paused"
        ENDING = "ending", "ending"
        CLOSED = "closed", "closed"

    NAME_PATTERN = r"\A[\w][\w.-]*\Z"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(
        max_length=100,
        unique=True,
        validators=[RegexValidator(NAME_PATTERN, "Letters, digits, dots, dashes and underscores only.")],
    )
    mode = models.CharField(max_length=10, choices=Mode.choices)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.DRAFT)
    question = models.TextField(blank=True, help_text="What the study asks, in a sentence; printed in the report.")
    noun = models.CharField(max_length=40, default="text", help_text="What a text is called on the worker's page.")
    # A kind of task by name; the verbs that store one look it up among those installed (`annotation.design.kinds`).
    task = models.CharField(max_length=20, default="typicality")
    group = models.ForeignKey(StudyGroup, on_delete=models.PROTECT, null=True, blank=True, related_name="studies")
    scale = models.ForeignKey("annotation.Scale", on_delete=models.PROTECT, related_name="studies")
    seed = models.PositiveBigIntegerField(default=1)
    raters_per_text = models.PositiveIntegerField(default=20, validators=[MinValueValidator(1)])
    texts_per_hit = models.PositiveIntegerField(default=25, validators=[MinValueValidator(1)])
    mix = models.CharField(max_length=10, choices=Mix.choices, default=Mix.BALANCED)
    references_per_hit = models.PositiveIntegerField(null=True, blank=True, help_text="With a fixed mix.")
    evaluators_per_cell = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)],
        help_text="People in each cell, one HIT each; empty: raters per text decides.",
    )  # fmt: skip
    gold_per_hit = models.PositiveIntegerField(default=0, help_text="Texts with a known answer in each HIT.")
    repeats_per_hit = models.PositiveIntegerField(default=0, help_text="Texts shown a second time in each HIT.")
    checks_per_hit = models.PositiveIntegerField(default=0, help_text="Attention checks in each HIT.")
    margin_points = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(49)],
        help_text="Percentage points around 50% right that count as chance; for tests of equivalence.",
    )  # fmt: skip
    # The comparison that the results lead with, declared before the data; empty: not declared.
    compare_first = models.CharField(max_length=100, blank=True, help_text="A generator, or references.")
    compare_second = models.CharField(max_length=100, blank=True, help_text="A generator, or references.")
    compare_criterion = models.CharField(max_length=40, blank=True, help_text="Empty: the first that was rated.")
    compare_margin = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1e-9)],
        help_text="Difference that still counts as none: points of the scale; of human or machine shares.",
    )
    compare_family = models.CharField(max_length=10, choices=Tests.choices, blank=True)
    compare_raters = models.CharField(
        max_length=10, choices=Raters.choices, blank=True, help_text="Whom intervals are for; empty: new raters."
    )
    in_nines = models.BooleanField(default=False, help_text="Publish HITs of nine places at most.")
    once = models.BooleanField(default=False, help_text="One HIT for each person in the whole group of studies.")
    # The one currency of the study (ISO 4217). Every field named ..._cents, of rows that belong to the study too, is in
    # its minor units: cents of dollars and euros, whole yen.
    currency = models.CharField(
        max_length=3,
        default="USD",
        help_text="ISO 4217 code, such as EUR.",
        validators=[RegexValidator(r"\A[A-Z]{3}\Z", "Three capital letters, such as EUR.")],
    )
    budget_cents = models.PositiveBigIntegerField(null=True, blank=True, help_text="What the study may not exceed.")
    floor_cents = models.PositiveBigIntegerField(null=True, blank=True, help_text="Minimum pay per hour.")
    # Sums of the ledger, changed in the transaction that writes its rows.
    reserved_cents = models.PositiveBigIntegerField(default=0, editable=False)
    spent_cents = models.PositiveBigIntegerField(default=0, editable=False)
    reward_cents = models.PositiveIntegerField(default=100)
    assignment_seconds = models.PositiveIntegerField(default=3600, validators=DURATION)
    lifetime_seconds = models.PositiveIntegerField(default=7 * DAY, validators=DURATION)
    auto_approval_seconds = models.PositiveIntegerField(default=3 * DAY, validators=DELAY)
    minimum_approved_hits = models.PositiveIntegerField(null=True, blank=True)
    minimum_percent_approved = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MaxValueValidator(100)]
    )
    country = models.CharField(
        max_length=2, blank=True, validators=[RegexValidator(r"\A[A-Z]{2}\Z", "Two capital letters, such as US.")]
    )
    # Published under the keyword assay:study=..., open to invited people only; empty: open to every account.
    channel_tag = models.CharField(max_length=64, blank=True)
    # When top-ups end; declared before work is collected.
    stop_rule = models.CharField(max_length=10, choices=Stop.choices, default=Stop.RATERS)
    stop_width = models.FloatField(null=True, blank=True, help_text="Widest 95% interval of a text's mean rating.")
    most_raters = models.PositiveIntegerField(null=True, blank=True, help_text="Of a text, whatever its interval.")
    auto_top_up = models.BooleanField(default=False, help_text="The loop replaces missing and excluded ratings itself.")
    # A stored fact, for what a comparison of arms must say; empty: not known.
    arm_assignment = models.CharField(max_length=6, choices=ArmAssignment.choices, blank=True, editable=False)
    # Of the marketplace's draw: as the plan states it, and once somebody was assigned, as its log does.
    draw_seed = models.CharField(max_length=64, blank=True, editable=False)
    # When its people were last written to about work that the clock will approve.
    warned_at = models.DateTimeField(null=True, blank=True)
    # From then on the pseudonyms of this study alone identify no person.
    retain_until = models.DateTimeField(null=True, blank=True)
    # Hidden from the list since then; nothing is deleted.
    archived_at = models.DateTimeField(null=True, blank=True)
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
            models.CheckConstraint(
                condition=~Q(mix="fixed") | Q(references_per_hit__isnull=False), name="fixed_mix_says_how_many"
            ),
            models.CheckConstraint(
                condition=Q(evaluators_per_cell=None) | Q(evaluators_per_cell__gte=1), name="cell_has_evaluators"
            ),
            models.CheckConstraint(
                condition=Q(budget_cents=None)
                | Q(budget_cents__gte=models.F("reserved_cents") + models.F("spent_cents")),
                name="study_stays_within_its_budget",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """What two fields must be together."""
        if self.mix == self.Mix.FIXED and self.references_per_hit is None:
            raise ValidationError({"references_per_hit": "A fixed mix says how many references a HIT holds."})
        if self.compare_margin is not None and not 0 < self.compare_margin < inf:
            raise ValidationError({"compare_margin": "A margin is a number above 0."})
        if bool(self.compare_first) != bool(self.compare_second):
            raise ValidationError({"compare_second": "A comparison names two sources."})
        if self.compare_first and self.compare_first == self.compare_second:
            raise ValidationError({"compare_second": "A source is not compared with itself."})
        if self.draw_seed and not DRAW_SEED.fullmatch(self.draw_seed):
            raise ValidationError(
                {"draw_seed": "A seed of the draw has letters, digits, dots, dashes and underscores."}
            )
        if self.compare_family == self.Tests.MAIN and not self.compare_first:
            raise ValidationError({"compare_family": "Name the two sources of the main comparison."})


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
    reward_cents = models.PositiveIntegerField(null=True, blank=True, help_text="Where it differs from the study's.")

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
    """One combination of arm, domain and generator that gathers its own ratings.

    domain "": texts of every domain; generator None: of every generator, with the references shared.
    """

    arm = models.ForeignKey(Arm, on_delete=models.CASCADE, related_name="cells")
    domain = models.CharField(max_length=60, blank=True)
    generator = models.ForeignKey(
        "annotation.Generator", on_delete=models.PROTECT, null=True, blank=True, related_name="cells"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["arm", "domain", "generator"], name="one_cell_per_combination"),
            models.UniqueConstraint(
                fields=["arm", "domain"], condition=Q(generator=None), name="one_cell_of_all_generators"
            ),
        ]

    def __str__(self) -> str:
        parts = (self.arm.training, self.domain, self.generator.name if self.generator else "")
        return " × ".join(part for part in parts if part)

    @property
    def reward_cents(self) -> int:
        """What one HIT of the cell pays: the arm's reward, or the study's."""
        arm_reward = self.arm.reward_cents
        return self.arm.study.reward_cents if arm_reward is None else arm_reward
