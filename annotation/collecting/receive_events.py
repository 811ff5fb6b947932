"""Receive events of the marketplace from a queue: stored first, and only then deleted there."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from annotation.collecting.worker_replies import store_replies
from annotation.exceptions import NoticeError
from annotation.models import Hit, MarketplaceEvent
from annotation.mturk.client import Market
from annotation.mturk.sns import EventDocument, Notice, read_events

log = logging.getLogger(__name__)
MAX_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class ReceivedEvents:
    """Messages taken from the queue, events in them that were new, and HITs (market ids) to collect."""

    messages: int
    new: int
    hits: frozenset[str]


def receive_from_queue(*, market: Market, queue: str, now: datetime) -> ReceivedEvents:
    """Empty the queue. An event that comes twice is stored once; an unreadable one is logged and left to polling."""
    messages = new = 0
    for _ in range(MAX_ROUNDS):
        received = market.messages(queue)
        for message in received:
            new += _store_message(message.body, now=now)
            market.delete_message(queue, message.handle)
        messages += len(received)
        if not received:
            break
    waiting = MarketplaceEvent.objects.filter(looked_at=None).exclude(market_hit="")
    return ReceivedEvents(messages, new, frozenset(waiting.values_list("market_hit", flat=True).distinct()))


def store_notice(notice: Notice, *, now: datetime) -> ReceivedEvents:
    """Store the events of a posted, verified message. Raises NoticeError where it holds none."""
    document = read_events(notice)
    new = _store_events(document, now=now)
    return ReceivedEvents(1, new, frozenset(event.hit_id for event in document.events if event.hit_id))


def _store_message(body: str, *, now: datetime) -> int:
    try:
        return _store_events(read_events(Notice("", body, now, "")), now=now)
    except NoticeError as error:
        log.warning("A message of the marketplace could not be read: %s", error)
        return 0


def _store_events(document: EventDocument, *, now: datetime) -> int:
    """How many events were new."""
    before = MarketplaceEvent.objects.filter(doc_id=document.doc_id).count()
    replied = {event.hit_id for event in document.events if event.words}
    market_ids = Hit.objects.filter(market_id__in=replied).values_list("market_id", flat=True) if replied else ()
    local_ids = {str(market_id) for market_id in market_ids}
    MarketplaceEvent.objects.bulk_create(
        (
            MarketplaceEvent(
                doc_id=document.doc_id,
                place=place,
                kind=event.kind[:30],
                happened_at=event.at,
                market_hit=event.hit_id,
                assignment_id=event.assignment_id,
                received_at=now,
                words=event.words if event.hit_id in local_ids else "",
            )
            for place, event in enumerate(document.events)
        ),
        ignore_conflicts=True,
    )
    store_replies(local_ids, now=now)
    return len(document.events) - before
