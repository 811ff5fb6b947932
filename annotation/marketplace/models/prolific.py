"""Prolific: the connected account, studies and submissions there, what waits to be done, bonuses on their way.

Ids by which Prolific knows people stand in the vault only (`ParticipantIdentity`, and `ProlificIdentity` beside it).
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.marketplace.ids import public_id
from annotation.marketplace.models.channels import Channel, Participant
from annotation.marketplace.models.money import BonusPayment
from annotation.marketplace.models.requesters import Requester


class ProlificAccount(models.Model):
    """A requester's account at Prolific. The token is stored encrypted; empty: disconnected."""

    requester = models.OneToOneField(Requester, on_delete=models.PROTECT, related_name="prolific_account")
    token_sealed = models.TextField(blank=True)
    token_end = models.CharField(max_length=4, blank=True)
    email = models.EmailField(blank=True)
    currency = models.CharField(max_length=3, blank=True)
    workspace_id = models.CharField(max_length=64, blank=True)
    project_id = models.CharField(max_length=64, blank=True)
    # What Prolific signs its hooks with, encrypted; empty: no hooks.
    hook_secret_sealed = models.TextField(blank=True)
    connected_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Prolific account of {self.requester_id}"


class ProlificStudy(models.Model):
    """A channel's study at Prolific: its draft, and what Prolific last said of it. Money is minor units."""

    class State(models.TextChoices):
        """How far it has come on this side; `status` is Prolific's own word."""

        DRAFT = "draft"
        REQUESTED = "requested", "publishing was requested"
        CREATED = "created", "a draft at Prolific"
        PUBLISHED = "published"

    channel = models.OneToOneField(Channel, on_delete=models.PROTECT, related_name="prolific_study")
    # In the study's internal name at Prolific: by it a study is found again whose creation was not answered.
    key = models.CharField(max_length=64, unique=True, default=public_id)
    state = models.CharField(max_length=9, choices=State.choices, default=State.DRAFT)
    prolific_id = models.CharField(max_length=64, blank=True)
    status = models.CharField(max_length=40, blank=True)
    workspace_id = models.CharField(max_length=64, blank=True)
    project_id = models.CharField(max_length=64, blank=True)
    # People who took part, as a group at Prolific.
    group_id = models.CharField(max_length=64, blank=True)

    description = models.TextField(blank=True)
    internal_name = models.CharField(max_length=100, blank=True)
    minutes = models.PositiveIntegerField(null=True, blank=True)
    reward_minor = models.PositiveBigIntegerField(null=True, blank=True)
    # What the best paid arm pays a person in all; empty: the same.
    highest_reward_minor = models.PositiveBigIntegerField(null=True, blank=True)
    places = models.PositiveIntegerField(null=True, blank=True)
    devices = models.JSONField(default=list, blank=True)
    labels = models.JSONField(default=list, blank=True)
    content_warnings = models.JSONField(default=list, blank=True)
    content_warning_details = models.TextField(blank=True)
    filters = models.JSONField(default=list, blank=True)
    excludes_earlier = models.BooleanField(default=False)
    # Completion codes by the way in which taking part ends.
    codes = models.JSONField(default=dict)

    currency = models.CharField(max_length=3, blank=True)
    # What publishing was agreed to cost, with fees and tax, and what is set aside for bonuses of better paid arms.
    total_minor = models.PositiveBigIntegerField(null=True, blank=True)
    bonus_reserve_minor = models.PositiveBigIntegerField(default=0)
    # As Prolific's own page of costs says: rewards with fees and tax.
    spent_minor = models.PositiveBigIntegerField(default=0)
    fees_minor = models.PositiveBigIntegerField(default=0)
    counts = models.JSONField(default=dict)
    # Fields of Prolific's answers that are not known here; of submissions only the names, as "submission.NAME".
    unknown_fields = models.JSONField(default=dict)
    synced_at = models.DateTimeField(null=True, blank=True)
    sync_due_at = models.DateTimeField(null=True, blank=True)
    sync_error = models.TextField(blank=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "Prolific studies"
        constraints = [
            models.UniqueConstraint(
                fields=["prolific_id"], condition=~Q(prolific_id=""), name="marketplace_prolific_study_once"
            )
        ]

    def __str__(self) -> str:
        return self.key


class ProlificSubmission(models.Model):
    """A person's submission at Prolific. Its id is in the vault; `status` and `code` are as Prolific says."""

    key = models.CharField(max_length=64, unique=True, default=public_id)
    study = models.ForeignKey(ProlificStudy, on_delete=models.PROTECT, related_name="submissions")
    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="prolific_submissions")
    # Empty until Prolific has been seen to know it.
    status = models.CharField(max_length=40, blank=True)
    code = models.CharField(max_length=100, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    completed_at = models.DateTimeField(null=True, blank=True)
    return_requested_at = models.DateTimeField(null=True, blank=True)
    # What Prolific paid as the reward.
    paid_minor = models.PositiveBigIntegerField(default=0)
    rejection_message = models.TextField(blank=True)
    rejection_category = models.CharField(max_length=40, blank=True)
    # Whether the places of its submitted tasks were opened to the person whom Prolific sends instead.
    is_replaced = models.BooleanField(default=False)
    # The status that this side has followed: places freed, decisions booked.
    followed_status = models.CharField(max_length=40, blank=True)
    note = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.key


class ProlificIdentity(models.Model):
    """Part of the vault: the id of a submission at Prolific. Retention deletes it."""

    submission = models.OneToOneField(ProlificSubmission, on_delete=models.CASCADE, related_name="identity")
    session_id = models.CharField(max_length=200, unique=True)

    class Meta:
        verbose_name_plural = "Prolific identities"

    def __str__(self) -> str:
        return f"identity of {self.submission_id}"


class ProlificAction(models.Model):
    """Something to do at Prolific. Taken by compare-and-set; harmless when done twice."""

    class Kind(models.TextChoices):
        CREATE = "create"
        PUBLISH = "publish"
        PAUSE = "pause"
        START = "start"
        STOP = "stop"
        PLACES = "places"
        COMPLETE = "complete"
        APPROVE = "approve"
        REJECT = "reject"
        REQUEST_RETURN = "request-return"

    class State(models.TextChoices):
        WAITING = "waiting"
        DONE = "done"
        FAILED = "failed"

    study = models.ForeignKey(ProlificStudy, on_delete=models.PROTECT, related_name="actions")
    submission = models.ForeignKey(
        ProlificSubmission, on_delete=models.PROTECT, null=True, blank=True, related_name="actions"
    )
    kind = models.CharField(max_length=14, choices=Kind.choices)
    # What it needs beside its rows; never an id of a person.
    details = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField()
    error = models.TextField(blank=True)
    created_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "kind"],
                condition=Q(submission__isnull=False),
                name="marketplace_prolific_action_once",
            ),
            models.UniqueConstraint(
                fields=["study", "kind"],
                condition=Q(submission__isnull=True, state="waiting"),
                name="marketplace_prolific_study_action_open_once",
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(state="waiting"), name="marketplace_prolific_due"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"


class ProlificBonusBatch(models.Model):
    """Bonuses that are paid together. Paying is not repeatable: it is noted as sent before the call."""

    class State(models.TextChoices):
        PREPARED = "prepared"
        CREATED = "created", "known to Prolific, not paid"
        SENT = "sent"
        UNKNOWN = "unknown", "sent, answer unknown"
        KNOWN = "known", "paid"
        RELEASED = "released", "not paid"

    OPEN = (State.PREPARED, State.CREATED, State.SENT, State.UNKNOWN)

    batch_id = models.CharField(max_length=64, unique=True, default=public_id)
    study = models.ForeignKey(ProlificStudy, on_delete=models.PROTECT, related_name="bonus_batches")
    state = models.CharField(max_length=8, choices=State.choices, default=State.PREPARED)
    prolific_id = models.CharField(max_length=64, blank=True)
    amount_minor = models.PositiveBigIntegerField()
    fees_minor = models.PositiveBigIntegerField(default=0)
    # Of an unknown batch: what Prolific's record showed as paid of it when it was last read.
    shown_paid_minor = models.PositiveBigIntegerField(null=True, blank=True)
    error = models.TextField(blank=True)
    attempts = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField()
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "Prolific bonus batches"
        constraints = [
            models.UniqueConstraint(
                fields=["study"],
                condition=Q(state__in=["prepared", "created", "sent", "unknown"]),
                name="marketplace_prolific_batch_open_once",
            )
        ]

    def __str__(self) -> str:
        return self.batch_id


class ProlificBonusLine(models.Model):
    """A bonus for one person: sent by SendBonus, or (`bonus` empty) what their arm pays above the reward."""

    submission = models.ForeignKey(ProlificSubmission, on_delete=models.PROTECT, related_name="bonus_lines")
    bonus = models.OneToOneField(
        BonusPayment, on_delete=models.PROTECT, null=True, blank=True, related_name="prolific_line"
    )
    batch = models.ForeignKey(ProlificBonusBatch, on_delete=models.PROTECT, null=True, blank=True, related_name="lines")
    amount_minor = models.PositiveBigIntegerField()
    # What Prolific had paid this person as bonuses before the batch was sent.
    paid_before_minor = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission"], condition=Q(bonus__isnull=True), name="marketplace_prolific_arm_bonus_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.amount_minor} for {self.submission_id}"


class ProlificEvent(models.Model):
    """A hook that was received: repeated deliveries carry the same id."""

    event_id = models.CharField(max_length=200, unique=True)
    received_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.event_id
