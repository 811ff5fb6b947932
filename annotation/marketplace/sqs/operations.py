"""ReceiveMessage, DeleteMessage, GetQueueUrl, GetQueueAttributes."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable
from time import sleep
from typing import Any

from django.utils import timezone

from annotation.marketplace.models import Endpoint, QueueMessage, Requester, Transport
from annotation.marketplace.notifications.documents import gather
from annotation.marketplace.notifications.endpoints import queue_url
from annotation.marketplace.sqs import messages
from annotation.marketplace.sqs.errors import QueueError, bad_handle, bad_value, no_queue

# What messages from Mechanical Turk carried, for receivers that check it.
SENDER = "AIDAIXO4EZE6RHVSXIN4E"
LONGEST_WAIT = 2
LOOKS_A_SECOND = 5
# Web threads that may wait at one time; further calls are answered at once.
MAX_WAITING_THREADS = 2
_seats = threading.BoundedSemaphore(MAX_WAITING_THREADS)

Handler = Callable[[Requester, dict[str, Any]], dict[str, Any]]


def receive_message(requester: Requester, parameters: dict[str, Any]) -> dict[str, Any]:
    """Up to MaxNumberOfMessages. Waits at most 2 s whatever WaitTimeSeconds says; an empty answer has no Messages."""
    queue = _queue(requester, parameters)
    max_messages = _integer(parameters, "MaxNumberOfMessages", 1, (1, 10))
    invisible = _integer(parameters, "VisibilityTimeout", messages.USUAL_VISIBILITY, (0, 43_200))
    wait = _integer(parameters, "WaitTimeSeconds", 0, (0, 20))
    _wait_for_something(queue, min(wait, LONGEST_WAIT))
    now = timezone.now()
    received = messages.waiting(queue, now) and messages.receive(
        queue, max_messages=max_messages, invisible_seconds=invisible, now=now
    )
    attribute_names = {*_names(parameters, "AttributeNames"), *_names(parameters, "MessageSystemAttributeNames")}
    return {"Messages": [_shape(message, attribute_names) for message in received]} if received else {}


def _wait_for_something(queue: Endpoint, seconds: int) -> None:
    gather(now=timezone.now(), queue=queue)
    if not seconds or messages.waiting(queue, timezone.now()) or not _seats.acquire(blocking=False):
        return
    try:
        # One look less than would fit: looking takes time, too.
        for _ in range(seconds * LOOKS_A_SECOND - 1):
            sleep(1 / LOOKS_A_SECOND)
            gather(now=timezone.now(), queue=queue)
            if messages.waiting(queue, timezone.now()):
                return
    finally:
        _seats.release()


def delete_message(requester: Requester, parameters: dict[str, Any]) -> dict[str, Any]:
    queue, handle = _queue(requester, parameters), parameters.get("ReceiptHandle")
    parts = re.fullmatch(r"([0-9a-f]{32})\.([A-Za-z0-9_-]{43})", handle) if isinstance(handle, str) else None
    if parts is None:
        raise bad_handle()
    messages.delete(queue, parts[1], parts[2])
    return {}


def get_queue_url(requester: Requester, parameters: dict[str, Any]) -> dict[str, Any]:
    rows = _queues(requester).filter(name=_text(parameters, "QueueName"))
    if owner := parameters.get("QueueOwnerAWSAccountId"):
        rows = rows.filter(account__number=owner)
    if (queue := rows.first()) is None:
        raise no_queue()
    return {"QueueUrl": queue_url(queue)}


def get_queue_attributes(requester: Requester, parameters: dict[str, Any]) -> dict[str, Any]:
    queue, attribute_names = _queue(requester, parameters), _names(parameters, "AttributeNames")
    visible, invisible = messages.counts(queue, timezone.now())
    created = str(int(queue.created_at.timestamp()))
    known = {
        "QueueArn": queue.arn,
        "ApproximateNumberOfMessages": str(visible),
        "ApproximateNumberOfMessagesNotVisible": str(invisible),
        "ApproximateNumberOfMessagesDelayed": "0",
        "VisibilityTimeout": str(messages.USUAL_VISIBILITY),
        "MessageRetentionPeriod": str(int(messages.RETENTION.total_seconds())),
        "ReceiveMessageWaitTimeSeconds": "0",
        "DelaySeconds": "0",
        "CreatedTimestamp": created,
        "LastModifiedTimestamp": created,
    }
    chosen = {name: value for name, value in known.items() if "All" in attribute_names or name in attribute_names}
    return {"Attributes": chosen} if chosen else {}


TABLE: dict[str, Handler] = {
    "ReceiveMessage": receive_message,
    "DeleteMessage": delete_message,
    "GetQueueUrl": get_queue_url,
    "GetQueueAttributes": get_queue_attributes,
}


def _queues(requester: Requester) -> Any:
    rows = Endpoint.objects.select_related("account").order_by("pk")
    return rows.filter(account__requester=requester, transport=Transport.SQS, closed_at=None)


def _queue(requester: Requester, parameters: dict[str, Any]) -> Endpoint:
    """The requester's own queue by the last two parts of QueueUrl; the host may be any name of ours."""
    match = re.search(r"/(\d{12})/([A-Za-z0-9_-]{1,80})/?\Z", _text(parameters, "QueueUrl"))
    queue: Endpoint | None = (
        _queues(requester).filter(account__number=match[1], name=match[2]).first() if match else None
    )
    if queue is None:
        raise no_queue()
    return queue


def _text(parameters: dict[str, Any], name: str) -> str:
    value = parameters.get(name)
    if not isinstance(value, str) or not value or "\x00" in value or not value.isascii():
        raise QueueError("MissingParameter", "MissingParameter", f"The request must contain the text {name}.")
    return value


def _integer(parameters: dict[str, Any], name: str, usual: int, limits: tuple[int, int]) -> int:
    value = parameters.get(name)
    if value is None:
        return usual
    minimum, maximum = limits
    if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= maximum:
        raise bad_value(f"Value {value!r:.40} for parameter {name} is invalid. Must be from {minimum} to {maximum}.")
    return value


def _names(parameters: dict[str, Any], name: str) -> list[str]:
    value = parameters.get(name) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise bad_value(f"{name} must be a list of names.")
    return value


def _shape(message: QueueMessage, attribute_names: set[str]) -> dict[str, Any]:
    """The structure Message."""
    received = message.first_received_at or message.sent_at
    known = {
        "SenderId": SENDER,
        "SentTimestamp": str(int(message.sent_at.timestamp() * 1000)),
        "ApproximateReceiveCount": str(message.receive_count),
        "ApproximateFirstReceiveTimestamp": str(int(received.timestamp() * 1000)),
    }
    chosen = {name: value for name, value in known.items() if "All" in attribute_names or name in attribute_names}
    members = {
        "MessageId": str(message.message_id),
        "ReceiptHandle": messages.handle_of(message),
        "MD5OfBody": hashlib.md5(message.body.encode(), usedforsecurity=False).hexdigest(),
        "Body": message.body,
    }
    return {**members, "Attributes": chosen} if chosen else members
