"""From events to documents: several events for one receiver go in one message."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import QuerySet

from annotation.marketplace.core.faults import Fault, strikes
from annotation.marketplace.ids import NOBODYS_ID, document_id
from annotation.marketplace.models import Document, Endpoint, Event, NoticeAccount, Reply, Requester, Transport
from annotation.marketplace.notifications.events import ANSWERED

# Events in one document: far below the 256 kB that a queue's message may have.
MAX_EVENTS = 100
# Events looked at in one transaction.
BATCH = 500
# What a test event of an answer says.
TEST_WORDS = "This is a test."


def gather(*, now: datetime, queue: Endpoint | None = None) -> int:
    """Put waiting events into documents (only those for `queue`, if given); returns the number of documents made.

    Documents for queues are delivered at once: the queue is a table. `now` is the real time.
    """
    document_count = 0
    # Asked first without a transaction: on SQLite each one that may write holds up all others.
    while _waiting(queue).exists():
        events, documents = _gather_batch(now, queue)
        document_count += documents
        if events < BATCH:
            break
    return document_count


def _waiting(queue: Endpoint | None) -> QuerySet[Event]:
    rows = Event.objects.filter(document=None)
    return rows if queue is None else rows.filter(endpoint=queue)


@transaction.atomic
def _gather_batch(now: datetime, queue: Endpoint | None) -> tuple[int, int]:
    waiting = list(_waiting(queue).select_for_update(skip_locked=True).order_by("pk")[:BATCH])
    receivers: dict[tuple[int, str, str, str, int], list[Event]] = {}
    for event in waiting:
        # A worker's words are alone in their document: it can be erased, and none grows too large.
        alone = event.pk if event.event_type == ANSWERED else 0
        key = (event.requester_id, event.transport, event.destination, event.version, alone)
        receivers.setdefault(key, []).append(event)
    document_count = 0
    for events in receivers.values():
        for start in range(0, len(events), MAX_EVENTS):
            _make(events[start : start + MAX_EVENTS], now)
            document_count += 1
    return len(waiting), document_count


def gather_event(event: Event, *, now: datetime) -> None:
    """Put `event`, written in this transaction, into a document of its own: a test is not to wait for others."""
    _make([event], now)


def _make(events: Sequence[Event], now: datetime) -> Document:
    first = events[0]
    doc_id = document_id()
    queued = first.transport == Transport.SQS
    document = Document.objects.create(
        doc_id=doc_id,
        requester_id=first.requester_id,
        transport=first.transport,
        destination=first.destination,
        endpoint_id=first.endpoint_id,
        body=body_of(doc_id, events, account_of(first.requester_id)),
        created_at=now,
        next_attempt_at=None if queued else now,
        attempts=int(queued),
        delivered_at=now if queued else None,
    )
    Event.objects.filter(pk__in=[event.pk for event in events]).update(document=document)
    if queued:
        _enqueue(document, now)
    return document


def _enqueue(document: Document, now: datetime) -> None:
    copies = 0 if strikes(Fault.LOSE) else 2 if strikes(Fault.DOUBLE) else 1
    if document.endpoint is not None and document.endpoint.closed_at is None:
        for _ in range(copies):
            document.endpoint.messages.create(body=document.body, sent_at=now, visible_at=now)


def account_of(requester: int | Requester) -> NoticeAccount:
    """The account that names the requester in notifications, opened at the first need."""
    pk = requester if isinstance(requester, int) else requester.pk
    account, _ = NoticeAccount.objects.get_or_create(requester_id=pk)
    return account


def body_of(doc_id: str, events: Sequence[Event], account: NoticeAccount) -> str:
    """The JSON document, as Amazon's looked (version 2014-08-15)."""
    return json.dumps(
        {
            "Events": [_event_members(event) for event in events],
            "EventDocId": doc_id,
            "SourceAccount": account.number,
            "CustomerId": account.customer_id,
            "EventDocVersion": events[0].version,
        },
        separators=(",", ":"),
    )


def _event_members(event: Event) -> dict[str, str]:
    members = {
        "EventType": event.event_type,
        "EventTimestamp": f"{event.happened_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "HITId": event.hit_id,
        "AssignmentId": event.assignment_id,
        "HITTypeId": event.type_id,
        "Reply": _words(event) if event.event_type == ANSWERED else "",
    }
    return {name: value for name, value in members.items() if value}


def _words(event: Event) -> str:
    """What the worker answered; nothing once it was erased."""
    if event.assignment_id == NOBODYS_ID:
        return TEST_WORDS
    text = Reply.objects.filter(assignment__assignment_id=event.assignment_id).values_list("text", flat=True).first()
    return text or ""
