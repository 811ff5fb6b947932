"""Row locks, always taken in this order: requester, HIT, assignment (workers' counters are updated in place, last).

On SQLite every writing transaction is IMMEDIATE, so there the whole database is the lock.
"""

from __future__ import annotations

from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.models import Assignment, Hit, Requester

_REQUESTER = Prepared(lambda pk: Requester.objects.select_for_update(no_key=True).filter(pk=pk), int)
_HITS = (
    Hit.objects.select_for_update(no_key=True, of=("self",))
    .select_related("hit_type__subscription", "requester__consent")
    .defer("question")
)
_HIT = Prepared(lambda pk: _HITS.filter(pk=pk), int)
_HIT_NAMED = Prepared(lambda hit_id: _HITS.filter(hit_id=hit_id), str)
# Locked in the order in which they are named.
_HIT_AND_ASSIGNMENT = Prepared(
    lambda pk: (
        Assignment.objects.select_for_update(no_key=True, of=("hit", "self"))
        .select_related("hit__hit_type__subscription")
        .defer("hit__question")
        .filter(pk=pk)
    ),
    int,
)
_ASSIGNMENT = Prepared(lambda pk: Assignment.objects.select_for_update(no_key=True).filter(pk=pk), int)


def lock_requester(pk: int) -> Requester:
    (requester,) = _REQUESTER(pk)
    return requester


def lock_hit(pk: int) -> Hit:
    """The HIT, locked, without its question (64 kB), with its type, its requester and who is told of it."""
    (hit,) = _HIT(pk)
    return hit


def lock_hit_named(hit_id: str) -> Hit:
    """As `lock_hit`, by the id that is shown outside. Raises Hit.DoesNotExist."""
    for hit in _HIT_NAMED(hit_id):
        return hit
    raise Hit.DoesNotExist


def lock_assignment(pk: int) -> Assignment:
    (assignment,) = _ASSIGNMENT(pk)
    return assignment


def lock_hit_and_assignment(pk: int) -> tuple[Hit, Assignment]:
    """The HIT of an assignment and then the assignment, locked; the HIT without question and requester."""
    (assignment,) = _HIT_AND_ASSIGNMENT(pk)
    return assignment.hit, assignment
