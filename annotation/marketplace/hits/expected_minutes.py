"""How many minutes a task takes, as people read it before they start: planned, or the median of those who did it."""

from __future__ import annotations

import math
import re
import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import DurationField, ExpressionWrapper, F, Window
from django.db.models.functions import RowNumber

from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.models import Assignment, HitType

# The planned minutes of a task, as its requester states them.
_PLANNED = re.compile(r"(?:^|[\s,])assay:minutes=([0-9]{1,4})(?=$|[\s,])", re.IGNORECASE)
# From so many people on, their median stands for the plan; of the latest so many.
ENOUGH, LATEST = 10, 200
RECENT_SECONDS, MAX_RECENT = 10, 2_000
_RECENT: dict[str, tuple[float, ExpectedMinutes]] = {}

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


def recent_expected_minutes(hit_type: HitType) -> ExpectedMinutes:
    """The same as this process knew it at most 10 seconds ago.

    For acceptances, of which there are many at a time: reading 200 rows would be a quarter of their cost, and what the
    person has read on a page is stored anyway (`shown_terms`).
    """
    now, known = time.monotonic(), _RECENT.get(hit_type.type_id)
    if known is not None and now - known[0] < RECENT_SECONDS:
        return known[1]
    if len(_RECENT) >= MAX_RECENT:
        _RECENT.clear()
    expected = expected_minutes(hit_type)
    _RECENT[hit_type.type_id] = now, expected
    return expected


def expected_minutes_of(types: Sequence[HitType]) -> ExpectedMinutes:
    """The same of several types, of which nobody knows yet which one a person gets: the longest of their plans, then
    the median over all of them."""
    if not _are_planned(types):
        return ExpectedMinutes(None)
    times = [row for hit_type in types for row in _TIMES(hit_type.pk)]
    return _expected(types, [submitted - accepted for accepted, submitted in times if submitted is not None])


def expected_minutes_by_group(groups: Sequence[Sequence[HitType]]) -> list[ExpectedMinutes]:
    """The same for each of `groups` of types, in one query at most."""
    planned = [hit_type.pk for types in groups if _are_planned(types) for hit_type in types]
    lengths: dict[int, list[timedelta]] = {}
    for pk, length in _latest_lengths(planned) if planned else ():
        lengths.setdefault(pk, []).append(length)
    return [
        _expected(types, [length for hit_type in types for length in lengths.get(hit_type.pk, ())])
        if _are_planned(types)
        else ExpectedMinutes(None)
        for types in groups
    ]


def _latest_lengths(hit_types: Sequence[int]) -> Iterable[tuple[int, timedelta]]:
    """Of each type (primary key) the latest submitted assignments: how long they took."""
    place = Window(RowNumber(), partition_by=F("hit__hit_type"), order_by=F("pk").desc())
    length = ExpressionWrapper(F("submitted_at") - F("accepted_at"), output_field=DurationField())
    rows = Assignment.objects.filter(hit__hit_type__in=hit_types, submitted_at__isnull=False)
    return rows.annotate(place=place, length=length).filter(place__lte=LATEST).values_list("hit__hit_type", "length")


def _are_planned(types: Sequence[HitType]) -> bool:
    return bool(types) and all(planned_minutes(hit_type) is not None for hit_type in types)


def _expected(types: Sequence[HitType], lengths: Sequence[timedelta]) -> ExpectedMinutes:
    """Of planned types: the longest plan, or the median of `lengths` where these are enough."""
    if len(lengths) < ENOUGH:
        return ExpectedMinutes(max(planned_minutes(hit_type) or 0 for hit_type in types))
    median = statistics.median(length.total_seconds() for length in lengths)
    return ExpectedMinutes(max(1, math.ceil(median / 60)), len(lengths))
