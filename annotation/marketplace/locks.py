"""Row locks, always taken in this order: requester, HIT, assignment (workers' counters are updated in place, last).

On SQLite every writing transaction is IMMEDIATE, so there the whole database is the lock.
"""

from __future__ import annotations

from annotation.marketplace.models import Assignment, Hit, Requester


def lock_requester(pk: int) -> Requester:
    return Requester.objects.select_for_update(no_key=True).get(pk=pk)


def lock_hit(pk: int) -> Hit:
    """The HIT, locked, without its question (64 kB) and with its type and requester."""
    return (
        Hit.objects.select_for_update(no_key=True, of=("self",))
        .select_related("hit_type", "requester__consent")
        .defer("question")
        .get(pk=pk)
    )


def lock_assignment(pk: int) -> Assignment:
    return Assignment.objects.select_for_update(no_key=True).get(pk=pk)
