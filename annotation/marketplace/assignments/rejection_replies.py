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
# What `standing` reads beside the assignment.
WITH = ("hit__hit_type__subscription", "hit__requester__user", "reply")


@dataclass(frozen=True)
class Standing:
    """What was answered to a rejection, and whether it can be. until: to when the requester can change the decision
    (None: it is final); heard: whether an answer would reach the requester."""

    reply: Reply | None
    until: datetime | None
    heard: bool

    @property
    def open(self) -> bool:
        return self.reply is None and self.until is not None and self.heard


def standing(held: Assignment, *, now: datetime) -> Standing:
    """How an assignment stands that was rejected. Reads nothing where `held` came with WITH."""
    until = _changeable_until(held, now)
    heard = until is not None and events.answers_go_to(held.hit) is not None
    return Standing(getattr(held, "reply", None), until, heard)


def standing_of(assignment_id: str, *, now: datetime) -> Standing:
    """The same by the assignment's id."""
    return standing(_whole().get(assignment_id=assignment_id), now=now)


@transaction.atomic
def send(assignment: Assignment, text: str, *, now: datetime) -> Reply:
    """Keep `text` as the answer to the rejection of `assignment`, and have its requester told.

    The same words again change nothing. Raises WorkRefusedError: answered (with other words), final (no rejection, or
    none that can be changed), unheard (the requester takes no answers).
    """
    lock_assignment(assignment.pk)
    held = _whole().get(pk=assignment.pk)
    found = standing(held, now=now)
    if found.reply is not None:
        if found.reply.text != text:
            raise WorkRefusedError("answered")
        return found.reply
    if found.until is None:
        raise WorkRefusedError("final")
    if not found.heard:
        raise WorkRefusedError("unheard")
    made = Reply.objects.create(assignment=held, text=text, sent_at=now)
    events.answered(held, at=now)
    return made


def forget(held: QuerySet[Assignment]) -> int:
    """Erase the replies about these assignments, with every message that carries one; how many."""
    mine = Reply.objects.filter(assignment__in=held)
    ids = list(mine.values_list("assignment__assignment_id", "assignment__hit__hit_id"))
    told = Event.objects.filter(
        event_type=events.ANSWERED, hit_id__in=[hit for _, hit in ids], assignment_id__in=[work for work, _ in ids]
    )
    documents = Document.objects.filter(pk__in=list(told.exclude(document=None).values_list("document", flat=True)))
    for document in documents:
        if document.endpoint_id is not None:
            QueueMessage.objects.filter(queue=document.endpoint_id, body=document.body).delete()
    told.delete()
    documents.delete()
    return mine.delete()[0]


def _whole() -> QuerySet[Assignment]:
    return Assignment.objects.select_related(*WITH).defer("hit__question")


def _changeable_until(held: Assignment, now: datetime) -> datetime | None:
    if held.state != Assignment.State.REJECTED or held.withdrawn_at is not None or held.submitted_at is None:
        return None
    until = held.submitted_at + decisions.OVERRIDE_WINDOW
    return until if now < until and held.hit.status != Hit.Status.DISPOSED else None
