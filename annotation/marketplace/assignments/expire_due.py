"""Time passing: expiry, abandoned work, auto-approval, disposal.

Every door calls `catch_up` before it acts, so whatever is due by the marketplace's clock has happened before anybody
can see otherwise; `manage.py marketplace_sweep` calls the same. What is due is found by two indexed columns, so the
check costs the same however much is stored, and each event is handled once, as of its own moment.
"""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotation.accounts.lock_wait import limit_lock_wait
from annotation.marketplace.assignments.decisions import approve_due
from annotation.marketplace.assignments.places import end_hold
from annotation.marketplace.core.due_times import Moment, earliest
from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.core.row_locks import lock_hit, lock_requester
from annotation.marketplace.hits import escrow, lifecycle
from annotation.marketplace.models import Assignment, Hit, SweepMark
from annotation.marketplace.notifications import events

BATCH = 100
MARKED_EVERY = 60.0  # seconds
_EARLIEST = (Prepared(lambda: earliest(Hit)), Prepared(lambda: earliest(Assignment)))


def arrive(moment: Moment) -> datetime:
    """The time of `moment`, once everything that was due by then has happened: `catch_up` for who has read it."""
    if moment.anything_due:
        catch_up(moment.now)
    else:
        _mark()
    return moment.now


def catch_up(now: datetime, *, lock_seconds: float | None = None) -> int:
    """Let everything happen that is due by `now`; returns the number of HITs touched.

    lock_seconds: how long a step may wait for what another session has locked; None: as long as any statement may.
    Raises OperationalError where that is over.
    """
    with _limited(lock_seconds):
        _mark()
    if not _anything_due(now):
        return 0
    touched = 0
    while due := _due_hits(now):
        for pk in due:
            with _limited(lock_seconds):
                _catch_up_hit(pk, now)
        touched += len(due)
    return touched


def _limited(lock_seconds: float | None) -> AbstractContextManager[None]:
    return nullcontext() if lock_seconds is None else limit_lock_wait(lock_seconds)


_marked = 0.0


def _mark() -> None:
    """Leave word that somebody looks after what is due, once a minute and process: `/metrics` tells its age."""
    global _marked  # noqa: PLW0603 - of this process
    if _marked and time.monotonic() - _marked < MARKED_EVERY:
        return
    _marked = time.monotonic()
    SweepMark.objects.update_or_create(pk=1, defaults={"at": timezone.now()})


def _anything_due(now: datetime) -> bool:
    """Whether `_due_hits` would find any."""
    return any(row["due_at"] <= now for query in _EARLIEST for row in query())


def _due_hits(now: datetime) -> list[int]:
    by_hit = Hit.objects.filter(due_at__lte=now).order_by().values_list("pk", flat=True)
    by_assignment = Assignment.objects.filter(due_at__lte=now).order_by().values_list("hit_id", flat=True)
    return list(by_hit.union(by_assignment)[:BATCH])


@transaction.atomic
def _catch_up_hit(pk: int, now: datetime) -> None:
    payer = lock_requester(Hit.objects.only("requester_id").get(pk=pk).requester_id)
    hit = lock_hit(pk)
    due = Assignment.objects.select_for_update(no_key=True).filter(hit=hit, due_at__lte=now).order_by("due_at", "pk")
    for held in due:
        at = held.due_at or now
        if held.state == Assignment.State.ACCEPTED:
            _advance(hit, at)
            end_hold(hit, held, state=Assignment.State.ABANDONED, at=at)
        else:
            approve_due(payer, hit, held, now=now)
    _advance(hit, now)
    hit.save(update_fields=[*lifecycle.SETTLED_FIELDS, "held_cents"])
    escrow.release(payer, hit, now=now)


def _advance(hit: Hit, until: datetime) -> None:
    """Settle `hit` (not saved) at each of its own moments up to `until`, in order."""
    while hit.due_at is not None and hit.due_at <= until:
        events.settle(hit, hit.due_at)


def look_again(now: datetime) -> None:
    """After the clock has gone back: HITs whose expiration lies ahead once more are settled anew."""
    ahead = Hit.objects.filter(expiration__gt=now).exclude(status=Hit.Status.DISPOSED)
    ahead.update(due_at=now)
