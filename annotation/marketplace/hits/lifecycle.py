"""The life of a HIT: its status and places as functions of counters and time. No database in here.

Source: Amazon's own status table (created, accepted, returned, submitted, decided) and the rules on expiry:
an expired HIT has no available places, those inside may still submit, and it is reviewable when the last has left.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from annotation.marketplace.models import Hit

# A HIT that waits this long in Reviewable or Reviewing is disposed of.
DISPOSAL = timedelta(days=120)
# A disposal that must wait (undecided work is left) is looked at again after this.
DISPOSAL_RETRY = timedelta(days=1)

Status = Hit.Status


def untaken(hit: Hit) -> int:
    """Return the places without an assignment, whether or not they can still be accepted."""
    return hit.max_assignments - hit.pending - hit.submitted - hit.completed


def expired(hit: Hit, now: datetime) -> bool:
    """True from the moment of expiration on."""
    return hit.expiration <= now


def available(hit: Hit, now: datetime) -> int:
    """Places that can be accepted: none once the HIT has expired or was disposed of."""
    return 0 if expired(hit, now) or hit.status == Status.DISPOSED else untaken(hit)


def status_at(hit: Hit, now: datetime) -> str:
    """The status that counters and time give; Reviewing and Disposed persist while nothing reopens the HIT."""
    if hit.status == Status.DISPOSED:
        return Status.DISPOSED
    if available(hit, now):
        return Status.ASSIGNABLE
    if hit.pending:
        return Status.UNASSIGNABLE
    return Status.REVIEWING if hit.status == Status.REVIEWING else Status.REVIEWABLE


def settle(hit: Hit, at: datetime) -> None:
    """Bring `hit` (not saved) to the state it has at `at`: status, the moment it settled, what is due next."""
    hit.status = status_at(hit, at)
    if hit.status not in {Status.REVIEWABLE, Status.REVIEWING}:
        hit.settled_at = None
        hit.due_at = hit.expiration if at < hit.expiration and hit.status != Status.DISPOSED else None
        return
    hit.settled_at = hit.settled_at or at
    hit.due_at = hit.settled_at + DISPOSAL
    if hit.due_at > at:
        return
    if hit.submitted:
        hit.due_at = at + DISPOSAL_RETRY
    else:
        dispose(hit, at)


def dispose(hit: Hit, at: datetime) -> None:
    """Mark `hit` (not saved) as disposed of; nothing changes it any more."""
    hit.status = Status.DISPOSED
    hit.disposed_at = at
    hit.due_at = None


SETTLED_FIELDS = ("status", "settled_at", "disposed_at", "due_at", "pending", "submitted", "completed")
