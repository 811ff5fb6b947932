"""Events, written in the transaction that causes them; sending comes later and elsewhere (`delivery`)."""

from __future__ import annotations

from datetime import datetime

from annotation.marketplace import lifecycle
from annotation.marketplace.models import Assignment, Event, Hit, Subscription

ACCEPTED = "AssignmentAccepted"
ABANDONED = "AssignmentAbandoned"
RETURNED = "AssignmentReturned"
SUBMITTED = "AssignmentSubmitted"
REJECTED = "AssignmentRejected"
APPROVED = "AssignmentApproved"
CREATED = "HITCreated"
EXPIRED = "HITExpired"
REVIEWABLE = "HITReviewable"
EXTENDED = "HITExtended"
DISPOSED = "HITDisposed"
PING = "Ping"

Status = Hit.Status
# In these states time or workers still decide; leaving them is what the events tell.
OPEN = (Status.ASSIGNABLE, Status.UNASSIGNABLE)


def emit(event_type: str, hit: Hit, *, at: datetime, assignment: Assignment | None = None) -> None:
    """Note that `event_type` happened to `hit` (or to an `assignment` of it), if its type asks to be told of it.

    Runs in the caller's transaction: the event is there if and only if what it tells has happened. Costs no query
    where `hit_type__subscription` has come with the HIT.
    """
    asked: Subscription | None = getattr(hit.hit_type, "subscription", None)
    if asked is None or not asked.active or event_type not in asked.event_types:
        return
    Event.objects.create(
        requester_id=hit.requester_id,
        transport=asked.transport,
        destination=asked.destination,
        endpoint_id=asked.endpoint_id,
        version=asked.version,
        event_type=event_type,
        happened_at=at,
        type_id=hit.hit_type.type_id,
        hit_id=hit.hit_id,
        assignment_id=assignment.assignment_id if assignment else "",
    )


def settle(hit: Hit, at: datetime) -> None:
    """`lifecycle.settle`, and the events of what it changed: expired, reviewable, disposed of."""
    was_open, ran = hit.status in OPEN, hit.due_at is not None
    before = hit.status
    lifecycle.settle(hit, at)
    if was_open and ran and lifecycle.expired(hit, at):
        emit(EXPIRED, hit, at=at)
    if was_open and hit.status == Status.REVIEWABLE:
        emit(REVIEWABLE, hit, at=at)
    if hit.status == Status.DISPOSED and before != Status.DISPOSED:
        emit(DISPOSED, hit, at=at)
