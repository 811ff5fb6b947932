"""Events, written in the transaction that causes them; sending comes later and elsewhere (`delivery`)."""

from __future__ import annotations

from datetime import datetime

from annotation.marketplace.hits import lifecycle
from annotation.marketplace.models import Assignment, Event, Hit, Subscription, Transport

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
# Ours: Mechanical Turk has none. A worker answered a rejection; the words come with it.
ANSWERED = "RejectionAnswered"
EXTENSION_EVENTS = (ANSWERED,)

Status = Hit.Status
USUAL_VERSION = "2014-08-15"
# In these states time or workers still decide; leaving them is what the events tell.
OPEN = (Status.ASSIGNABLE, Status.UNASSIGNABLE)


def emit(event_type: str, hit: Hit, *, at: datetime, assignment: Assignment | None = None) -> None:
    """Note that `event_type` happened to `hit` (or to an `assignment` of it), if its type subscribes to it.

    Runs in the caller's transaction: the event is there if and only if what it reports has happened. Costs no query
    where `hit_type__subscription` has come with the HIT.
    """
    if subscription := _subscription(hit, event_type):
        _write(subscription, event_type, hit, at=at, assignment=assignment)


def answered(assignment: Assignment, *, at: datetime) -> None:
    """Note that the worker answered the rejection of `assignment`, for whom `answers_go_to` names."""
    if subscription := answers_go_to(assignment.hit):
        _write(subscription, ANSWERED, assignment.hit, at=at, assignment=assignment)


def answers_go_to(hit: Hit) -> Subscription | None:
    """Where an answer to a rejection is sent: where its HIT type asks for that, else by mail to the requester's own
    address; None where there is neither."""
    if subscription := _subscription(hit, ANSWERED):
        return subscription
    email = hit.requester.user.email
    return Subscription(transport=Transport.EMAIL, destination=email, version=USUAL_VERSION) if email else None


def _subscription(hit: Hit, event_type: str) -> Subscription | None:
    subscription: Subscription | None = getattr(hit.hit_type, "subscription", None)
    return (
        subscription
        if subscription is not None and subscription.active and event_type in subscription.event_types
        else None
    )


def _write(
    subscription: Subscription, event_type: str, hit: Hit, *, at: datetime, assignment: Assignment | None
) -> None:
    Event.objects.create(
        requester_id=hit.requester_id,
        transport=subscription.transport,
        destination=subscription.destination,
        endpoint_id=subscription.endpoint_id,
        version=subscription.version,
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
