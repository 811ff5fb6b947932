"""GetHIT, ListHITs, ListReviewableHITs."""

from __future__ import annotations

from typing import Any

from annotation.marketplace.core.faults import visible
from annotation.marketplace.core.paging import page
from annotation.marketplace.models import Hit
from annotation.marketplace.operations.finding import load_hit, load_hit_type
from annotation.marketplace.operations.registry import Call, operation
from annotation.marketplace.operations.shapes import hit_shape


@operation("GetHIT", writes=False)
def get_hit(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"HIT": hit_shape(load_hit(call, parameters["HITId"]), call.now)}


@operation("ListHITs", writes=False)
def list_hits(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    rows = Hit.objects.filter(requester=call.requester).exclude(status=Hit.Status.DISPOSED)
    return page(
        visible(rows, "created_at", call.now).select_related("hit_type"),
        parameters,
        keys=["id"],
        scope=["ListHITs", call.requester.pk],
        member="HITs",
        shape=lambda hit: hit_shape(hit, call.now),
    )


@operation("ListReviewableHITs", writes=False)
def list_reviewable_hits(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    status = parameters.get("Status", Hit.Status.REVIEWABLE)
    rows = Hit.objects.filter(requester=call.requester, status=status)
    if type_id := parameters.get("HITTypeId"):
        rows = rows.filter(hit_type=load_hit_type(call, type_id))
    return page(
        visible(rows, "created_at", call.now).select_related("hit_type"),
        parameters,
        keys=["id"],
        scope=["ListReviewableHITs", call.requester.pk, status, type_id],
        member="HITs",
        shape=lambda hit: hit_shape(hit, call.now),
    )
