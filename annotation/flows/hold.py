"""Keep a person out of future studies for a while, softly; and look up who somebody is, which is always noted."""

from __future__ import annotations

from datetime import date, datetime

from django.db import transaction

from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.models import Hold, Look, Worker, WorkerIdentity

SEES_IDS = "annotation.see_worker_ids"


def hold(worker: Worker, *, reason: str, until: date, actor: User, now: datetime) -> Hold:
    """Not counted on for new studies until a day. Work done and its payment stay as they are."""
    if not reason.strip():
        raise StateError("Keeping somebody out of future studies needs a reason.")
    if until <= now.date():
        raise StateError("The last day lies in the future.")
    with transaction.atomic():
        Hold.objects.filter(worker=worker, lifted_at=None).update(lifted_at=now)
        return Hold.objects.create(worker=worker, reason=reason.strip(), until=until, actor=actor, since=now)


def lift(worker: Worker, *, now: datetime) -> int:
    """End the holds on a person; how many there were."""
    return Hold.objects.filter(worker=worker, lifted_at=None).update(lifted_at=now)


def look_up(worker: Worker, *, reason: str, actor: User, now: datetime) -> WorkerIdentity | None:
    """Who somebody is on the marketplace: by permission only, with a reason, and noted before it is told.

    None where the vault has forgotten.
    """
    if not actor.has_perm(SEES_IDS):
        raise StateError("Seeing worker ids is a permission of its own.")
    if not reason.strip():
        raise StateError("Looking up a worker's id needs a reason.")
    with transaction.atomic():
        Look.objects.create(worker=worker, user=actor, reason=reason.strip()[:200], at=now)
        return WorkerIdentity.objects.filter(worker=worker).first()
