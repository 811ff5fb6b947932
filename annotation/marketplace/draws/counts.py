"""Who counts in which cell, and the log of it. Everything here happens with the requester's row locked."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import Count, QuerySet

from annotation.marketplace.core.prepared_sql import Prepared, change_of, insert, update
from annotation.marketplace.draws.choose import choose_cell
from annotation.marketplace.models import (
    Assignment,
    Channel,
    Draw,
    DrawEvent,
    Hit,
    HitType,
    Requester,
    StudyDraw,
    WorkerAccount,
)

Kind = DrawEvent.Kind
Pays = Requester.Pays


def _counted(requester: int, study: str) -> QuerySet[Draw, tuple[str, int]]:
    rows = Draw.objects.filter(requester=requester, study=study, counted=True).order_by().values("cell")
    return rows.annotate(people=Count("pk")).values_list("cell", "people")


_COUNTED = Prepared(_counted, int, str)
_STUDY = Prepared(lambda requester, study: StudyDraw.objects.filter(requester=requester, study=study), int, str)
_DRAW = Prepared(
    lambda requester, study, worker: Draw.objects.filter(worker=worker, requester=requester, study=study), int, str, int
)
_LOCKED = Prepared(lambda pk: Draw.objects.select_for_update(no_key=True).filter(pk=pk, counted=True), int)
_REWARDS = Prepared(
    lambda requester, study: (
        HitType.objects.filter(requester=requester, study=study)
        .exclude(cell="")
        .order_by()
        .values_list("reward_cents")
        .distinct()
    ),
    int,
    str,
)
_LIVE = Prepared(
    lambda requester, study, worker: (
        Assignment.objects.filter(worker=worker, hit__requester=requester, hit__hit_type__study=study)
        .exclude(state__in=Assignment.RETURNED_OR_ABANDONED)
        .values_list("pk")
    ),
    int,
    str,
    int,
)


def study_draw_of(requester: int, study: str) -> StudyDraw | None:
    """The draw of a study; None for a study of one cell."""
    return next(iter(_STUDY(requester, study)), None)


def draw_of(requester: int, study: str, worker: int) -> Draw | None:
    """What was drawn for a worker in a study."""
    return next(iter(_DRAW(requester, study, worker)), None)


def still_counted(draw: int) -> bool:
    """Whether a person is counted, which nobody changes until the transaction ends: the row is locked, after the HIT's
    as in a return."""
    return bool(_LOCKED(draw))


def count_people(requester: int, study: str) -> dict[str, int]:
    """People counted in each cell that has any: finished, or inside."""
    return dict(_COUNTED(requester, study))


def draw(study_draw: StudyDraw, worker: WorkerAccount, *, eligible: Collection[str], now: datetime) -> Draw:
    """Draw a cell for `worker`, who has none, and write it down. `eligible` has one cell at least."""
    counts = count_people(study_draw.requester_id, study_draw.study)
    choice = choose_cell(
        counts, eligible, seed=study_draw.seed, study=study_draw.study, number=study_draw.last_number + 1
    )
    drawn = Draw(
        requester_id=study_draw.requester_id,
        study=study_draw.study,
        worker=worker,
        cell=choice.cell,
        drawn_at=now,
        started_at=None if is_paid_by_amount(worker, study_draw) and pays_differ(study_draw) else now,
        counted=True,
    )
    insert([drawn])
    _note(
        study_draw,
        DrawEvent(
            kind=Kind.DRAWN,
            worker=worker,
            cell=choice.cell,
            at=now,
            counts=counts,
            eligible=sorted(eligible),
            tied=list(choice.tied),
            random_number=choice.random_number,
        ),
    )
    return drawn


def count_again(study_draw: StudyDraw, known: Draw, *, now: datetime) -> None:
    """Who had left comes back: to the same cell, however full it is by now."""
    if not known.counted:
        _set_counted(study_draw, known, counted=True, kind=Kind.REJOINED, at=now)


def leave_if_idle(hit: Hit, worker: int, *, at: datetime) -> bool:
    """Free the place in the count of who has given back everything before they submitted anything.

    Part of the transaction in which an assignment of `hit` (locked, with its requester) ends; whether they left.
    """
    study = hit.hit_type.study
    if not hit.hit_type.cell:
        return False
    known = draw_of(hit.requester_id, study, worker)
    # Locked before it is looked whether anything is left: the same person may be accepting the next HIT.
    if known is None or not still_counted(known.pk) or _LIVE(hit.requester_id, study, worker):
        return False
    study_draw = study_draw_of(hit.requester_id, study)
    if study_draw is None:
        return False
    _set_counted(study_draw, known, counted=False, kind=Kind.LEFT, at=at)
    return True


def is_paid_by_amount(worker: WorkerAccount, study_draw: StudyDraw) -> bool:
    """Whether the reward of a task is what `worker` receives: with a voucher, say, everybody receives the same."""
    return pays_by_amount(study_draw.requester, worker.channel)


def pays_by_amount(requester: Requester, channel: Channel | None) -> bool:
    """The same of those who come by `channel`, or of accounts."""
    how = (channel.pays if channel else "") or requester.pays
    in_words = channel is not None and bool(channel.pay_words)
    return how in {Pays.LEDGER, Pays.PROLIFIC} or (how == Pays.ELSEWHERE and not in_words)


def pays_differ(study_draw: StudyDraw) -> bool:
    """Whether the cells of a study pay differently."""
    return len(_REWARDS(study_draw.requester_id, study_draw.study)) > 1


def _set_counted(study_draw: StudyDraw, known: Draw, *, counted: bool, kind: str, at: datetime) -> None:
    counts = count_people(study_draw.requester_id, study_draw.study)
    known.counted = counted
    update(known, ("counted",))
    _note(study_draw, DrawEvent(kind=kind, worker_id=known.worker_id, cell=known.cell, at=at, counts=counts))


def _note(study_draw: StudyDraw, event: DrawEvent) -> None:
    study_draw.last_number += 1
    event.study_draw, event.number = study_draw, study_draw.last_number
    insert([event], change_of(study_draw, ("last_number",)))


def start(requester: int, study: str, worker: int, *, now: datetime) -> None:
    """Note that a person goes on who was told what their task pays."""
    Draw.objects.filter(worker=worker, requester=requester, study=study, started_at=None).update(started_at=now)
