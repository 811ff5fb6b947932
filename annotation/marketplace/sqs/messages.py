"""Messages in queues: received for a while, received again unless deleted. All by the real time."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from django.db import transaction

from annotation.marketplace.models import Endpoint, QueueMessage

RETENTION = timedelta(days=4)
USUAL_VISIBILITY = 30


@transaction.atomic
def receive(queue: Endpoint, *, max_messages: int, invisible_seconds: int, now: datetime) -> list[QueueMessage]:
    """Up to `max_messages` visible messages, the oldest first; hidden from other receivers for `invisible_seconds`."""
    queue.messages.filter(sent_at__lte=now - RETENTION).delete()
    rows = queue.messages.select_for_update(skip_locked=True).filter(visible_at__lte=now).order_by("pk")
    received = list(rows[:max_messages])
    for message in received:
        message.visible_at = now + timedelta(seconds=invisible_seconds)
        message.receive_count += 1
        message.first_received_at = message.first_received_at or now
        message.receipt = secrets.token_urlsafe(32)
        message.save(update_fields=["visible_at", "receive_count", "first_received_at", "receipt"])
    return received


def waiting(queue: Endpoint, now: datetime) -> bool:
    """Whether anything could be received."""
    return queue.messages.filter(visible_at__lte=now).exists()


def handle_of(message: QueueMessage) -> str:
    """The receipt handle of the last receipt."""
    return f"{message.message_id.hex}.{message.receipt}"


def delete(queue: Endpoint, message_id: str, receipt: str) -> None:
    """Delete the message if `receipt` is of its last receipt; an older one, or a message that is gone, is no error."""
    queue.messages.filter(message_id=message_id, receipt=receipt).delete()


def counts(queue: Endpoint, now: datetime) -> tuple[int, int]:
    """How many messages are visible, and how many are with a receiver."""
    total, visible = queue.messages.count(), queue.messages.filter(visible_at__lte=now).count()
    return visible, total - visible
