"""Places of a HIT: taking one, and leaving it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists

from annotation.marketplace.assignments import drafts
from annotation.marketplace.channels import admission_rules, reach
from annotation.marketplace.core.prepared_sql import Prepared, change_of, insert, update
from annotation.marketplace.draws import counts
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.hits import lifecycle
from annotation.marketplace.hits.eligibility import assess_worker
from annotation.marketplace.hits.expected_minutes import recent_expected_minutes
from annotation.marketplace.models import Assignment, Hit, WorkerAccount, WorkerBlock
from annotation.marketplace.notifications import events
from annotation.marketplace.qualifications import once_pass

State = Assignment.State


@dataclass(frozen=True, slots=True)
class Bars:
    """What bars a worker from a place of a HIT: they hold it or have done it, or its requester has blocked them."""

    holds: bool
    blocked: bool


def bars_to(worker: int, hit: int, requester: int) -> tuple[Exists, Exists]:
    """The two values of `Bars`, for a query (primary keys)."""
    held = Assignment.objects.filter(hit=hit, worker=worker).exclude(state__in=Assignment.RETURNED_OR_ABANDONED)
    return Exists(held), Exists(WorkerBlock.objects.filter(requester=requester, worker=worker))


_BARS = Prepared(
    lambda worker, hit, requester: WorkerAccount.objects.filter(pk=worker).values_list(
        *bars_to(worker, hit, requester)
    ),
    int,
    int,
    int,
)


def take_place(locked: Hit, *, worker: WorkerAccount, now: datetime, bars: Bars | None = None) -> Assignment:
    """Give `worker` a place of `locked` (its row is locked, from the checks to the count) until the deadline.

    Args:
        bars: where they were read already, since the HIT was locked.

    Raises WorkRefusedError: closed, held (already accepted or done), unqualified, blocked, full, and what
    `admission_rules.check` raises (uninvited, finished, consent).
    """
    if bars is None:
        bars = Bars(*_BARS(worker.pk, locked.pk, locked.requester_id)[0])
    if locked.status == Hit.Status.DISPOSED or lifecycle.expired(locked, now):
        raise WorkRefusedError("closed")
    if bars.holds:
        raise WorkRefusedError("held")
    if not worker.active or not assess_worker(worker, locked.hit_type).accept:
        raise WorkRefusedError("unqualified")
    if bars.blocked:
        raise WorkRefusedError("blocked")
    admission_rules.check(locked, worker=worker, now=now)
    if not lifecycle.available(locked, now) or _is_shared_out(locked, worker):
        raise WorkRefusedError("full")
    once_pass.grant(locked, worker=worker, now=now)
    deadline = now + timedelta(seconds=locked.hit_type.assignment_seconds)
    terms = recent_expected_minutes(locked.hit_type)
    held = Assignment(
        hit=locked,
        worker=worker,
        accepted_at=now,
        deadline=deadline,
        due_at=deadline,
        shown_reward_cents=locked.hit_type.reward_cents,
        shown_currency=locked.hit_type.currency,
        shown_minutes=terms.minutes,
        shown_minutes_people=terms.people,
    )
    locked.pending += 1
    events.emit(events.ACCEPTED, locked, at=now, assignment=held)
    events.settle(locked, now)
    insert([held], change_of(locked, lifecycle.SETTLED_FIELDS))
    return held


def _is_shared_out(locked: Hit, worker: WorkerAccount) -> bool:
    """Whether enough people of the worker's team have the HIT, or they have their maximum. Costs queries in such a
    team alone."""
    channel = worker.channel
    if channel is None:
        return False
    if channel.overlap is not None and reach.is_shared_out(locked, channel):
        return True
    return reach.has_max_tasks(worker, channel)


def end_hold(hit: Hit, held: Assignment, *, state: str, at: datetime) -> None:
    """Mark `held` (locked, with its HIT and its requester) as returned or abandoned; the HIT is settled, not saved.

    Who leaves a drawn study with nothing submitted is no longer counted in their cell, and may come back.
    """
    held.state, held.given_up_at, held.due_at = state, at, None
    update(held, ("state", "given_up_at", "due_at"))
    drafts.forget(held)
    if counts.leave_if_idle(hit, held.worker_id, at=at) or once_pass.leaves_only_arm(hit, held.worker_id):
        once_pass.revoke(hit, held.worker_id)
    hit.pending -= 1
    happened = events.RETURNED if state == State.RETURNED else events.ABANDONED
    events.emit(happened, hit, at=at, assignment=held)
    events.settle(hit, at)
