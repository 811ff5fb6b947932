"""How many minutes a task takes, as people read it before they start: planned, or the median of those who did it."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.models import Assignment, HitType

# The planned minutes of a task, as its requester states them.
_PLANNED = re.compile(r"(?:^|[\s,])assay:minutes=([0-9]{1,4})(?=$|[\s,])", re.IGNORECASE)
# From so many people on, their median stands for the plan; of the latest so many.
ENOUGH, LATEST = 10, 200

_TIMES = Prepared(
    lambda hit_type: (
        Assignment.objects.filter(hit__hit_type=hit_type, submitted_at__isnull=False)
        .order_by("-pk")
        .values_list("accepted_at", "submitted_at")[:LATEST]
    ),
    int,
)


@dataclass(frozen=True)
class ExpectedMinutes:
    """Minutes (None: not known) and of how many people they are the median; 0: as the requester planned."""

    minutes: int | None
    people: int = 0


def planned_minutes(hit_type: HitType) -> int | None:
    """What the requester stated by the keyword assay:minutes; None without it."""
    stated = _PLANNED.search(hit_type.keywords)
    return (int(stated[1]) or None) if stated else None


def expected_minutes(hit_type: HitType) -> ExpectedMinutes:
    """The planned minutes until 10 people have submitted, then their median in whole minutes, rounded up.

    Only of types whose requester states a plan: for others nothing is shown, and nothing is computed.
    """
    return expected_minutes_of([hit_type])


def expected_minutes_of(types: Sequence[HitType]) -> ExpectedMinutes:
    """The same of several types, of which nobody knows yet which one a person gets: the longest of their plans, then
    the median over all of them."""
    plans = [planned_minutes(hit_type) for hit_type in types]
    known = [plan for plan in plans if plan is not None]
    if not known or len(known) < len(plans):
        return ExpectedMinutes(None)
    times = [row for hit_type in types for row in _TIMES(hit_type.pk)]
    seconds = [(submitted - accepted).total_seconds() for accepted, submitted in times if submitted is not None]
    if len(seconds) < ENOUGH:
        return ExpectedMinutes(max(known))
    return ExpectedMinutes(max(1, math.ceil(statistics.median(seconds) / 60)), len(seconds))
