"""Entering a study of several cells: the cell is drawn, or known, and a HIT of it is accepted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from annotation.marketplace.assignments import expire_due
from annotation.marketplace.assignments.places import take_place
from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.core.row_locks import lock_hit, lock_requester
from annotation.marketplace.draws import counts
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.hits import catalogue, study_cards
from annotation.marketplace.models import Assignment, Draw, HitType, Requester, StudyDraw, WorkerAccount

# Refusals of a HIT for which another HIT of the cell may do.
PASSING = frozenset({"full", "closed", "held", "unqualified"})

# The first HITs of a type that a worker has not taken, and the one that they pressed for.
_CANDIDATES = Prepared(
    lambda worker, hit_type, now: (
        catalogue.open_and_untaken(worker, now)
        .filter(hit_type=hit_type)
        .order_by("pk")
        .values_list("pk", "hit_id")[: catalogue.SPREAD]
    ),
    int,
    int,
    datetime,
)
_PREFERRED = Prepared(
    lambda worker, hit_id, now: catalogue.open_and_untaken(worker, now).filter(hit_id=hit_id).values_list("pk"),
    int,
    str,
    datetime,
)


def enter_study(
    requester: Requester, study_tag: str, *, worker: WorkerAccount, now: datetime, preferred: tuple[str, int] = ("", 0)
) -> Assignment:
    """Accept a HIT of the study's cell that `worker` was assigned to; who has none yet is assigned to one now.

    The cell is the least filled of those with a place that the worker can take, ties at random (`draws.choose`). It is
    never changed: who returned comes back to the same one. Draw, log and place are written together or not at all.
    Who works on a HIT of the study is given that one again, so that a second press takes no second place.

    Args:
        preferred: a HIT, and the key of its type, to accept where it is of the worker's cell; another of it otherwise.

    Raises:
        WorkRefusedError: closed, held, unqualified, blocked, uninvited, finished, consent, full.
    """
    # Who has run out of time is not inside any more, whether or not somebody has looked.
    expire_due.catch_up(now)
    with transaction.atomic():
        # One arrival after another, and no return or expiry between the counts and the place.
        payer = lock_requester(requester.pk)
        # Read after the lock: in one statement with it, the row would be the one from before others had it.
        study_draw = counts.study_draw_of(requester.pk, study_tag)
        if study_draw is None:
            raise WorkRefusedError("closed")
        study_draw.requester = payer
        known = counts.draw_of(requester.pk, study_tag, worker.pk)
        # Who was assigned to no cell works on nothing here.
        if known and (held := study_cards.held_in_study(worker, requester.pk, study_tag)):
            return held
        types = _open_types(study_draw, worker, known, now)
        if known is None:
            cells = {hit_type.cell for hit_type in types}
            known = counts.draw(study_draw, worker, eligible=cells, now=now)
        held = _take_some(known, types, worker, preferred, now)
        counts.count_again(study_draw, known, now=now)
        return held


def _open_types(study_draw: StudyDraw, worker: WorkerAccount, known: Draw | None, now: datetime) -> list[HitType]:
    """The types of the study with a place that `worker` may take; of their own cell where they have one.

    Raises WorkRefusedError where there is none.
    """
    cell = known.cell if known else None
    types = study_cards.open_types_of(worker, study_draw.requester_id, study_draw.study, cell=cell, now=now)
    if not types:
        raise WorkRefusedError(study_cards.refusal(worker, study_draw.requester_id, study_draw.study, now=now))
    # Whatever else is against it, the place is refused for, and with it the draw.
    if not worker.active or not any(eligibility.accept for _, eligibility in types):
        raise WorkRefusedError("unqualified")
    # Of several types in a cell only some may be open to a person: a page that is split over HITs lets them in once.
    return [hit_type for hit_type, eligibility in types if eligibility.accept]


def _take_some(
    known: Draw, types: Sequence[HitType], worker: WorkerAccount, preferred: tuple[str, int], now: datetime
) -> Assignment:
    """A place of some HIT of the cell. Raises WorkRefusedError, and the draw with it is not made."""
    reason = ""
    for pk in _candidates(known, types, worker, preferred, now):
        try:
            return take_place(lock_hit(pk), worker=worker, now=now)
        except WorkRefusedError as refused:
            if refused.reason not in PASSING:
                raise
            reason = reason or refused.reason
    raise WorkRefusedError(reason or "full")


def _candidates(
    known: Draw, types: Sequence[HitType], worker: WorkerAccount, preferred: tuple[str, int], now: datetime
) -> list[int]:
    """HITs of the cell to be tried, the preferred one first."""
    cell = [hit_type.pk for hit_type in types if hit_type.cell == known.cell]
    rows = sorted(row for hit_type in cell for row in _CANDIDATES(worker.pk, hit_type, now))[: catalogue.SPREAD]
    # Several people are led to different HITs, so that they do not meet at the last place of one.
    turn = worker.pk % len(rows) if rows else 0
    hits = [*rows[turn:], *rows[:turn]]
    first = [pk for pk, hit_id in hits if hit_id == preferred[0]]
    if not first and preferred[1] in cell:
        first = [pk for (pk,) in _PREFERRED(worker.pk, preferred[0], now)]
    return list(dict.fromkeys([*first, *(pk for pk, _ in hits)]))
