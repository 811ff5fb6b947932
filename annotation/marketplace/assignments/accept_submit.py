"""A worker's steps: accept, return and submit an assignment; and what happens when its time ends."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Exists, QuerySet

from annotation.marketplace.assignments import drafts
from annotation.marketplace.channels import admission_rules, telling
from annotation.marketplace.core.prepared_sql import Prepared, insert, update
from annotation.marketplace.core.row_locks import lock_assignment, lock_hit, lock_hit_named, lock_requester
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.hits import escrow, lifecycle
from annotation.marketplace.hits.eligibility import assess_worker
from annotation.marketplace.models import Assignment, Hit, Submission, WorkerAccount, WorkerBlock
from annotation.marketplace.notifications import events
from annotation.marketplace.qualifications import once_pass
from annotation.marketplace.questions.answer_xml import Pairs, with_channel

State = Assignment.State
_COUNT = f"UPDATE {WorkerAccount._meta.db_table} SET submitted_count = submitted_count + 1 WHERE id = %s"  # noqa: S608


def _bars(worker: int, hit: int, requester: int) -> QuerySet[WorkerAccount, tuple[bool, bool]]:
    """Whether a worker holds a HIT or has done it, and whether its requester has blocked them."""
    held = Assignment.objects.filter(hit=hit, worker=worker).exclude(state__in=Assignment.RETURNED_OR_ABANDONED)
    blocked = WorkerBlock.objects.filter(requester=requester, worker=worker)
    return WorkerAccount.objects.filter(pk=worker).values_list(Exists(held), Exists(blocked))


_BARS = Prepared(_bars, int, int, int)


@transaction.atomic
def accept(hit_id: str, *, worker: WorkerAccount, now: datetime) -> Assignment:
    """Give `worker` a place of a HIT until the deadline.

    Raises Hit.DoesNotExist, and WorkRefusedError: closed, held (already accepted or done), unqualified, blocked, full,
    and what `gate.check` raises (uninvited, finished, consent). Exactly MaxAssignments can be held: the HIT's row is
    locked from the check to the count.
    """
    locked = lock_hit_named(hit_id)
    ((holds, blocked),) = _BARS(worker.pk, locked.pk, locked.requester_id)
    if locked.status == Hit.Status.DISPOSED or lifecycle.expired(locked, now):
        raise WorkRefusedError("closed")
    if holds:
        raise WorkRefusedError("held")
    if not worker.active or not assess_worker(worker, locked.hit_type).accept:
        raise WorkRefusedError("unqualified")
    if blocked:
        raise WorkRefusedError("blocked")
    admission_rules.check(locked, worker=worker, now=now)
    if not lifecycle.available(locked, now):
        raise WorkRefusedError("full")
    once_pass.grant(locked, worker=worker, now=now)
    deadline = now + timedelta(seconds=locked.hit_type.assignment_seconds)
    held = Assignment(hit=locked, worker=worker, accepted_at=now, deadline=deadline, due_at=deadline)
    insert([held])
    locked.pending += 1
    events.emit(events.ACCEPTED, locked, at=now, assignment=held)
    _save(locked, now)
    return held


@transaction.atomic
def return_assignment(assignment: Assignment, *, now: datetime) -> None:
    """Return an accepted assignment. Raises WorkRefusedError (over) when it is no longer held."""
    # A place returned after the HIT has expired is lost, and its money is released to the requester.
    payer = lock_requester(Hit.objects.only("requester_id").get(pk=assignment.hit_id).requester_id)
    hit, held = lock_hit(assignment.hit_id), lock_assignment(assignment.pk)
    if held.state != State.ACCEPTED:
        raise WorkRefusedError("over")
    end_hold(hit, held, state=State.RETURNED, at=now)
    update(hit, lifecycle.SETTLED_FIELDS)
    escrow.release(payer, hit, now=now)


@transaction.atomic
def submit(assignment: Assignment, pairs: Pairs, *, answer: str, now: datetime, received_at: datetime) -> None:
    """Record the fields of a form as the work of `assignment`, once; `answer` is the XML made from them.

    `received_at` is the real time. Raises WorkRefusedError: twice (already submitted), returned, late.
    """
    hit, held = lock_hit(assignment.hit_id), lock_assignment(assignment.pk)
    if held.state in Assignment.SUBMITTED_STATES:
        raise WorkRefusedError("twice")
    if held.state == State.RETURNED:
        raise WorkRefusedError("returned")
    if held.state != State.ACCEPTED or held.deadline <= now:
        raise WorkRefusedError("late")
    if telling.is_requested(hit.hit_type.keywords):
        answer = with_channel(answer, telling.way_of(hit, held.worker_id))
    insert([Submission(assignment=held, raw=json.dumps(pairs), answer=answer, received_at=received_at)])
    drafts.forget(held)
    held.state, held.submitted_at = State.SUBMITTED, now
    held.auto_approval_at = held.due_at = now + timedelta(seconds=hit.hit_type.auto_approval_seconds)
    update(held, ("state", "submitted_at", "auto_approval_at", "due_at"))
    hit.pending -= 1
    hit.submitted += 1
    events.emit(events.SUBMITTED, hit, at=now, assignment=held)
    _save(hit, now)
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [held.worker_id])


def end_hold(hit: Hit, held: Assignment, *, state: str, at: datetime) -> None:
    """Mark `held` (locked, with its HIT) as returned or abandoned; the HIT is settled but not saved."""
    held.state, held.given_up_at, held.due_at = state, at, None
    update(held, ("state", "given_up_at", "due_at"))
    drafts.forget(held)
    hit.pending -= 1
    happened = events.RETURNED if state == State.RETURNED else events.ABANDONED
    events.emit(happened, hit, at=at, assignment=held)
    events.settle(hit, at)


def _save(hit: Hit, now: datetime) -> None:
    events.settle(hit, now)
    update(hit, lifecycle.SETTLED_FIELDS)
