"""Hear what the marketplace tells through a queue: stored first, and only then deleted there."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from annotation.collecting.worker_replies import take_up
from annotation.exceptions import NoticeError
from annotation.models import HeardEvent, Hit
from annotation.mturk.client import Market
from annotation.mturk.sns import EventDocument, Notice, read_events

log = logging.getLogger(__name__)
MOST_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Heard:
    """Messages taken from the queue, events in them that were new, and HITs (market ids) that must be looked at."""

    messages: int
    new: int
    hits: frozenset[str]


def hear(*, market: Market, queue: str, now: datetime) -> Heard:
    """Empty the queue. What comes twice is stored once; what cannot be read is left to polling, and said."""
    messages = new = 0
    for _ in range(MOST_ROUNDS):
        found = market.messages(queue)
        for message in found:
            new += _stored(message.body, now=now)
            market.delete_message(queue, message.handle)
        messages += len(found)
        if not found:
            break
    waiting = HeardEvent.objects.filter(looked_at=None).exclude(market_hit="")
    return Heard(messages, new, frozenset(waiting.values_list("market_hit", flat=True).distinct()))


def take_note(notice: Notice, *, now: datetime) -> Heard:
    """Store the events of a message that was posted and believed. Raises NoticeError where it holds none."""
    document = read_events(notice)
    new = _written(document, now=now)
    return Heard(1, new, frozenset(event.hit_id for event in document.events if event.hit_id))


def _stored(body: str, *, now: datetime) -> int:
    try:
        return _written(read_events(Notice("", body, now, "")), now=now)
    except NoticeError as error:
        log.warning("A message of the marketplace could not be read: %s", error)
        return 0


def _written(document: EventDocument, *, now: datetime) -> int:
    """How many events were new."""
    before = HeardEvent.objects.filter(doc_id=document.doc_id).count()
    replied = {event.hit_id for event in document.events if event.words}
    found = Hit.objects.filter(market_id__in=replied).values_list("market_id", flat=True) if replied else ()
    ours = {str(market_id) for market_id in found}
    HeardEvent.objects.bulk_create(
        (
            HeardEvent(
                doc_id=document.doc_id,
                place=place,
                kind=event.kind[:30],
                happened_at=event.at,
                market_hit=event.hit_id,
                assignment_id=event.assignment_id,
                received_at=now,
                words=event.words if event.hit_id in ours else "",
            )
            for place, event in enumerate(document.events)
        ),
        ignore_conflicts=True,
    )
    take_up(ours, now=now)
    return len(document.events) - before
