"""A worker's steps: accept, return and submit an assignment."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, QuerySet

from annotation.marketplace.assignments import drafts
from annotation.marketplace.assignments.enter_study import PASSING, enter_study
from annotation.marketplace.assignments.places import Bars, bars_to, end_hold, take_place
from annotation.marketplace.channels import telling
from annotation.marketplace.core.prepared_sql import Prepared, RowChange, change_of, insert, update
from annotation.marketplace.core.row_locks import (
    lock_assignment,
    lock_hit,
    lock_hit_and_assignment,
    lock_hit_named,
    lock_requester,
)
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.hits import escrow, lifecycle
from annotation.marketplace.models import Assignment, Draw, Hit, Requester, StudyDraw, Submission, WorkerAccount
from annotation.marketplace.notifications import events
from annotation.marketplace.questions.answer_xml import Pairs, with_channel

State = Assignment.State
_COUNT = f"UPDATE {WorkerAccount._meta.db_table} SET submitted_count = submitted_count + 1 WHERE id = %s"  # noqa: S608


def _study_bars(worker: int, hit: int, requester: int, study: str) -> QuerySet[WorkerAccount, tuple[bool, bool, bool]]:
    """What bars a worker from a HIT that names no cell, and whether people of its study are assigned to cells."""
    drawn = Exists(StudyDraw.objects.filter(requester=requester, study=study))
    return WorkerAccount.objects.filter(pk=worker).values_list(*bars_to(worker, hit, requester), drawn)


def _cell_bars(worker: int, hit: int, requester: int, study: str, cell: str) -> QuerySet[Draw, tuple[bool, bool, bool]]:
    """What bars a worker who is counted in the cell of a HIT, and whether they work on something of the study.

    Their draw is locked, after the HIT as in a return, so that they stay counted until the transaction ends.
    """
    active = Assignment.objects.filter(
        worker=worker, state=State.ACCEPTED, hit__requester=requester, hit__hit_type__study=study
    )
    rows = Draw.objects.select_for_update(no_key=True)
    rows = rows.filter(worker=worker, requester=requester, study=study, cell=cell, counted=True)
    return rows.values_list(*bars_to(worker, hit, requester), Exists(active))


_STUDY_BARS = Prepared(_study_bars, int, int, int, str)
_CELL_BARS = Prepared(_cell_bars, int, int, int, str, str)


def accept(hit_id: str, *, worker: WorkerAccount, now: datetime) -> Assignment:
    """Give `worker` a place of a HIT until the deadline; in a study of several cells, of a HIT of their own cell.

    Raises Hit.DoesNotExist, and WorkRefusedError: closed, held (already accepted or done), unqualified, blocked, full,
    and what `admission_rules.check` raises (uninvited, finished, consent). Exactly MaxAssignments can be held: the
    HIT's row is locked from the check to the count.
    """
    hit: Hit | None = None
    try:
        with transaction.atomic():
            hit = lock_hit_named(hit_id)
            if (bars := _bars(hit, worker.pk)) is not None:
                return take_place(hit, worker=worker, now=now, bars=bars)
    except WorkRefusedError as refused:
        # Another HIT of the cell may do.
        if hit is None or not hit.hit_type.cell or refused.reason not in PASSING:
            raise
    # The requester's row is locked before a HIT's: the transaction above has ended.
    payer, preferred = Requester(pk=hit.requester_id), (hit_id, hit.hit_type_id)
    return enter_study(payer, hit.hit_type.study, worker=worker, now=now, preferred=preferred)


def _bars(locked: Hit, worker: int) -> Bars | None:
    """What bars `worker` from `locked` itself; None where they have to enter its study: nobody is counted by another
    HIT of their cell, so that the requester's row need not be locked for it."""
    hit, requester, study, cell = locked.pk, locked.requester_id, locked.hit_type.study, locked.hit_type.cell
    rows = _CELL_BARS(worker, hit, requester, study, cell) if cell else _STUDY_BARS(worker, hit, requester, study)
    return next((Bars(holds, blocked) for holds, blocked, must_enter in rows if not must_enter), None)


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
    hit, held = lock_hit_and_assignment(assignment.pk)
    if held.state in Assignment.SUBMITTED_STATES:
        raise WorkRefusedError("twice")
    if held.state == State.RETURNED:
        raise WorkRefusedError("returned")
    if held.state != State.ACCEPTED or held.deadline <= now:
        raise WorkRefusedError("late")
    if telling.is_requested(hit.hit_type.keywords):
        answer = with_channel(answer, telling.way_of(hit, held.worker_id))
    held.state, held.submitted_at = State.SUBMITTED, now
    held.auto_approval_at = held.due_at = now + timedelta(seconds=hit.hit_type.auto_approval_seconds)
    hit.pending -= 1
    hit.submitted += 1
    events.emit(events.SUBMITTED, hit, at=now, assignment=held)
    events.settle(hit, now)
    insert(
        [Submission(assignment=held, raw=json.dumps(pairs), answer=answer, received_at=received_at)],
        drafts.removal_of(held),
        change_of(held, ("state", "submitted_at", "auto_approval_at", "due_at")),
        change_of(hit, lifecycle.SETTLED_FIELDS),
        RowChange(_COUNT, (held.worker_id,)),
    )
