"""People of a channel whose work was approved and who are paid in another place, written straight into the tables."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta
from typing import Any

from annotation.marketplace.models import (
    Assignment,
    Channel,
    Hit,
    HitType,
    Participant,
    ParticipantIdentity,
    Requester,
    WorkerAccount,
)
from annotation.marketplace.money.ledger import Cost, pay

NUMBERS = itertools.count()


def channel(requester: Requester, tag: str, *, pays: str = "elsewhere", now: datetime, **more: Any) -> Channel:
    number = next(NUMBERS)
    return Channel.objects.create(
        requester=requester, name=f"way-{number}", kind="invitation", study=tag, pays=pays, created_at=now, **more
    )


def hit(requester: Requester, tag: str, *, now: datetime) -> Hit:
    kind, _ = HitType.objects.get_or_create(
        requester=requester,
        digest=f"type of {tag}",
        defaults={
            "title": "Rate texts",
            "description": "Rate",
            "reward_cents": 120,
            "assignment_seconds": 600,
            "auto_approval_seconds": 600,
            "study": tag,
            "by_channel": bool(tag),
            "created_at": now,
        },
    )
    return Hit.objects.create(
        requester=requester,
        hit_type=kind,
        kind="HTMLQuestion",
        question="",
        max_assignments=99,
        completed=1,
        created_at=now,
        expiration=now + timedelta(days=1),
        status="Unassignable",
    )


def person(of: Channel, *, now: datetime, **known: str) -> WorkerAccount:
    """Somebody who has finished."""
    number = next(NUMBERS)
    worker = WorkerAccount.objects.create(name=f"invited {number}", channel=of, created_at=now)
    participant = Participant.objects.create(
        channel=of, worker=worker, created_at=now, began_at=now, finished_at=now, code=f"CODE{number:06d}"
    )
    if known:
        ParticipantIdentity.objects.create(participant=participant, channel=of, **known)
    return worker


def work(worker: WorkerAccount, of: Hit, *, now: datetime, cents: int = 120, state: str = "Approved") -> Assignment:
    """Decided work; what was approved is paid."""
    done = Assignment.objects.create(
        hit=of,
        worker=worker,
        state=state,
        accepted_at=now,
        deadline=now + timedelta(hours=1),
        submitted_at=now,
        auto_approval_at=now,
    )
    if state == "Approved":
        reward(done, cents, now=now)
    return done


def reward(done: Assignment, cents: int, *, now: datetime, purpose: str = "reward") -> None:
    payer = Requester.objects.get(pk=done.hit.requester_id)
    pay(done, Cost(cents, 0), purpose=purpose, payer=payer, now=now)
