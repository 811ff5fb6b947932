"""Which HITs a worker is shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from annotation.marketplace.channels.reach import within
from annotation.marketplace.eligibility import Standing, standing
from annotation.marketplace.ids import is_public_id
from annotation.marketplace.models import Assignment, Hit, HitType, WorkerAccount, WorkerBlock

PAGE = 25
# HITs looked at for one page, so that a worker who qualifies for nothing does not make a long search.
MOST_LOOKED_AT = 200


@dataclass(frozen=True)
class Shelf:
    """HITs to choose from, newest first; `after` is the id to go on from when there may be more."""

    hits: tuple[Hit, ...]
    after: str


def shelf_for(worker: WorkerAccount, *, now: datetime, after: str = "", hit_type: HitType | None = None) -> Shelf:
    """Open HITs that `worker` may discover and has not taken, at most a page of them."""
    rows = _open_to(worker, now)
    if hit_type is not None:
        rows = rows.filter(hit_type=hit_type)
    if is_public_id(after):
        rows = rows.filter(pk__lt=Hit.objects.filter(hit_id=after).values("pk")[:1])
    known: dict[int, Standing] = {}
    found: list[Hit] = []
    looked_at = list(rows.order_by("-pk")[:MOST_LOOKED_AT])
    for hit in looked_at:
        if hit.hit_type_id not in known:
            known[hit.hit_type_id] = standing(worker, hit.hit_type)
        if known[hit.hit_type_id].discover:
            found.append(hit)
        if len(found) == PAGE:
            return Shelf(tuple(found), hit.hit_id)
    return Shelf(tuple(found), looked_at[-1].hit_id if len(looked_at) == MOST_LOOKED_AT else "")


def held_by(worker: WorkerAccount) -> QuerySet[Assignment]:
    """What `worker` has accepted and not yet handed in, the most urgent first."""
    rows = Assignment.objects.filter(worker=worker, state=Assignment.State.ACCEPTED)
    return rows.select_related("hit__hit_type").defer("hit__question").order_by("deadline")


def _open_to(worker: WorkerAccount, now: datetime) -> QuerySet[Hit]:
    taken = Assignment.objects.filter(hit=OuterRef("pk"), worker=worker).exclude(state__in=Assignment.GIVEN_UP)
    blocked = WorkerBlock.objects.filter(requester=OuterRef("requester"), worker=worker)
    rows = Hit.objects.filter(status=Hit.Status.ASSIGNABLE, expiration__gt=now).exclude(Exists(taken))
    rows = within(worker, rows.exclude(Exists(blocked)), now)
    return rows.select_related("hit_type", "requester__user").defer("question")
