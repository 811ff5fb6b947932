"""Ways in: channels, their links, who came through them, and what these people agreed to."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from annotation.marketplace.ids import public_id
from annotation.marketplace.models.hits import HitType
from annotation.marketplace.models.requesters import Requester
from annotation.marketplace.models.wordings import Wording
from annotation.marketplace.models.workers import WorkerAccount


class Channel(models.Model):
    """One way in to HITs of a requester: those of the study `study`, or those of the types named."""

    channel_id = models.CharField(max_length=64, unique=True, default=public_id)
    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="channels")
    name = models.CharField(max_length=100)
    # What people read as the name of the study.
    title = models.CharField(max_length=200, blank=True)
    # A word of the registry (`channels.kinds`).
    kind = models.CharField(max_length=20)
    study = models.CharField(max_length=64, blank=True)
    hit_types = models.ManyToManyField(HitType, blank=True, related_name="channels")
    opens_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    most_people = models.PositiveIntegerField(null=True, blank=True)
    # By how many of a team each HIT is done; empty: by everybody.
    overlap = models.PositiveIntegerField(null=True, blank=True)
    # How many HITs each of a team does at most; empty: as many as there are.
    max_tasks = models.PositiveIntegerField(null=True, blank=True)
    # How the people of this channel are paid; empty: as the requester pays everybody.
    pays = models.CharField(max_length=9, choices=Requester.Pays.choices, blank=True)
    pay_words = models.CharField(max_length=300, blank=True)
    consent = models.ForeignKey(Wording, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    debrief = models.ForeignKey(Wording, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    # Where people go at the end, and the codes they take along; a link may have its own.
    return_url = models.CharField(max_length=1000, blank=True)
    completion_code = models.CharField(max_length=100, blank=True)
    # The code of who stops before the last task; empty: the same as at the end.
    stop_code = models.CharField(max_length=100, blank=True)
    # Each person gets one of the codes that the requester has supplied (`SuppliedCode`).
    has_supplied_codes = models.BooleanField(default=False)
    # Whom participants write to, as they read it.
    contact = models.CharField(max_length=200, blank=True)
    # By which a repeated request to open the channel is recognised.
    request_token = models.CharField(max_length=64, blank=True)
    # From then on nobody can be told behind a worker id of this channel.
    retain_until = models.DateTimeField(null=True, blank=True)
    purged_at = models.DateTimeField(null=True, blank=True)
    # Until then hashes of deleted ids keep people from coming a second time (`SealedId`); empty: they come as new.
    sealed_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    # Of the settings: one more with each change, so that an editor who read older ones overwrites nothing.
    version = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["requester", "study", "name"], name="marketplace_channel_name_once"),
            models.UniqueConstraint(
                fields=["requester", "request_token"],
                condition=~Q(request_token=""),
                name="marketplace_channel_opened_once",
            ),
            models.CheckConstraint(
                condition=Q(opens_at=None) | Q(closes_at=None) | Q(closes_at__gt=F("opens_at")),
                name="marketplace_channel_closes_after_opening",
            ),
        ]
        indexes = [models.Index(fields=["requester", "study"], name="marketplace_channel_study")]

    def __str__(self) -> str:
        return self.title or self.name


class ChannelWording(models.Model):
    """One version of a channel's consent or debrief, numbered in the order in which they were set; "" is no text."""

    class Purpose(models.TextChoices):
        CONSENT = "consent"
        DEBRIEF = "debrief"

    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="versions")
    purpose = models.CharField(max_length=7, choices=Purpose.choices)
    number = models.PositiveIntegerField()
    wording = models.ForeignKey(Wording, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    set_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["channel", "purpose", "number"], name="marketplace_channel_wording_numbered"
            )
        ]

    def __str__(self) -> str:
        return f"{self.purpose} {self.number}"


class ChannelCount(models.Model):
    """How often something happened at a channel's door. Counts alone: nothing of who it was, nor when."""

    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="counts")
    # "opened", or the reason for which somebody was not let in (`admission.Door.word`).
    word = models.CharField(max_length=20)
    number = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["channel", "word"], name="marketplace_channel_counted_once")]

    def __str__(self) -> str:
        return f"{self.word}: {self.number}"


class SuppliedCode(models.Model):
    """A completion code that the requester has supplied, and the participant who was given it."""

    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="supplied_codes")
    code = models.CharField(max_length=100)
    participant = models.OneToOneField(
        "Participant", on_delete=models.PROTECT, null=True, blank=True, related_name="supplied_code"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["channel", "code"], name="marketplace_supplied_code_once")]
        indexes = [models.Index(fields=["channel", "participant"], name="marketplace_code_free")]

    def __str__(self) -> str:
        return self.code


