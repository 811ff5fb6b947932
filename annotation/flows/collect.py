"""Collect work: raw answers stored as they came, before anything reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, F

from annotation.crowd.answers import is_withdrawn
from annotation.crowd.client import Market
from annotation.crowd.records import SubmittedWork
from annotation.models import Hit, Participation, Study, Submission, Worker


@dataclass(frozen=True, slots=True)
class Collection:
    """Submissions that were new, and how many HITs are not full yet."""

    new: int
    open_hits: int


def collect(
    study: Study,
    *,
    market: Market,
    now: datetime,
    progress: Callable[[int], None] | None = None,
) -> Collection:
    """Fetch the submissions of every HIT that is not full yet. Safe to run twice and beside another."""
    unfilled = (
        study.hits.exclude(market_id=None)
        .annotate(got=Count("submissions"))
        .filter(got__lt=F("max_assignments"))
        .select_related("cell")
        .order_by("slot")
    )
    new = open_hits = 0
    for hit in unfilled:
        got = _collect_hit(hit, market.submitted(str(hit.market_id)), provider=market.provider, now=now)
        new += got
        open_hits += hit.got + got < hit.max_assignments
        if progress:
            progress(new)
    return Collection(new, open_hits)


def _collect_hit(hit: Hit, found: Iterable[SubmittedWork], *, provider: str, now: datetime) -> int:
    known = set(hit.submissions.values_list("market_id", flat=True))
    return sum(_store(hit, work, provider=provider, now=now) for work in found if work.assignment_id not in known)


def _store(hit: Hit, work: SubmittedWork, *, provider: str, now: datetime) -> bool:
    worker = Worker.objects.known_as(provider, work.worker_id)
    withdrawn = is_withdrawn(work.answer)
    with transaction.atomic():
        _, is_new = Submission.objects.get_or_create(
            hit=hit,
            market_id=work.assignment_id,
            defaults={
                "worker": worker,
                "raw": "" if withdrawn else work.answer,
                "raw_format": Submission.WITHDRAWN if withdrawn else "mturk-xml",
                "accepted_at": work.accepted_at,
                "submitted_at": work.submitted_at,
                "work_seconds": max(0, round((work.submitted_at - work.accepted_at).total_seconds())),
                "received_at": now,
            },
        )
        Participation.objects.get_or_create(
            study_id=hit.study_id, worker=worker, defaults={"arm_id": hit.cell.arm_id, "since": work.accepted_at}
        )
    return is_new
