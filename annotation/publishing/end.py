"""End a study: expire its HITs now, and close it when all work is decided."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q, Sum

from annotation import ledger
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Hit, Intent, LedgerEntry, Study, Submission
from annotation.outbox import queue
from annotation.recruiting.publish_prolific import unsettled_channels

Kind = Intent.Kind


@dataclass(frozen=True, slots=True)
class Ending:
    """HITs concerned, intents that were dropped, and cents that are not reserved any more."""

    hits: int
    dropped: int
    released_cents: int


def expire_now(study: Study, *, actor: str, now: datetime) -> Ending:
    """Stop recruitment. Workers with an open assignment can still submit. Safe to run twice.

    Raises StateError for a study that is not published or paused.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.status not in {Study.Status.PUBLISHED, Study.Status.PAUSED, Study.Status.ENDING}:
            raise StateError(f"The study {study.name} is {locked.status}: there is nothing to expire.")
        dropped = queue.drop(locked, Q(kind__in=queue.RECRUITING, first_called_at=None))
        released = sum(_release(intent, now=now) for intent in dropped)
        hits = list(locked.hits.exclude(market_id=None).exclude(market_status__in=Hit.OVER).order_by("slot"))
        queue.expiries(locked, hits)
        _become(study, Study.Status.ENDING)
        AuditEvent.objects.record(
            study, "expire", actor=actor, now=now, hits=len(hits), dropped=len(dropped), released_cents=released
        )
    return Ending(len(hits), len(dropped), released)


def _release(intent: Intent, *, now: datetime) -> int:
    cents = ledger.reserved_by(intent)
    ledger.give_back(intent, cents, now=now)
    return cents


def close(study: Study, *, actor: str, now: datetime) -> Ending:
    """Delete the HITs on the marketplace and release what is reserved; all local rows stay.

    Raises StateError, which says what is open, unless nobody has an open assignment and all work is decided and sent.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if open_things := _open(locked):
            raise StateError(f"The study {study.name} cannot be closed yet: {'; '.join(open_things)}.")
        hits = list(locked.hits.exclude(market_id=None).order_by("slot"))
        released = sum(_settle(locked, hit, now=now) for hit in hits)
        Intent.objects.bulk_create(
            Intent.of(locked, Kind.DELETE_HIT, hit.pk, slot=str(hit.slot))
            for hit in hits
            if hit.market_status != Hit.DISPOSED
        )
        _become(study, Study.Status.CLOSED)
        AuditEvent.objects.record(study, "close", actor=actor, now=now, hits=len(hits), released_cents=released)
    return Ending(len(hits), 0, released)


def _open(study: Study) -> list[str]:
    if study.status != Study.Status.ENDING:
        return [f"it is {study.status}, expire its HITs first"]
    undecided = Submission.objects.filter(hit__study=study).exclude(decisions__matter="payment").count()
    inside = study.hits.exclude(market_id=None).exclude(market_status__in=Hit.OVER).count()
    left = queue.backlog(study)
    counts = (
        (undecided, "submissions wait for a decision"),
        (inside, "HITs may have people inside (collect once more)"),
        (left.waiting, "effects wait to be carried out"),
        (left.failed, "effects failed (retry or drop them)"),
        (unsettled_channels(study), "costs of Prolific are not settled (page Recruit)"),
    )
    return [f"{number} {what}" for number, what in counts if number]


def _settle(study: Study, hit: Hit, *, now: datetime) -> int:
    """Release what is still reserved for the HIT's places, by the rows of the ledger."""
    places = Q(intent__kind__in=[Kind.CREATE_HIT, Kind.ADD_PLACES], intent__subject=hit.pk)
    work = Submission.objects.filter(hit=hit).values("pk")
    decided = Q(intent__kind__in=[Kind.APPROVE, Kind.REJECT], intent__subject__in=work)
    rows = LedgerEntry.objects.filter(places | decided, study=study, kind__in=LedgerEntry.RESERVED)
    # Below 0 where a reward was booked that Prolific did not pay: settling its costs has left as much reserved.
    left = max(0, int(rows.aggregate(sum=Sum("cents", default=0))["sum"]))
    ledger.give_back(Intent.objects.get(study=study, kind=Kind.CREATE_HIT, subject=hit.pk), left, now=now)
    return left


def _become(study: Study, status: str) -> None:
    Study.objects.filter(pk=study.pk).update(status=status)
    study.status = status
