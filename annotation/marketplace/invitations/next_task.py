"""What comes next for somebody who came by a link: the task they hold, the next one, or the end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation.marketplace.assignments import accept_submit
from annotation.marketplace.assignments.enter_study import enter_study
from annotation.marketplace.channels import consent, reach
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.hits import entry_check
from annotation.marketplace.hits.catalogue import Choice, held_by, offers, some_ids_of
from annotation.marketplace.invitations import admission, completion
from annotation.marketplace.invitations.offer import PayOffer, is_for_once, offer_of_types
from annotation.marketplace.models import (
    Assignment,
    Channel,
    Hit,
    Link,
    Participant,
    WorkerAccount,
)

# Refusals of one task for which another may do.
PASSING = frozenset({"full", "closed", "held"})


@dataclass(frozen=True)
class TaskNumber:
    """Which of their tasks a person is at, from 1, and how many they can do in all."""

    number: int
    total: int


def progress_of(worker: WorkerAccount, *, now: datetime) -> TaskNumber:
    """The number of the task that `worker` holds or would start next, and of all: submitted, held and still open.

    Where a study takes everybody once, one task is all.
    """
    submitted, held = completion.count_submitted(worker), held_by(worker).count()
    rows = offers(worker, Choice(qualified=True), now=now).rows
    still_open = sum(offer.count for offer in rows)
    if still_open and any(is_for_once(offer.hit_type) for offer in rows):
        still_open = 1
    total = submitted + held + still_open
    if worker.channel is not None and worker.channel.max_tasks is not None:
        total = min(total, worker.channel.max_tasks)
    return TaskNumber(submitted + 1, max(total, 1))


@transaction.atomic
def start_next(worker: WorkerAccount, *, now: datetime) -> Assignment:
    """The task that `worker` holds, or the next one, accepted. Raises WorkRefusedError where there is none."""
    if worker.channel_id is not None:
        # Two presses at the same moment are one start.
        Channel.objects.select_for_update(no_key=True).get(pk=worker.channel_id)
    held = held_by(worker).first()
    if held is not None:
        return held
    for offer in offers(worker, Choice(qualified=True), now=now).rows:
        if offer.hit_type.cell:
            return enter_study(offer.requester, offer.hit_type.study, worker=worker, now=now)
        for hit_id in some_ids_of(worker, offer.hit_type, now=now):
            try:
                return accept_submit.accept(hit_id, worker=worker, now=now)
            except WorkRefusedError as refusal:
                if refusal.reason not in PASSING:
                    raise
    raise WorkRefusedError(why_nothing(worker, now=now))


def first_open(worker: WorkerAccount, *, now: datetime) -> str:
    """The id of a task that `worker` could start, "" for none."""
    rows = offers(worker, Choice(qualified=True), now=now).rows
    return rows[0].hit_id if rows else ""


def next_offer(worker: WorkerAccount, *, now: datetime) -> PayOffer | None:
    """What the next task of `worker` asks and pays; None where there is none, or they read it after the draw."""
    for row in offers(worker, Choice(qualified=True), now=now).rows:
        types = row.undrawn or (row.hit_type,)
        return offer_of_types(types) if len({(each.reward_cents, each.currency) for each in types}) == 1 else None
    return None


def why_nothing(worker: WorkerAccount, *, now: datetime) -> str:
    """The word for why an invited `worker` can start nothing: closed, full, held, blocked, unqualified, finished."""
    if worker.channel is None:
        return "closed"
    hits = reach.hits_of(worker.channel).select_related("hit_type", "requester")
    living = hits.filter(expiration__gt=now).exclude(status=Hit.Status.DISPOSED).defer("question")
    reasons = {entry_check.refusal(hit, worker=worker, now=now) for hit in living[:20]} - {""}
    # What holds for the person comes before what holds for a task.
    for reason in ("finished", "blocked", "unqualified", "uninvited", "full", "held"):
        if reason in reasons:
            return reason
    return "closed"


@dataclass(frozen=True)
class Entered:
    """Who came in, and the task that they were given; None where nothing is left for them to start."""

    participant: Participant
    worker: WorkerAccount
    assignment: Assignment | None


@transaction.atomic
def enter_and_start(
    link: Link, visitor: admission.Visitor, *, version: str, now: datetime, start: bool = True
) -> Entered:
    """Let the visitor in and give them their task, in one transaction: who gets none has agreed to nothing.

    start: False where the person reads first what the task pays. Raises DoorClosedError with the reason; nothing is
    stored then. A person who had agreed before comes in anyway.
    """
    known = admission.look(link, visitor, now=now).person
    known_worker = known.worker if known is not None else None
    had_agreed = known_worker is not None and consent.agreed(known_worker, consent.terms_of(link.channel))
    person, worker = admission.enter(link, visitor, version=version, now=now)
    try:
        with transaction.atomic():
            return Entered(person, worker, start_next(worker, now=now) if start else None)
    except WorkRefusedError as refusal:
        if had_agreed:
            return Entered(person, worker, None)
        fresh = Participant.objects.filter(pk=person.pk).first() if known is not None else None
        raise admission.DoorClosedError(admission.Door(DOOR_WORDS[refusal.reason], link, fresh)) from None


# What a refused task is called at the door.
DOOR_WORDS = {
    "full": "full",
    "closed": "closed",
    "uninvited": "closed",
    "held": "already",
    "finished": "already",
    "blocked": "blocked",
    "unqualified": "unqualified",
    "consent": "consent",
}
