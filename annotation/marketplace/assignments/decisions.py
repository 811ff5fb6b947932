"""Approving and rejecting handed-in work, by a requester or by time."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Sum

from annotation.marketplace.core.row_locks import lock_assignment, lock_hit, lock_requester
from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.hits import escrow
from annotation.marketplace.models import Assignment, Hit, LedgerEntry, Requester, WorkerAccount
from annotation.marketplace.money.ledger import Cost, Purpose, pay
from annotation.marketplace.notifications import events

# A rejection can be turned into an approval this long after the work was submitted.
OVERRIDE_WINDOW = timedelta(days=30)
# When the requester cannot pay at the time of auto-approval, it is tried again after this.
UNPAID_RETRY = timedelta(hours=1)

# A decision moves work from submitted to completed; places, and so the status, stay as they are.
DECIDED_FIELDS = ("submitted", "completed", "held_cents")

State = Assignment.State


@transaction.atomic
def approve(assignment: Assignment, *, now: datetime, feedback: str = "", override_rejection: bool = False) -> None:
    """Approve and pay `assignment`.

    Raises RequestRefusedError: InvalidAssignmentState unless Submitted (or Rejected with `override_rejection`, within
    30 days of submission and before the HIT is disposed of), InsufficientFunds when reward and fee cannot be paid.
    """
    payer, hit, held = _lock(assignment)
    if held.state == State.REJECTED and override_rejection:
        _check_override(hit, held, now)
    elif held.state != State.SUBMITTED:
        raise _wrong_state(held, State.SUBMITTED)
    _approve_locked(payer, hit, held, at=now, feedback=feedback)
    hit.save(update_fields=DECIDED_FIELDS)


@transaction.atomic
def reject(assignment: Assignment, *, now: datetime, feedback: str) -> None:
    """Reject `assignment`; its place is not freed. Raises RequestRefusedError (InvalidAssignmentState)."""
    payer, hit, held = _lock(assignment)
    # Withdrawn answers are paid for.
    if held.state != State.SUBMITTED or held.withdrawn_at is not None:
        raise _wrong_state(held, State.SUBMITTED)
    held.state, held.rejected_at, held.feedback, held.due_at = State.REJECTED, now, feedback, None
    held.save(update_fields=["state", "rejected_at", "feedback", "due_at"])
    events.emit(events.REJECTED, hit, at=now, assignment=held)
    hit.submitted -= 1
    hit.completed += 1
    hit.save(update_fields=DECIDED_FIELDS)
    escrow.release(payer, hit, now=now)
    WorkerAccount.objects.filter(pk=held.worker_id).update(rejected_count=F("rejected_count") + 1)


def approve_due(payer: Requester, hit: Hit, held: Assignment, *, now: datetime) -> None:
    """Auto-approve `held` (all three locked) as of its auto-approval time; put it off when it cannot be paid."""
    at = held.auto_approval_at or now
    try:
        _approve_locked(payer, hit, held, at=at, feedback="")
    except RequestRefusedError:
        held.due_at = now + UNPAID_RETRY
        held.save(update_fields=["due_at"])


def _lock(assignment: Assignment) -> tuple[Requester, Hit, Assignment]:
    owner = Hit.objects.only("requester_id").get(pk=assignment.hit_id).requester_id
    return lock_requester(owner), lock_hit(assignment.hit_id), lock_assignment(assignment.pk)


def _check_override(hit: Hit, held: Assignment, now: datetime) -> None:
    if hit.status == Hit.Status.DISPOSED:
        raise RequestRefusedError(
            "InvalidHITState",
            f"This HIT is currently in the state '{hit.status}'. Its rejections can no longer change.",
        )
    if held.submitted_at is None or held.submitted_at + OVERRIDE_WINDOW < now:
        raise RequestRefusedError(
            "InvalidAssignmentState",
            f"Assignment {held.assignment_id} was submitted more than {OVERRIDE_WINDOW.days} days ago; "
            "its rejection can no longer be overridden.",
        )


def _approve_locked(payer: Requester, hit: Hit, held: Assignment, *, at: datetime, feedback: str) -> None:
    overridden = held.state == State.REJECTED
    # What the person was shown is what is paid, whatever type the HIT was moved to since.
    reward = hit.hit_type.reward_cents if held.shown_reward_cents is None else held.shown_reward_cents
    cost = Cost(reward, escrow.fee_of(hit))
    currency = hit.hit_type.currency
    # The hold of rejected work was released: an override is paid like a bonus, out of what can be spent.
    pay(held, cost, purpose=Purpose.REWARD, payer=payer, now=at, hold=None if overridden else hit, currency=currency)
    held.state, held.approved_at, held.due_at = State.APPROVED, at, None
    held.feedback = feedback or held.feedback
    held.save(update_fields=["state", "approved_at", "feedback", "due_at"])
    events.emit(events.APPROVED, hit, at=at, assignment=held)
    if not overridden:
        hit.submitted -= 1
        hit.completed += 1
    WorkerAccount.objects.filter(pk=held.worker_id).update(
        approved_count=F("approved_count") + 1, rejected_count=F("rejected_count") - int(overridden)
    )


@transaction.atomic
def unpay(assignment: Assignment, *, now: datetime) -> None:
    """Book the reward of approved work back: whoever pays the person outside does not pay it. Again, nothing more."""
    payer, hit, held = _lock(assignment)
    rows = LedgerEntry.objects.filter(assignment=held, purpose__in=[Purpose.REWARD, Purpose.UNPAID])
    sums = dict(rows.values_list("account").annotate(Sum("amount_cents")).order_by())
    earned = sums.get(LedgerEntry.Account.OUTSIDE, 0)
    if earned:
        cost = Cost(-earned, -sums.get(LedgerEntry.Account.HOUSE, 0))
        pay(held, cost, purpose=Purpose.UNPAID, payer=payer, now=now, currency=hit.hit_type.currency)


def _wrong_state(held: Assignment, *allowed: str) -> RequestRefusedError:
    return RequestRefusedError(
        "InvalidAssignmentState",
        f"This operation can be called with a status of: {', '.join(allowed)}. "
        f"Assignment {held.assignment_id} has another status.",
    )


def retry_unpaid(requester: Requester, *, now: datetime) -> None:
    """Look again at once at work of `requester` whose auto-approval could not be paid."""
    waiting = Assignment.objects.filter(
        hit__requester=requester, state=State.SUBMITTED, auto_approval_at__lte=now, due_at__gt=now
    )
    waiting.update(due_at=now)
