"""Exclude a person from future studies until a date, and look up worker IDs, which is always logged."""

from __future__ import annotations

from datetime import date, datetime

from django.db import transaction
from django.db.models import Q

from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Hold, Intent, Look, OncePass, Study, Worker, WorkerIdentity
from annotation.workers import participation

SEES_IDS = "annotation.see_worker_ids"


def hold(worker: Worker, *, reason: str, until: date, actor: User, now: datetime, study: Study | None = None) -> Hold:
    """Exclude a worker from studies created from now on, until a day. Earlier work and its payment stay as they are.

    study: where it was decided; its audit log notes it.
    """
    if not reason.strip():
        raise StateError("Enter a reason to exclude this worker from future studies.").at("reason")
    if until <= now.date():
        raise StateError("The last day must be in the future.").at("until")
    with transaction.atomic():
        # Of two people who do this at once the second waits here, and then replaces the first hold.
        Worker.objects.select_for_update().get(pk=worker.pk)
        earlier = Hold.objects.filter(worker=worker, lifted_at=None)
        earlier.filter(until__gte=now.date()).update(lifted_at=now, lifted_by=actor)
        earlier.update(lifted_at=now)  # their last day is over: no person ended them
        new_hold = Hold.objects.create(worker=worker, reason=reason.strip(), until=until, actor=actor, since=now)
        _record_event(study, "hold", worker, actor, now, until=until.isoformat(), reason=new_hold.reason)
        return new_hold


def lift_hold(worker: Worker, *, actor: User, now: datetime, study: Study | None = None) -> int:
    """End the holds on a person; return how many. study: where it was decided; its audit log notes it."""
    with transaction.atomic():
        current = Hold.objects.filter(worker=worker, lifted_at=None, until__gte=now.date())
        ended = current.update(lifted_at=now, lifted_by=actor)
        if ended:
            _record_event(study, "lift_hold", worker, actor, now)
        return ended


def _record_event(study: Study | None, verb: str, worker: Worker, actor: User, now: datetime, **facts: str) -> None:
    if study is not None:
        name = actor.get_username()
        AuditEvent.objects.record(study, verb, actor=name, now=now, worker=worker.pseudonym, **facts)


def open_again(*, now: datetime) -> int:
    """Revoke the marks of ended holds in running studies; return how many intents were written."""
    scopes = dict(OncePass.objects.filter(scope__startswith=participation.HOLD).values_list("scope", "type_id"))
    uuids = [scope.removeprefix(participation.HOLD) for scope in scopes]
    running = Study.objects.filter(uuid__in=uuids).exclude(status=Study.Status.CLOSED)
    return sum(_open_study(study, scopes[participation.hold_scope(study)], now) for study in running)


def _open_study(study: Study, type_id: str, now: datetime) -> int:
    over = Q(lifted_at__isnull=False) | Q(until__lt=now.date())
    still = Hold.objects.filter(lifted_at=None, until__gte=now.date())
    let_in = study.intents.filter(kind=Intent.Kind.REVOKE)
    people = Worker.objects.filter(pk__in=participation.holds_at_creation(study).filter(over).values("worker"))
    people = people.exclude(pk__in=still.values("worker")).exclude(pk__in=let_in.values("subject"))
    intents = Intent.objects.bulk_create(
        (
            Intent.of(study, Intent.Kind.REVOKE, worker.pk, slot=f"hold {worker.pseudonym}", details={"type": type_id})
            for worker in people
        ),
        ignore_conflicts=True,
    )
    return len(intents)


def look_up(
    worker: Worker, *, reason: str, actor: User, now: datetime, study: Study | None = None
) -> WorkerIdentity | None:
    """Return a worker's identity on the marketplace: by permission only, with a reason, logged first.

    None where the worker ID was deleted. study: where it was looked at; its audit log notes it.
    """
    if not actor.has_perm(SEES_IDS):
        raise StateError("You do not have the permission to see worker IDs.")
    if not reason.strip():
        raise StateError("Enter a reason to look up a worker ID.").at("reason")
    with transaction.atomic():
        Look.objects.create(worker=worker, user=actor, reason=reason.strip()[:200], at=now)
        _record_event(study, "look_up_worker_id", worker, actor, now, reason=reason.strip()[:200])
        return WorkerIdentity.objects.filter(worker=worker).first()