class Participant(models.Model):
    """One person of a channel: invited in person, or come by a link. What is known of them is in the vault.

    `worker` is there from the moment they begin.
    """

    participant_id = models.CharField(max_length=64, unique=True, default=public_id)
    channel = models.ForeignKey(Channel, on_delete=models.PROTECT, related_name="participants")
    # The link they came by last: it says where they are sent at the end.
    link = models.ForeignKey("Link", on_delete=models.PROTECT, null=True, blank=True, related_name="visitors")
    worker = models.OneToOneField(
        WorkerAccount, on_delete=models.PROTECT, null=True, blank=True, related_name="participant"
    )
    created_at = models.DateTimeField()
    mailed_at = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    began_at = models.DateTimeField(null=True, blank=True)
    declined_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    # Of who stopped before the last task: the same moment as `finished_at`.
    stopped_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    # Shown to the person when they have finished.
    code = models.CharField(max_length=20, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["code"], condition=~Q(code=""), name="marketplace_code_once"),
            models.CheckConstraint(
                condition=Q(began_at=None, worker=None) | Q(began_at__isnull=False, worker__isnull=False),
                name="marketplace_who_began_is_a_worker",
            ),
            models.CheckConstraint(
                condition=Q(code="", finished_at=None) | (~Q(code="") & Q(finished_at__isnull=False)),
                name="marketplace_who_finished_has_a_code",
            ),
        ]
        indexes = [models.Index(fields=["channel", "id"], name="marketplace_participant_of")]

    def __str__(self) -> str:
        return self.participant_id

    @property
    def shown_code(self) -> str:
        """What the person is shown as their code; "" before the end.

        The study's code for a panel, of their link or of the channel, or one of the supplied ones; else their own.
        Who stopped early is shown the code for that, where there is one.
        """
        if not self.code:
            return ""
        if self.stopped_at is not None and self.channel.stop_code:
            return self.channel.stop_code
        fixed = (self.link.completion_code if self.link else "") or self.channel.completion_code
        supplied = getattr(self, "supplied_code", None) if self.channel.has_supplied_codes and not fixed else None
        return fixed or (supplied.code if supplied else self.code)

    @property
    def lacks_code(self) -> bool:
        """Whether the supplied codes had run out when this person finished: they are shown their own instead."""
        return bool(self.code) and self.channel.has_supplied_codes and self.shown_code == self.code


class ParticipantIdentity(models.Model):
    """The vault: what the outside knows a participant by. Deleting the row makes the person unknown."""

    participant = models.OneToOneField(Participant, on_delete=models.CASCADE, related_name="identity")
    channel = models.ForeignKey(Channel, on_delete=models.PROTECT, related_name="identities")
    external_id = models.CharField(max_length=200, blank=True)
    email = models.EmailField(blank=True)
    name = models.CharField(max_length=200, blank=True)
    # What a panel added to the address beside it (the ids of its study and of the session), by parameter.
    panel_ids = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name_plural = "participant identities"
        constraints = [
            models.UniqueConstraint(
                fields=["channel", "external_id"], condition=~Q(external_id=""), name="marketplace_external_id_once"
            ),
            models.UniqueConstraint(fields=["channel", "email"], condition=~Q(email=""), name="marketplace_email_once"),
        ]
        indexes = [models.Index(fields=["external_id"], name="marketplace_identity_external")]

    def __str__(self) -> str:
        return f"identity of {self.participant_id}"


class Link(models.Model):
    """An invitation link; the token in its address is stored as a hash.

    With `participant` it is for one person, on any device; one person may have been sent several. Without, for
    whoever has it.
    """

    link_id = models.CharField(max_length=64, unique=True, default=public_id)
    channel = models.ForeignKey(Channel, on_delete=models.PROTECT, related_name="links")
    participant = models.ForeignKey(
        Participant, on_delete=models.PROTECT, null=True, blank=True, related_name="personal_links"
    )
    token_hash = models.CharField(max_length=64, unique=True)
    # Names of address parameters that carry the id by which somebody else knows the person.
    id_parameters = models.JSONField(default=list, blank=True)
    id_optional = models.BooleanField(default=False)
    # Names of further parameters that are kept with the id, for matching with the panel's own records.
    kept_parameters = models.JSONField(default=list, blank=True)
    # The one code of the study that a panel knows; empty: each person gets a code of their own.
    completion_code = models.CharField(max_length=100, blank=True)
    return_url = models.CharField(max_length=1000, blank=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.link_id


class Consent(models.Model):
    """That a worker has agreed to a text of a requester (in a channel, or to the requester's general one)."""

    worker = models.ForeignKey(WorkerAccount, on_delete=models.CASCADE, related_name="consents")
    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="consents")
    channel = models.ForeignKey(Channel, on_delete=models.PROTECT, null=True, blank=True, related_name="consents")
    wording = models.ForeignKey(Wording, on_delete=models.PROTECT, related_name="consents")
    agreed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["worker", "requester", "wording"], name="marketplace_consented_once")
        ]

    def __str__(self) -> str:
        return f"{self.worker_id} agreed to {self.wording}"


class Refusal(models.Model):
    """That somebody, of whom nothing is noted, did not agree to a text. The day alone: a time could be traced."""

    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="refusals")
    channel = models.ForeignKey(Channel, on_delete=models.PROTECT, null=True, blank=True, related_name="refusals")
    wording = models.ForeignKey(Wording, on_delete=models.PROTECT, null=True, blank=True, related_name="refusals")
    on = models.DateField()

    def __str__(self) -> str:
        return f"{self.wording} declined on {self.on}"


class WithdrawalKey(models.Model):
    """The hash of a token by which the answers of a worker to a requester can be taken back."""

    worker = models.ForeignKey(WorkerAccount, on_delete=models.CASCADE, related_name="withdrawal_keys")
    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="+")
    token_hash = models.CharField(max_length=64, unique=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"withdrawal key of {self.worker_id}"
