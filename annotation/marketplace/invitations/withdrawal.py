"""Withdrawing answers: the rows are erased, the payment stays, the answer document notifies the requester."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation.marketplace.assignments import accept_submit, decisions, rejection_replies
from annotation.marketplace.channels import tokens
from annotation.marketplace.channels.kinds import KINDS
from annotation.marketplace.core.row_locks import lock_assignment, lock_hit, lock_requester
from annotation.marketplace.errors import RequestRefusedError, WorkRefusedError
from annotation.marketplace.invitations import completion
from annotation.marketplace.models import (
    Assignment,
    AssignmentDevice,
    Participant,
    ParticipantIdentity,
    Requester,
    Submission,
    TestAttempt,
    WithdrawalKey,
    WorkerAccount,
)
from annotation.marketplace.questions.answer_xml import withdrawn_xml

State = Assignment.State


@dataclass(frozen=True)
class Withdrawn:
    """Submitted assignments whose answers were erased now, and accepted ones that were returned."""

    erased: int
    returned: int


def withdrawal_code(worker: WorkerAccount, requester: Requester) -> str:
    """Return the code by which `worker` withdraws the answers to `requester`; always the same one."""
    token = tokens.derived("marketplace.withdraw", worker.worker_id, requester.pk)
    WithdrawalKey.objects.get_or_create(
        token_hash=tokens.hashed(token), defaults={"worker": worker, "requester": requester}
    )
    return token


def find_key(typed: str) -> WithdrawalKey | None:
    """Return the row of a withdrawal code as a person typed it."""
    rows = WithdrawalKey.objects.select_related("worker", "requester__user")
    return rows.filter(token_hash=tokens.hashed(tokens.as_written(typed))).first()


@transaction.atomic
def withdraw(key: WithdrawalKey, *, now: datetime) -> Withdrawn:
    """Erase what the worker of `key` submitted to its requester, and pay for it; again, it changes nothing.

    Work that waits for a decision is approved (when the requester cannot pay now, it is tried again as with every
    auto-approval); what was decided stays decided; what is held is returned.
    """
    lock_requester(key.requester_id)
    held = Assignment.objects.filter(worker=key.worker, hit__requester=key.requester_id, withdrawn_at=None)
    erased = returned = 0
    for assignment in held.exclude(state__in=Assignment.RETURNED_OR_ABANDONED).order_by("hit_id"):
        if assignment.state == State.ACCEPTED:
            returned += _return_assignment(assignment, now)
        else:
            _erase(assignment, now)
            erased += 1
    TestAttempt.objects.filter(worker=key.worker, qualification_type__requester=key.requester_id).update(answer="")
    _leave_channel(key.worker, now)
    WithdrawalKey.objects.filter(pk=key.pk, used_at=None).update(used_at=now)
    return Withdrawn(erased, returned)


def _return_assignment(assignment: Assignment, now: datetime) -> bool:
    try:
        accept_submit.return_assignment(assignment, now=now)
    except WorkRefusedError:
        return False
    return True


def _erase(assignment: Assignment, now: datetime) -> None:
    lock_hit(assignment.hit_id)
    held = lock_assignment(assignment.pk)
    Submission.objects.filter(assignment=held).update(raw="[]", answer=withdrawn_xml(now.date()))
    AssignmentDevice.objects.filter(assignment=held).delete()
    rejection_replies.forget(Assignment.objects.filter(pk=held.pk))
    Assignment.objects.filter(pk=held.pk).update(withdrawn_at=now)
    if held.state != State.SUBMITTED:
        return
    try:
        with transaction.atomic():
            decisions.approve(held, now=now)
    except RequestRefusedError:
        Assignment.objects.filter(pk=held.pk).update(auto_approval_at=now, due_at=now + decisions.UNPAID_RETRY)


def _leave_channel(worker: WorkerAccount, now: datetime) -> None:
    """An invited person is done, keeps the code, and is known by what is needed to pay them and no more."""
    person = Participant.objects.select_for_update(no_key=True).filter(worker=worker).first()
    if person is None:
        return
    if completion.count_submitted(worker):
        person = completion.finish(person, now=now)
    Participant.objects.filter(pk=person.pk, withdrawn_at=None).update(withdrawn_at=now)
    ParticipantIdentity.objects.filter(participant=person).update(email="", name="")
    kind = KINDS[person.channel.kind]
    transaction.on_commit(lambda: kind.notify(person, what="withdrew"), robust=True)
