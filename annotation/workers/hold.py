"""Keep a person out of future studies for a while, softly; and look up who somebody is, which is always noted."""

from __future__ import annotations

from datetime import date, datetime

from django.db import transaction
from django.db.models import Q

from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Hold, Intent, Look, OncePass, Study, Worker, WorkerIdentity
from annotation.workers import participation as apart

SEES_IDS = "annotation.see_worker_ids"


def hold(worker: Worker, *, reason: str, until: date, actor: User, now: datetime, study: Study | None = None) -> Hold:
    """Kept out of studies that are made from now on, until a day. Work done and its payment stay as they are.

    study: where it was decided; its log tells of it.
    """
    if not reason.strip():
        raise StateError("Keeping somebody out of future studies needs a reason.").at("reason")
    if until <= now.date():
        raise StateError("The last day lies in the future.").at("until")
    with transaction.atomic():
        # Of two people who hold somebody at once the second waits here, and then replaces the first one's hold.
        Worker.objects.select_for_update().get(pk=worker.pk)
        earlier = Hold.objects.filter(worker=worker, lifted_at=None)
        earlier.filter(until__gte=now.date()).update(lifted_at=now, lifted_by=actor)
        earlier.update(lifted_at=now)  # their last day is over: nobody ended them
        made = Hold.objects.create(worker=worker, reason=reason.strip(), until=until, actor=actor, since=now)
        _note(study, "hold", worker, actor, now, until=until.isoformat(), reason=made.reason)
        return made


def lift(worker: Worker, *, actor: User, now: datetime, study: Study | None = None) -> int:
    """End the holds on a person; how many there were. study: where it was decided; its log tells of it."""
    with transaction.atomic():
        standing = Hold.objects.filter(worker=worker, lifted_at=None, until__gte=now.date())
        ended = standing.update(lifted_at=now, lifted_by=actor)
        if ended:
            _note(study, "lift_hold", worker, actor, now)
        return ended


def _note(study: Study | None, verb: str, worker: Worker, actor: User, now: datetime, **facts: str) -> None:
    if study is not None:
        name = actor.get_username()
        AuditEvent.objects.record(study, verb, actor=name, now=now, worker=worker.pseudonym, **facts)


def open_again(*, now: datetime) -> int:
    """Let people in again whose hold is over, in running studies that kept them out; how many were intended."""
    scopes = dict(OncePass.objects.filter(scope__startswith=apart.HOLD).values_list("scope", "type_id"))
    uuids = [scope.removeprefix(apart.HOLD) for scope in scopes]
    running = Study.objects.filter(uuid__in=uuids).exclude(status=Study.Status.CLOSED)
    return sum(_open_study(study, scopes[apart.hold_scope(study)], now) for study in running)


def _open_study(study: Study, type_id: str, now: datetime) -> int:
    over = Q(lifted_at__isnull=False) | Q(until__lt=now.date())
    still = Hold.objects.filter(lifted_at=None, until__gte=now.date())
    let_in = study.intents.filter(kind=Intent.Kind.REVOKE)
    people = Worker.objects.filter(pk__in=apart.held_when_made(study).filter(over).values("worker"))
    people = people.exclude(pk__in=still.values("worker")).exclude(pk__in=let_in.values("subject"))
    made = Intent.objects.bulk_create(
        (
            Intent.of(study, Intent.Kind.REVOKE, one.pk, slot=f"hold {one.pseudonym}", details={"type": type_id})
            for one in people
        ),
        ignore_conflicts=True,
    )
    return len(made)


def look_up(worker: Worker, *, reason: str, actor: User, now: datetime) -> WorkerIdentity | None:
    """Who somebody is on the marketplace: by permission only, with a reason, and noted before it is told.

    None where the vault has forgotten.
    """
    if not actor.has_perm(SEES_IDS):
        raise StateError("Seeing worker ids is a permission of its own.")
    if not reason.strip():
        raise StateError("Looking up a worker's id needs a reason.").at("reason")
    with transaction.atomic():
        Look.objects.create(worker=worker, user=actor, reason=reason.strip()[:200], at=now)
        return WorkerIdentity.objects.filter(worker=worker).first()
