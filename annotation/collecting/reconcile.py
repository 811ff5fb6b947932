"""Compare a study with the marketplace, HIT by HIT, each difference with its reason and its fix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Hit, Intent, Study
from annotation.mturk.client import Market
from annotation.mturk.records import SeenHit

Fix = Literal["work", "collect", "adopt", "close ghost", "write off", "review", "nothing"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. hit: its number in the study from 1 (None for a ghost); mend: the safe fix."""

    hit: int | None
    market_id: str
    ours: str
    theirs: str
    reason: str
    mend: Fix


@dataclass(frozen=True, slots=True)
class Comparison:
    """How many HITs of the study (`ours`) and of the marketplace were compared, and what differs."""

    ours: int
    theirs: int
    differences: tuple[Difference, ...]


def compare(study: Study, *, market: Market) -> Comparison:
    """Compare every HIT of the study with the marketplace, which is only read: one listing of the account's HITs."""
    seen = list(market.hits())
    by_id = {seen_hit.market_id: seen_hit for seen_hit in seen}
    mine = dict(study.intents.filter(kind=Intent.Kind.CREATE_HIT).values_list("subject", "key"))
    by_key = {seen_hit.annotation: seen_hit for seen_hit in seen}
    hits = list(study.hits.order_by("slot"))
    differences = [
        difference for hit in hits for difference in _differences_of(hit, by_id, by_key.get(mine.get(hit.pk, "")))
    ]
    theirs = sum(seen_hit.annotation in set(mine.values()) for seen_hit in seen)
    return Comparison(len(hits), theirs, (*differences, *map(_ghost_difference, _find_ghosts(seen))))


def _find_ghosts(seen: list[SeenHit]) -> list[SeenHit]:
    """HITs of the account that no study here knows, neither by their id nor by our key."""
    keys = set(Intent.objects.filter(kind=Intent.Kind.CREATE_HIT).values_list("key", flat=True))
    known = set(Hit.objects.exclude(market_id=None).values_list("market_id", flat=True))
    return [seen_hit for seen_hit in seen if seen_hit.market_id not in known and seen_hit.annotation not in keys]


def _differences_of(hit: Hit, by_id: dict[str, SeenHit], by_key: SeenHit | None) -> Iterator[Difference]:
    number = hit.slot + 1
    if hit.market_id is None:
        if by_key:
            reason = "It was created, but its id was not written here: a process died in between."
            yield Difference(number, by_key.market_id, "not published", by_key.status, reason, "adopt")
        else:
            reason = "It has not been created yet: an effect waits or failed."
            yield Difference(number, "", "not published", "absent", reason, "work")
        return
    seen = by_id.get(hit.market_id)
    if seen is None:
        if hit.market_status != Hit.DISPOSED:
            reason = "The marketplace no longer lists it: it was deleted there, or belongs to another account."
            yield Difference(number, hit.market_id, f"{hit.collected} collected", "absent", reason, "write off")
        return
    if seen.places != hit.max_assignments:
        reason = "Places were added, and the outcome is not written yet."
        local, theirs = f"{hit.max_assignments} places", f"{seen.places} places"
        yield Difference(number, hit.market_id, local, theirs, reason, "work")
    submitted = seen.places - seen.free - seen.inside if not seen.over else None
    if submitted is not None and submitted != hit.collected:
        reason = "Work was submitted after the last collection."
        local, theirs = f"{hit.collected} collected", f"{submitted} submitted"
        yield Difference(number, hit.market_id, local, theirs, reason, "collect")
    decided = hit.submissions.filter(decisions__matter="payment").count()
    if seen.decided != decided:
        more = seen.decided > decided
        reason = (
            "Work was approved automatically, or a decision was made on the marketplace."
            if more
            else "Decisions are waiting to be sent to the marketplace."
        )
        local, theirs = f"{decided} decided", f"{seen.decided} decided"
        yield Difference(number, hit.market_id, local, theirs, reason, "collect" if more else "work")


def _ghost_difference(seen: SeenHit) -> Difference:
    reason = f"No study here knows it ({seen.title!r:.60}): created by another program, or from a deleted database."
    theirs = f"{seen.status}, {seen.free} places on offer"
    return Difference(None, seen.market_id, "unknown", theirs, reason, "close ghost")


def adopt(study: Study, *, market: Market, actor: str, now: datetime) -> int:
    """Link HITs that the marketplace has under this study's keys; return how many. Creates nothing."""
    by_key = {seen_hit.annotation: seen_hit.market_id for seen_hit in market.hits() if seen_hit.annotation}
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        lost = study.hits.filter(market_id=None).values("pk")
        intents = study.intents.filter(kind=Intent.Kind.CREATE_HIT, key__in=by_key, subject__in=lost)
        for intent in intents:
            Hit.objects.filter(pk=intent.subject).update(market_id=by_key[intent.key])
            Intent.objects.filter(pk=intent.pk).update(
                state=Intent.State.DONE, outcome=by_key[intent.key], finished_at=now, taken_at=None
            )
        if intents:
            AuditEvent.objects.record(study, "adopt", actor=actor, now=now, hits=len(intents))
    return len(intents)


def write_off(study: Study, *, market: Market, actor: str, now: datetime) -> int:
    """Mark HITs that the marketplace does not have as deleted, so that the study can end; return how many.

    What was collected of them stays. See first that the access key is that of the account which published them.
    """
    listed = {seen_hit.market_id for seen_hit in market.hits()}
    unlisted = study.hits.exclude(market_id=None).exclude(market_status=Hit.DISPOSED).exclude(market_id__in=listed)
    deleted = [
        hit.pk for hit in unlisted if (seen := market.still(str(hit.market_id))) is None or seen.status == Hit.DISPOSED
    ]
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        number = Hit.objects.filter(pk__in=deleted).update(market_status=Hit.DISPOSED, inside=0, free=0, seen_at=now)
        if number:
            AuditEvent.objects.record(study, "write_off", actor=actor, now=now, hits=number)
    return number


def close_ghost(study: Study, market_id: str, *, market: Market, actor: str, now: datetime) -> Intent:
    """Intend to close a HIT that no study knows; it stays listed until its work is decided on the marketplace.

    Raises StateError for any other id: of a HIT of a study here, or of none that the marketplace lists.
    """
    if Hit.objects.filter(market_id=market_id).exists():
        raise StateError(f"{market_id} is a HIT of a study here, not a ghost.")
    if market_id not in {seen_hit.market_id for seen_hit in _find_ghosts(list(market.hits()))}:
        # The id is not repeated: it may be a person's.
        raise StateError("This HIT is not among the unknown HITs of the comparison. Nothing was closed. Compare again.")
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        number = Intent.objects.filter(study=study, kind=Intent.Kind.EXPIRE, subject=0).count()
        intent = Intent.of(
            locked, Intent.Kind.EXPIRE, 0, slot=f"ghost {market_id}", number=number, details={"market_id": market_id}
        )
        intent.save(force_insert=True)
        AuditEvent.objects.record(study, "close_ghost", actor=actor, now=now, market_id=market_id)
    return intent
