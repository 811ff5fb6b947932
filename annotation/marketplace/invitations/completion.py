"""The end of taking part: after the last HIT a person can have, a completion code and the way back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction

from annotation.marketplace.channels import reach, tokens
from annotation.marketplace.channels.kinds import KINDS
from annotation.marketplace.hits.catalogue import Choice, held_by, offers
from annotation.marketplace.models import (
    Assignment,
    Channel,
    Participant,
    ParticipantIdentity,
    SuppliedCode,
    WorkerAccount,
)


def finish_if_done(worker: WorkerAccount, *, now: datetime) -> Participant | None:
    """The participant behind an invited `worker` once they have finished; None while there is more to do.

    They have finished when something was submitted, nothing is held, and no HIT is left that they could accept.
    """
    person = Participant.objects.filter(worker=worker).first()
    if person is None or person.finished_at is not None:
        return person
    if not count_submitted(worker) or held_by(worker).exists():
        return None
    if has_work_left(worker, now) or waits_for_team(worker, now):
        return None
    return finish(person, now=now)


def count_submitted(worker: WorkerAccount) -> int:
    return Assignment.objects.filter(worker=worker, state__in=Assignment.SUBMITTED_STATES).count()


def has_work_left(worker: WorkerAccount, now: datetime) -> bool:
    """Whether there is a HIT that `worker` could accept now."""
    return bool(offers(worker, Choice(qualified=True), now=now).rows)


def waits_for_team(worker: WorkerAccount, now: datetime) -> bool:
    """Whether the team of `worker` shares the HITs, and others of it hold one that comes back if they return it."""
    channel = worker.channel
    if channel is None or channel.overlap is None or reach.has_max_tasks(worker, channel):
        return False
    return reach.waits_for_team(worker, channel, now)


@transaction.atomic
def finish(person: Participant, *, now: datetime, early: bool = False) -> Participant:
    """Give `person` their code, once; afterwards they can accept nothing more.

    early: they stop before the last HIT, and are shown the channel's code for that where it has one.
    """
    locked = Participant.objects.select_for_update(no_key=True).select_related("channel").get(pk=person.pk)
    if locked.finished_at is None:
        locked.finished_at, locked.code = now, tokens.new_code()
        locked.stopped_at = now if early else None
        locked.save(update_fields=["finished_at", "stopped_at", "code"])
        if locked.channel.has_supplied_codes and not (early and locked.channel.stop_code):
            _take_supplied_code(locked)
        transaction.on_commit(lambda: KINDS[locked.channel.kind].notify(locked, what="finished"), robust=True)
    return locked


def _take_supplied_code(person: Participant) -> None:
    """Give `person` the next of the requester's codes; none where they have run out."""
    free = SuppliedCode.objects.filter(channel=person.channel_id, participant=None).order_by("pk")
    locked = free.select_for_update(skip_locked=connection.features.has_select_for_update_skip_locked).first()
    if locked is not None:
        SuppliedCode.objects.filter(pk=locked.pk, participant=None).update(participant=person)


def way_back(person: Participant) -> str:
    """Where a person who has finished is sent, with their code and id; "" when their link says nothing."""
    if person.link is None or person.finished_at is None:
        return ""
    known = ParticipantIdentity.objects.filter(participant=person).first()
    kind = KINDS[person.channel.kind]
    return kind.way_back(person.link, external_id=known.external_id if known else "", code=person.shown_code)


@dataclass(frozen=True)
class Verified:
    """The participation that a completion code proves."""

    channel: Channel
    issued_at: datetime
    handed_in: int
    withdrawn: bool


def verify(typed: str) -> Verified | None:
    """Return what `typed` is the code of; None for an unknown code. Case, spaces and dashes do not matter."""
    code = tokens.as_written(typed)
    person = Participant.objects.select_related("channel__requester__user", "worker").filter(code=code).first()
    if not code or person is None or person.worker is None or person.finished_at is None:
        return None
    return Verified(person.channel, person.finished_at, count_submitted(person.worker), person.withdrawn_at is not None)
