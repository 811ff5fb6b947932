"""Entering a study of several cells: the cell is drawn, or known, and a HIT of it is accepted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db import transaction

from annotation.marketplace.assignments import expire_due
from annotation.marketplace.assignments.places import take_place
from annotation.marketplace.core.row_locks import lock_hit, lock_requester
from annotation.marketplace.draws import counts
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.hits import catalogue, study_cards
from annotation.marketplace.models import Assignment, Draw, Hit, Requester, StudyDraw, WorkerAccount

# Refusals of a HIT for which another HIT of the cell may do.
_PASSING = frozenset({"full", "closed", "held", "unqualified"})


def enter_study(
    requester: Requester, study_tag: str, *, worker: WorkerAccount, now: datetime, preferred: str = ""
) -> Assignment:
    """Accept a HIT of the study's cell that `worker` was assigned to; who has none yet is assigned to one now.

    The cell is the least filled of those with a place that the worker can take, ties at random (`draws.choose`). It is
    never changed: who returned comes back to the same one. Draw, log and place are written together or not at all.
    Who works on a HIT of the study is given that one again, so that a second press takes no second place.

    Args:
        preferred: a HIT to accept where it is of the worker's cell; another of the cell otherwise.

    Raises:
        WorkRefusedError: closed, held, unqualified, blocked, uninvited, finished, consent, full.
    """
    # Who has run out of time is not inside any more, whether or not somebody has looked.
    expire_due.catch_up(now)
    with transaction.atomic():
        # One arrival after another, and no return or expiry between the counts and the place.
        lock_requester(requester.pk)
        held = study_cards.held_in_study(worker, requester.pk, study_tag)
        if held is not None:
            return held
        known = counts.draw_of(requester.pk, study_tag, worker.pk)
        if known is None or not known.counted:
            known = _counted(requester, study_tag, known, worker, now)
        return _take_some(known, worker, preferred, now)


def _counted(requester: Requester, study: str, known: Draw | None, worker: WorkerAccount, now: datetime) -> Draw:
    """A new draw, or the known one of who comes back. Raises WorkRefusedError."""
    study_draw = counts.study_draw_of(requester.pk, study)
    if study_draw is None:
        raise WorkRefusedError("closed")
    if known is not None:
        counts.count_again(study_draw, known, now=now)
        return known
    return counts.draw(study_draw, worker, eligible=_eligible(study_draw, worker, now), now=now)


def _eligible(study_draw: StudyDraw, worker: WorkerAccount, now: datetime) -> set[str]:
    """The cells with a place that `worker` could take. Raises WorkRefusedError where there is none."""
    types = study_cards.open_types(worker, study_draw.requester_id, study_draw.study, now=now)
    if not types:
        raise WorkRefusedError(study_cards.refusal(worker, study_draw.requester_id, study_draw.study, now=now))
    if reason := study_cards.refusal_of(types, worker, now):
        raise WorkRefusedError(reason)
    return {hit_type.cell for hit_type, eligibility in types if eligibility.accept}


def _take_some(known: Draw, worker: WorkerAccount, preferred: str, now: datetime) -> Assignment:
    """A place of some HIT of the cell. Raises WorkRefusedError, and the draw with it is not made."""
    reason = ""
    for pk in _candidates(known, worker, preferred, now):
        try:
            return take_place(lock_hit(pk), worker=worker, now=now)
        except WorkRefusedError as refused:
            if refused.reason not in _PASSING:
                raise
            reason = reason or refused.reason
    raise WorkRefusedError(reason or study_cards.refusal(worker, known.requester_id, known.study, now=now) or "full")


def _candidates(known: Draw, worker: WorkerAccount, preferred: str, now: datetime) -> Iterator[int]:
    """HITs of the cell to be tried, the preferred one first."""
    cell = {"requester": known.requester_id, "hit_type__study": known.study, "hit_type__cell": known.cell}
    first = Hit.objects.filter(**cell, hit_id=preferred).values_list("pk", flat=True).first() if preferred else None
    if first is not None:
        yield first
    # Of several types in a cell only some may be open to a person: a page that is split over HITs lets them in once.
    types = study_cards.open_types(worker, known.requester_id, known.study, now=now)
    accepted = [hit_type.pk for hit_type, eligibility in types if eligibility.accept]
    rows = catalogue.untaken(worker, now).filter(**cell, hit_type__in=accepted)
    pks = list(rows.order_by("pk").values_list("pk", flat=True)[: catalogue.SPREAD])
    # Several people are led to different HITs, so that they do not meet at the last place of one.
    turn = worker.pk % len(pks) if pks else 0
    yield from (pk for pk in pks[turn:] + pks[:turn] if pk != first)
