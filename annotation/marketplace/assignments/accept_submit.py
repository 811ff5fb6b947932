"""A worker's steps: accept, return and submit an assignment."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery

from annotation.marketplace.assignments import drafts
from annotation.marketplace.assignments.enter_study import enter_study
from annotation.marketplace.assignments.places import end_hold, take_place
from annotation.marketplace.channels import telling
from annotation.marketplace.core.prepared_sql import Prepared, insert, update
from annotation.marketplace.core.row_locks import lock_assignment, lock_hit, lock_hit_named, lock_requester
from annotation.marketplace.draws import counts
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.hits import escrow, lifecycle
from annotation.marketplace.models import Assignment, Draw, Hit, Requester, StudyDraw, Submission, WorkerAccount
from annotation.marketplace.notifications import events
from annotation.marketplace.questions.answer_xml import Pairs, with_channel

State = Assignment.State
_COUNT = f"UPDATE {WorkerAccount._meta.db_table} SET submitted_count = submitted_count + 1 WHERE id = %s"  # noqa: S608


def _whose(hit_id: str, worker: int) -> QuerySet[Hit, tuple[int, str, int, bool, int | None, bool]]:
    """Whose HIT it is, of which study and type; whether people are assigned to cells there, to which one the worker
    was, and what of the study the worker is working on: all that an accept must know before it locks anything."""
    study = {"requester": OuterRef("requester"), "study": OuterRef("hit_type__study")}
    draws = Draw.objects.filter(worker=worker, cell=OuterRef("hit_type__cell"), counted=True, **study)
    held = Assignment.objects.filter(
        worker=worker,
        state=State.ACCEPTED,
        hit__requester=OuterRef("requester"),
        hit__hit_type__study=OuterRef("hit_type__study"),
    )
    drawn = Exists(StudyDraw.objects.filter(**study))
    return Hit.objects.filter(hit_id=hit_id).values_list(
        "requester_id", "hit_type__study", "hit_type_id", drawn, Subquery(draws.values("pk")[:1]), Exists(held)
    )


_WHOSE = Prepared(_whose, str, int)


def accept(hit_id: str, *, worker: WorkerAccount, now: datetime) -> Assignment:
    """Give `worker` a place of a HIT until the deadline; in a study of several cells, of a HIT of their own cell.

    Raises Hit.DoesNotExist, and WorkRefusedError: closed, held (already accepted or done), unqualified, blocked, full,
    and what `admission_rules.check` raises (uninvited, finished, consent). Exactly MaxAssignments can be held: the
    HIT's row is locked from the check to the count.
    """
    for requester, study, hit_type, drawn, draw, holds in _WHOSE(hit_id, worker.pk):
        if not drawn:
            continue
        if draw is not None and not holds and (held := _accept_next(hit_id, draw, worker, now)):
            return held
        return enter_study(Requester(pk=requester), study, worker=worker, now=now, preferred=(hit_id, hit_type))
    with transaction.atomic():
        return take_place(lock_hit_named(hit_id), worker=worker, now=now)


def _accept_next(hit_id: str, draw: int, worker: WorkerAccount, now: datetime) -> Assignment | None:
    """A further HIT of the cell of somebody who is counted there; None where that does not hold any more, or another
    HIT of the cell may do. No count changes, so the requester's row need not be locked."""
    try:
        with transaction.atomic():
            hit = lock_hit_named(hit_id)
            return take_place(hit, worker=worker, now=now) if counts.still_counted(draw) else None
    except WorkRefusedError as refused:
        if refused.reason not in {"full", "closed", "held", "unqualified"}:
            raise
        return None


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


def _save(hit: Hit, now: datetime) -> None:
    events.settle(hit, now)
    update(hit, lifecycle.SETTLED_FIELDS)
