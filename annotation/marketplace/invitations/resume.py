"""Personal addresses by which somebody who came by a link goes on with another device, as the same person.

Each works for the first browser that uses it, and there again; a new one ends those that nobody has used.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from annotation.marketplace.models import OneTimeLink, Participant, WorkerAccount
from annotation.marketplace.workers import sessions

LIFE = timedelta(days=30)
_PURPOSE = OneTimeLink.Purpose.RESUME


@transaction.atomic
def new_address(worker: WorkerAccount, *, now: datetime) -> str:
    """A new personal address of `worker`; shown this once, for its token is stored as a hash."""
    OneTimeLink.objects.filter(worker=worker, purpose=_PURPOSE, used_at=None).delete()
    token = sessions.new_token(worker, _PURPOSE, now=now, life=LIFE, email="")
    return settings.WORKER_ORIGIN + reverse("hits:resume", args=[token])


def find_person(token: str, participants: Collection[str], *, now: datetime) -> Participant | None:
    """Whom the address leads to; None when it is unknown, too old, or was used by another browser.

    Args:
        participants: whom this browser has been, by its cookie.
    """
    rows = OneTimeLink.objects.filter(token_hash=sessions.hashed(token), purpose=_PURPOSE, expires_at__gt=now)
    link = rows.filter(worker__active=True).first()
    if link is None:
        return None
    person = Participant.objects.select_related("channel__requester__user").filter(worker=link.worker_id).first()
    if person is None or (link.used_at is not None and person.participant_id not in participants):
        return None
    return person


def go_on(token: str, participants: Collection[str], *, now: datetime) -> Participant | None:
    """Use the address: whom this browser is from now on, or None as in `find_person`."""
    link = sessions.spend(token, _PURPOSE, now=now)
    if link is None:
        return find_person(token, participants, now=now)
    return Participant.objects.select_related("worker").filter(worker=link.worker).first()
