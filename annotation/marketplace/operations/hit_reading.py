"""GetHIT, ListHITs, ListReviewableHITs."""

from __future__ import annotations

from typing import Any

from annotation.marketplace.core.faults import visible
from annotation.marketplace.core.paging import page
from annotation.marketplace.models import Hit
from annotation.marketplace.operations.finding import own_hit, own_type
from annotation.marketplace.operations.registry import Call, operation
from annotation.marketplace.operations.shapes import hit_shape


@operation("GetHIT", writes=False)
def get_hit(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    return {"HIT": hit_shape(own_hit(call, given["HITId"]), call.now)}


@operation("ListHITs", writes=False)
def list_hits(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    rows = Hit.objects.filter(requester=call.requester).exclude(status=Hit.Status.DISPOSED)
    return page(
        visible(rows, "created_at", call.now).select_related("hit_type"),
        given,
        keys=["id"],
        scope=["ListHITs", call.requester.pk],
        member="HITs",
        shape=lambda hit: hit_shape(hit, call.now),
    )


@operation("ListReviewableHITs", writes=False)
def list_reviewable_hits(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    status = given.get("Status", Hit.Status.REVIEWABLE)
    rows = Hit.objects.filter(requester=call.requester, status=status)
    if type_id := given.get("HITTypeId"):
        rows = rows.filter(hit_type=own_type(call, type_id))
    return page(
        visible(rows, "created_at", call.now).select_related("hit_type"),
        given,
        keys=["id"],
        scope=["ListReviewableHITs", call.requester.pk, status, type_id],
        member="HITs",
        shape=lambda hit: hit_shape(hit, call.now),
    )
