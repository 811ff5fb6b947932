"""UpdateExpirationForHIT, CreateAdditionalAssignmentsForHIT, UpdateHITReviewStatus, UpdateHITTypeOfHIT, DeleteHIT."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from annotation.marketplace.core import request_tokens
from annotation.marketplace.core.row_locks import lock_hit, lock_requester
from annotation.marketplace.errors import InvalidParameterError, RequestRefusedError
from annotation.marketplace.hits import escrow, lifecycle
from annotation.marketplace.hits.limits import RANGES, YEAR
from annotation.marketplace.models import Assignment, Hit, Requester
from annotation.marketplace.money.fees import MANY
from annotation.marketplace.notifications import events
from annotation.marketplace.operations.finding import load_hit, load_hit_type
from annotation.marketplace.operations.registry import Call, operation

Status = Hit.Status
MAX_ASSIGNMENTS = RANGES["MaxAssignments"][1]
LIVING = (Status.ASSIGNABLE, Status.UNASSIGNABLE, Status.REVIEWABLE, Status.REVIEWING)


@operation("UpdateExpirationForHIT", writes=True)
def update_expiration(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """A time in the past (0 included) expires the HIT now; a later time than the present expiration extends it."""
    payer, hit = _locked(call, parameters["HITId"], LIVING)
    expiration = parameters["ExpireAt"]
    if expiration <= call.now:
        hit.expiration = min(hit.expiration, call.now)
    elif expiration < hit.expiration:
        raise RequestRefusedError(
            "InvalidParameterValue",
            "You cannot shorten the expiration time of a HIT; give a time in the past to expire it now.",
        )
    elif expiration > call.now + timedelta(seconds=YEAR):
        raise InvalidParameterError("ExpireAt must be within 365 days from now.")
    else:
        hit.expiration = expiration
        events.emit(events.EXTENDED, hit, at=call.now)
    return _settled(call, payer, hit, "expiration")


@operation("CreateAdditionalAssignmentsForHIT", writes=True)
def create_additional_assignments(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    payer, hit = _locked(call, parameters["HITId"], LIVING)
    request_tokens.claim(
        call.requester,
        scope="CreateAdditionalAssignmentsForHIT",
        token=parameters.get("UniqueRequestToken"),
        now=call.now,
        result=call.request_id,
    )
    total = hit.max_assignments + parameters["NumberOfAdditionalAssignments"]
    if hit.max_assignments < MANY <= total:
        raise RequestRefusedError(
            "InvalidMaximumAssignmentsIncrease",
            f"HITs created with fewer than {MANY} assignments cannot be extended to have {MANY} or more assignments.",
        )
    if total > MAX_ASSIGNMENTS:
        raise InvalidParameterError(f"A HIT has at most {MAX_ASSIGNMENTS} assignments; this would make {total}.")
    hit.max_assignments = total
    events.emit(events.EXTENDED, hit, at=call.now)
    return _settled(call, payer, hit, "max_assignments")


@operation("UpdateHITReviewStatus", writes=True)
def update_review_status(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Reviewable to Reviewing, or back with Revert."""
    revert = parameters.get("Revert", False)
    _, hit = _locked(call, parameters["HITId"], (Status.REVIEWING if revert else Status.REVIEWABLE,))
    hit.status = Status.REVIEWABLE if revert else Status.REVIEWING
    hit.save(update_fields=["status"])
    return {}


@operation("UpdateHITTypeOfHIT", writes=True)
def update_type(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """The HIT takes on every property of the type, the reward of undecided work included."""
    payer, hit = _locked(call, parameters["HITId"], LIVING)
    hit_type = load_hit_type(call, parameters["HITTypeId"])
    if hit_type.cell != hit.hit_type.cell and hit.assignments.exists():
        raise RequestRefusedError(
            "InvalidHITState", "This HIT was accepted already; it cannot move to another cell of its study."
        )
    if hit_type.currency != hit.hit_type.currency:
        raise RequestRefusedError(
            "InvalidHITState",
            f"This HIT pays in {hit.hit_type.currency}; the HIT type pays in {hit_type.currency}. Publish a new HIT.",
        )
    hit.hit_type = hit_type
    hit.save(update_fields=["hit_type"])
    # Who has accepted reads the new pay from now on; nobody gets less than they were shown.
    undecided = hit.assignments.exclude(state=Assignment.State.APPROVED)
    undecided.filter(shown_reward_cents__lt=hit_type.reward_cents).update(shown_reward_cents=hit_type.reward_cents)
    escrow.hold(payer, hit, now=call.now)
    return {}


@operation("DeleteHIT", writes=True)
def delete_hit(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    payer, hit = _locked(call, parameters["HITId"], (Status.REVIEWING, Status.REVIEWABLE))
    if hit.submitted:
        raise RequestRefusedError(
            "InvalidHITState",
            f"This HIT still has {hit.submitted} submitted assignments that are neither approved nor rejected.",
        )
    lifecycle.dispose(hit, call.now)
    hit.save(update_fields=lifecycle.SETTLED_FIELDS)
    events.emit(events.DISPOSED, hit, at=call.now)
    escrow.release(payer, hit, now=call.now)
    return {}


def _locked(call: Call, hit_id: str, allowed: tuple[str, ...]) -> tuple[Requester, Hit]:
    """Caller and HIT, both locked. Raises RequestRefusedError (InvalidHITState) unless its status is allowed."""
    hit_pk = load_hit(call, hit_id).pk
    payer, hit = lock_requester(call.requester.pk), lock_hit(hit_pk)
    if hit.status not in allowed:
        raise RequestRefusedError(
            "InvalidHITState",
            f"This HIT is currently in the state '{hit.status}'. "
            f"This operation can be called with a status of: {', '.join(allowed)}",
        )
    return payer, hit


def _settled(call: Call, payer: Requester, hit: Hit, changed: str) -> dict[str, Any]:
    events.settle(hit, call.now)
    hit.save(update_fields=[changed, *lifecycle.SETTLED_FIELDS])
    escrow.hold(payer, hit, now=call.now)
    return {}
