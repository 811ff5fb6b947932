"""Notifications: where they go, what happened, and the documents that tell of it."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from annotation.marketplace.ids import account_number, document_id, worker_id
from annotation.marketplace.models.hits import HitType
from annotation.marketplace.models.requesters import Requester


class Transport(models.TextChoices):
    EMAIL = "Email"
    SQS = "SQS"
    SNS = "SNS"


class NoticeAccount(models.Model):
    """How notifications name a requester: twelve digits and a customer id."""

    requester = models.OneToOneField(Requester, on_delete=models.CASCADE, related_name="notice_account")
    number = models.CharField(max_length=12, unique=True, default=account_number)
    customer_id = models.CharField(max_length=14, default=worker_id)

    def __str__(self) -> str:
        return self.number


class Endpoint(models.Model):
    """A registered receiver: an HTTPS address behind a topic's ARN (SNS), or a queue of our own (SQS).

    Nothing is sent to an address before it has confirmed (`confirmed_at`); a closed endpoint receives nothing.
    """

    account = models.ForeignKey(NoticeAccount, on_delete=models.CASCADE, related_name="endpoints")
    transport = models.CharField(max_length=5, choices=Transport.choices)
    name = models.CharField(max_length=80)
    url = models.URLField(max_length=500, blank=True)
    created_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "transport", "name"], name="marketplace_endpoint_name_once"),
            models.UniqueConstraint(
                fields=["account", "url"], condition=Q(transport="SNS"), name="marketplace_endpoint_url_once"
            ),
        ]

    def __str__(self) -> str:
        return self.arn

    @property
    def arn(self) -> str:
        """The endpoint's ARN. Needs `account`."""
        return f"arn:aws:{self.transport.lower()}:us-east-1:{self.account.number}:{self.name}"


class Subscription(models.Model):
    """What the requester of a HIT type wants to be told, and where."""

    hit_type = models.OneToOneField(HitType, on_delete=models.CASCADE, related_name="subscription")
    transport = models.CharField(max_length=5, choices=Transport.choices)
    # As the requester named it: an address, the URL of a queue, the ARN of a topic.
    destination = models.CharField(max_length=500)
    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    version = models.CharField(max_length=10)
    event_types = models.JSONField(default=list)
    active = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"{self.hit_type_id} by {self.transport}"


class Document(models.Model):
    """A message with one or more events. Its ids and body are made once; every attempt sends the same.

    `next_attempt_at` (real time) is empty once the document was delivered or given up.
    """

    class Kind(models.TextChoices):
        EVENTS = "Notification"
        CONFIRMATION = "SubscriptionConfirmation"

    doc_id = models.CharField(max_length=40, unique=True, default=document_id)
    message_id = models.UUIDField(default=uuid.uuid4)
    kind = models.CharField(max_length=24, choices=Kind.choices, default=Kind.EVENTS)
    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="documents")
    transport = models.CharField(max_length=5, choices=Transport.choices)
    destination = models.CharField(max_length=500)
    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, null=True, blank=True, related_name="documents")
    body = models.TextField()
    created_at = models.DateTimeField()
    attempts = models.IntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)
    given_up_at = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(max_length=300, blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["next_attempt_at"], condition=Q(next_attempt_at__isnull=False), name="marketplace_doc_due"
            )
        ]

    def __str__(self) -> str:
        return self.doc_id


class Event(models.Model):
    """Something that happened to a HIT or an assignment, written in the transaction that did it (market time)."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="events")
    transport = models.CharField(max_length=5, choices=Transport.choices)
    destination = models.CharField(max_length=500)
    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    version = models.CharField(max_length=10)
    event_type = models.CharField(max_length=20)
    happened_at = models.DateTimeField()
    type_id = models.CharField(max_length=64, blank=True)
    hit_id = models.CharField(max_length=64, blank=True)
    assignment_id = models.CharField(max_length=64, blank=True)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, null=True, blank=True, related_name="events")

    class Meta:
        indexes = [
            models.Index(fields=["id"], condition=Q(document__isnull=True), name="marketplace_event_waiting"),
            models.Index(fields=["hit_id"], name="marketplace_event_hit"),
        ]

    def __str__(self) -> str:
        return f"{self.event_type} {self.assignment_id or self.hit_id}"


class SigningKey(models.Model):
    """A key that notifications are signed with: the private part encrypted, the certificate public."""

    fingerprint = models.CharField(max_length=64, unique=True)
    sealed_key = models.TextField()
    certificate = models.TextField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.fingerprint


class QueueMessage(models.Model):
    """A message in a queue (real time): invisible until `visible_at`, gone when deleted."""

    queue = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="messages")
    message_id = models.UUIDField(default=uuid.uuid4, unique=True)
    body = models.TextField()
    sent_at = models.DateTimeField()
    visible_at = models.DateTimeField()
    receive_count = models.IntegerField(default=0)
    first_received_at = models.DateTimeField(null=True, blank=True)
    # The secret half of the handle that the last receipt gave out.
    receipt = models.CharField(max_length=43, blank=True)

    class Meta:
        indexes = [models.Index(fields=["queue", "visible_at"], name="marketplace_queue_visible")]

    def __str__(self) -> str:
        return str(self.message_id)
