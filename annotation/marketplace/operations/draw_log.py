"""ListDraws, SetDrawSeed: the log by which a study's people were assigned to its cells, and the seed of the draw."""

from __future__ import annotations

from typing import Any

from annotation.marketplace.core.paging import page
from annotation.marketplace.core.row_locks import lock_requester
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.models import DrawEvent, HitType, StudyDraw
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


@extension_operation("SetDrawSeed", writes=True)
def set_draw_seed(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Again with the same seed, it changes nothing, whoever was assigned meanwhile."""
    # Nobody enters the study in between, for whom a number of another seed would be written down.
    lock_requester(call.requester.pk)
    study, seed = parameters["Study"].lower(), parameters["Seed"]
    if HitType.objects.filter(requester=call.requester, study=study, cell="").exists():
        raise InvalidParameterError(f"Study: HITs of {study} name no cell, so people are not assigned to cells.").at(
            "Study"
        )
    draw, _ = StudyDraw.objects.get_or_create(
        requester=call.requester, study=study, defaults={"seed": seed, "created_at": call.now}
    )
    if draw.seed != seed and draw.last_number:
        raise InvalidParameterError(
            f"Seed: people of {study} have been assigned by the seed {draw.seed}, which stays."
        ).at("Seed")
    StudyDraw.objects.filter(pk=draw.pk).update(seed=seed)
    return {"Seed": seed}


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
