"""Collect work: raw answers stored as they came, before anything reads them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from annotation.collecting.collect_draws import collect_draws
from annotation.collecting.worker_replies import store_replies
from annotation.models import (
    AuditEvent,
    Decision,
    Device,
    Hit,
    Intent,
    MarketplaceEvent,
    Participation,
    Study,
    Submission,
    WayIn,
    Worker,
)
from annotation.mturk.answer_xml import is_withdrawn, without_channel, without_device
from annotation.mturk.client import PAGE, Market
from annotation.mturk.records import SubmittedWork
from annotation.outbox import decision_intents
from annotation.studies.freeze_plan import seal_before_first_answer
from annotation.workers import participation

log = logging.getLogger(__name__)
VERDICTS = {"Approved": ("approve", Intent.Kind.APPROVE), "Rejected": ("reject", Intent.Kind.REJECT)}


@dataclass(frozen=True, slots=True)
class Collected:
    """New submissions, HITs that are not full yet, and submissions that were decided elsewhere (automatically, too)."""

    new: int
    open_hits: int
    decided_elsewhere: int = 0


def collect(
    study: Study,
    *,
    market: Market,
    now: datetime,
    only: Collection[str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Collected:
    """Collect every HIT that may have changed and store its submissions. Safe to run twice, and twice at once.

    only: market ids of HITs with events; without it, all that are not full or may have been approved automatically.
    Either way finds everything.
    """
    new = decided = open_hits = 0
    for hit in _hits_due(study, market.now(), only):
        event_ids = list(
            MarketplaceEvent.objects.filter(market_hit=hit.market_id, looked_at=None).values_list("pk", flat=True)
        )
        seen = market.still(str(hit.market_id))
        if seen is None:
            # Deleted there, or the account is another one: a person decides (`reconcile`), the other HITs go on.
            log.warning("%s: the marketplace knows no HIT %s", study, hit.market_id)
            open_hits += 1
            continue
        for page in _split_pages(market.submitted(str(hit.market_id))):
            stored, followed = _store_page(hit, page, market=market, now=now)
            new, decided = new + stored, decided + followed
            if progress:
                progress(new)
        Hit.objects.filter(pk=hit.pk).update(
            market_status=seen.status, inside=seen.inside, free=seen.free, expires_at=seen.expires_at, seen_at=now
        )
        if event_ids:
            # A reply that came before the work that it is about.
            store_replies([str(hit.market_id)], now=now)
        # Words that are about no work of this HIT by now are about none.
        MarketplaceEvent.objects.filter(pk__in=event_ids).update(looked_at=now, words="")
        open_hits += Hit.objects.filter(pk=hit.pk, collected__lt=F("max_assignments")).exists()
    collect_draws(study, market=market)
    return Collected(new, open_hits, decided)


def _hits_due(study: Study, now: datetime, only: Collection[str] | None) -> QuerySet[Hit]:
    hits = (
        study.hits.exclude(market_id=None).exclude(market_status=Hit.DISPOSED).select_related("cell").order_by("slot")
    )
    if only is not None:
        return hits.filter(market_id__in=only)
    late = now - timedelta(seconds=study.auto_approval_seconds)
    undecided = Submission.objects.filter(hit=OuterRef("pk"), submitted_at__lte=late).exclude(
        decisions__matter="payment"
    )
    events = MarketplaceEvent.objects.filter(market_hit=OuterRef("market_id"), looked_at=None)
    running = Q(collected__lt=F("max_assignments")) | ~Q(market_status__in=Hit.OVER)
    return hits.filter(running | Exists(undecided) | Exists(events))


def _split_pages(submitted: Iterable[SubmittedWork]) -> Iterator[list[SubmittedWork]]:
    rows = iter(submitted)
    while page := list(islice(rows, PAGE)):
        yield page


def _store_page(hit: Hit, page: Sequence[SubmittedWork], *, market: Market, now: datetime) -> tuple[int, int]:
    """Store what is new of a page, and follow what was decided without us; how many of each."""
    with transaction.atomic():
        # Of two collectors the second waits here, and then finds what the first has stored.
        study = Study.objects.select_for_update().get(pk=hit.study_id)
        ids = [work.assignment_id for work in page]
        known = set(Submission.objects.filter(hit=hit, market_id__in=ids).values_list("market_id", flat=True))
        fresh = [work for work in page if work.assignment_id not in known]
        if fresh:
            seal_before_first_answer(study, now=now)
            participation.apply_once_rule(
                study, _insert_submissions(hit, fresh, provider=market.provider, now=now), market=market, now=now
            )
        return len(fresh), _follow_decisions(study, hit, page, now=now)


def _insert_submissions(hit: Hit, fresh: Sequence[SubmittedWork], *, provider: str, now: datetime) -> list[Submission]:
    workers = Worker.objects.known_all(provider, [work.worker_id for work in fresh])
    ways = [without_channel(work.answer) for work in fresh]
    answers = [without_device(answer) for answer, _ in ways]
    submissions = Submission.objects.bulk_create(
        _submission(hit, work, answer, workers[work.worker_id], now)
        for work, (answer, _) in zip(fresh, answers, strict=True)
    )
    WayIn.objects.bulk_create(
        (WayIn(study_id=hit.study_id, **asdict(way)) for way in {way for _, way in ways if way}), ignore_conflicts=True
    )
    Device.objects.bulk_create(
        Device(submission=submission, code=code, noted_at=now)
        for submission, (_, code) in zip(submissions, answers, strict=True)
        if code
    )
    Participation.objects.bulk_create(
        (
            Participation(
                study_id=hit.study_id, worker=workers[work.worker_id], arm_id=hit.cell.arm_id, since=work.accepted_at
            )
            for work in fresh
        ),
        ignore_conflicts=True,
    )
    Hit.objects.filter(pk=hit.pk).update(collected=F("collected") + len(fresh))
    return submissions


def _submission(hit: Hit, work: SubmittedWork, answer: str, worker: Worker, now: datetime) -> Submission:
    withdrawn = is_withdrawn(answer)
    # Where the marketplace's clock was set back meanwhile, the times of acceptance and of work are unknown.
    accepted_at = work.accepted_at if work.accepted_at <= work.submitted_at else None
    return Submission(
        hit=hit,
        market_id=work.assignment_id,
        worker=worker,
        raw="" if withdrawn else answer,
        raw_format=Submission.WITHDRAWN if withdrawn else "mturk-xml",
        accepted_at=accepted_at,
        submitted_at=work.submitted_at,
        work_seconds=round((work.submitted_at - accepted_at).total_seconds()) if accepted_at else None,
        received_at=now,
    )


def _follow_decisions(study: Study, hit: Hit, page: Sequence[SubmittedWork], *, now: datetime) -> int:
    """Follow automatic approvals and decisions made on the marketplace; the outbox books what they cost."""
    verdicts = {work.assignment_id: VERDICTS[work.status] for work in page if work.status in VERDICTS}
    undecided = list(
        Submission.objects.filter(hit=hit, market_id__in=verdicts).exclude(decisions__matter="payment").order_by("pk")
    )
    for submission in undecided:
        verdict, kind = verdicts[submission.market_id]
        reason = "" if verdict == "approve" else "Rejected on the marketplace."
        Decision.objects.create(submission=submission, matter="payment", verdict=verdict, reason=reason, at=now)
        decision_intents.intents(study, kind, [submission], now=now, window=timedelta(0))
    if undecided:
        followed = [submission.market_id for submission in undecided]
        refused = [name for name in followed if verdicts[name][0] == "reject"]
        AuditEvent.objects.record(study, "follow", actor="marketplace", now=now, assignments=followed, refused=refused)
    return len(undecided)
