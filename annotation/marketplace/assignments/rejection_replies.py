"""What a worker answers to a rejection: once, while the requester can still change the decision."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from annotation.marketplace.assignments import decisions
from annotation.marketplace.core.rate_limits import Limit
from annotation.marketplace.core.row_locks import lock_assignment
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.models import Assignment, Document, Event, Hit, QueueMessage, Reply
from annotation.marketplace.notifications import events

LONGEST = 1_000
# Of one worker, to all requesters together.
OFTEN = Limit("reply", 20, timedelta(hours=1))
# What `reply_status` reads along with the assignment.
WITH = ("hit__hit_type__subscription", "hit__requester__user", "reply")


@dataclass(frozen=True)
class ReplyStatus:
    """What was answered to a rejection, and whether it can be. until: to when the requester can change the decision
    (None: it is final); reachable: whether an answer would reach the requester."""

    reply: Reply | None
    until: datetime | None
    reachable: bool

    @property
    def open(self) -> bool:
        return self.reply is None and self.until is not None and self.reachable


def reply_status(held: Assignment, *, now: datetime) -> ReplyStatus:
    """Return the reply to a rejected assignment and whether one is possible. No query where `held` came with WITH."""
    until = _changeable_until(held, now)
    reachable = until is not None and events.answers_go_to(held.hit) is not None
    return ReplyStatus(getattr(held, "reply", None), until, reachable)


def reply_status_of(assignment_id: str, *, now: datetime) -> ReplyStatus:
    """The same by the assignment's id."""
    return reply_status(_with_relations().get(assignment_id=assignment_id), now=now)


@transaction.atomic
def send(assignment: Assignment, text: str, *, now: datetime) -> Reply:
    """Store `text` as the reply to the rejection of `assignment`, and notify its requester.

    The same words again change nothing. Raises WorkRefusedError: answered (with other words), final (no rejection, or
    none that can be changed), unheard (the requester takes no answers).
    """
    lock_assignment(assignment.pk)
    held = _with_relations().get(pk=assignment.pk)
    status = reply_status(held, now=now)
    if status.reply is not None:
        if status.reply.text != text:
            raise WorkRefusedError("answered")
        return status.reply
    if status.until is None:
        raise WorkRefusedError("final")
    if not status.reachable:
        raise WorkRefusedError("unheard")
    reply = Reply.objects.create(assignment=held, text=text, sent_at=now)
    events.answered(held, at=now)
    return reply


def forget(held: QuerySet[Assignment]) -> int:
    """Erase the replies about these assignments, with every message that carries one; how many."""
    mine = Reply.objects.filter(assignment__in=held)
    ids = list(mine.values_list("assignment__assignment_id", "assignment__hit__hit_id"))
    reply_events = Event.objects.filter(
        event_type=events.ANSWERED, hit_id__in=[hit for _, hit in ids], assignment_id__in=[work for work, _ in ids]
    )
    documents = Document.objects.filter(
        pk__in=list(reply_events.exclude(document=None).values_list("document", flat=True))
    )
    for document in documents:
        if document.endpoint_id is not None:
            QueueMessage.objects.filter(queue=document.endpoint_id, body=document.body).delete()
    reply_events.delete()
    documents.delete()
    return mine.delete()[0]


def _with_relations() -> QuerySet[Assignment]:
    return Assignment.objects.select_related(*WITH).defer("hit__question")


def _changeable_until(held: Assignment, now: datetime) -> datetime | None:
    if held.state != Assignment.State.REJECTED or held.withdrawn_at is not None or held.submitted_at is None:
        return None
    until = held.submitted_at + decisions.OVERRIDE_WINDOW
    return until if now < until and held.hit.status != Hit.Status.DISPOSED else None
