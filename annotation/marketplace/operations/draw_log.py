"""ListDraws: the log by which a study's people were assigned to its cells."""

from __future__ import annotations

from typing import Any

from annotation.marketplace.core.paging import page
from annotation.marketplace.models import DrawEvent, StudyDraw
from annotation.marketplace.operations.registry import Call, extension_operation


@extension_operation("ListDraws", writes=False)
def list_draws(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """The lines after the number `After`, a page of them, and the seed; no line of a study that is not drawn."""
    study, after = parameters["Study"].lower(), parameters.get("After", 0)
    draw = StudyDraw.objects.filter(requester=call.requester, study=study).first()
    if draw is None:
        return {"NumResults": 0, "Events": []}
    rows = DrawEvent.objects.filter(study_draw=draw, number__gt=after).select_related("worker")
    scope = ["ListDraws", draw.pk, after]
    return {"Seed": draw.seed} | page(
        rows, parameters, keys=("number",), scope=scope, member="Events", shape=_event_shape
    )


def _event_shape(event: DrawEvent) -> dict[str, Any]:
    shape = {
        "Number": event.number,
        "Kind": event.kind,
        "WorkerId": event.worker.worker_id,
        "Cell": event.cell,
        "Time": event.at,
        "Counts": event.counts,
    }
    if event.kind != DrawEvent.Kind.DRAWN:
        return shape
    return shape | {"Eligible": event.eligible, "Tied": event.tied, "RandomNumber": event.random_number}
