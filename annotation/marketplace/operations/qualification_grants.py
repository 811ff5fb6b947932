"""Who holds a requester's qualification: give, take away, look up, list."""

from __future__ import annotations

from typing import Any

from annotation.marketplace.core.paging import page
from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.models import QualificationGrant
from annotation.marketplace.operations.finding import known_worker
from annotation.marketplace.operations.qualification_types import USUAL_VALUE, load_qualification_type
from annotation.marketplace.operations.registry import Call, operation
from annotation.marketplace.qualifications import requests

Status = QualificationGrant.Status


@operation("AssociateQualificationWithWorker", writes=True)
def associate(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Give the qualification, or a new score to who has it."""
    qualification_type = load_qualification_type(call, parameters["QualificationTypeId"])
    worker = known_worker(parameters["WorkerId"])
    requests.give(qualification_type, worker, value=parameters.get("IntegerValue", USUAL_VALUE), now=call.now)
    return {}


@operation("DisassociateQualificationFromWorker", writes=True)
def disassociate(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    grant = _granted(call, parameters)
    grant.status = Status.REVOKED
    grant.save(update_fields=["status"])
    return {}


@operation("GetQualificationScore", writes=False)
def get_score(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"Qualification": grant_shape(_granted(call, parameters))}


@operation("ListWorkersWithQualificationType", writes=False)
def list_workers(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    qualification_type, status = (
        load_qualification_type(call, parameters["QualificationTypeId"]),
        parameters.get("Status", Status.GRANTED),
    )
    return page(
        qualification_type.grants.filter(status=status).select_related("qualification_type", "worker"),
        parameters,
        keys=["id"],
        scope=["ListWorkersWithQualificationType", qualification_type.pk, status],
        member="Qualifications",
        shape=grant_shape,
    )


def grant_shape(grant: QualificationGrant) -> dict[str, Any]:
    """The structure Qualification. Needs `qualification_type` and `worker`."""
    return {
        "QualificationTypeId": grant.qualification_type.type_id,
        "WorkerId": grant.worker.worker_id,
        "GrantTime": grant.granted_at,
        "IntegerValue": grant.value,
        "Status": grant.status,
    }


def _granted(call: Call, parameters: dict[str, Any]) -> QualificationGrant:
    """Raises RequestRefusedError: QualificationDoesNotExist, InvalidQualificationState when revoked."""
    qualification_type = load_qualification_type(call, parameters["QualificationTypeId"])
    rows = qualification_type.grants.select_related("qualification_type", "worker")
    grant = rows.filter(worker__worker_id=parameters["WorkerId"]).first()
    if grant is None:
        raise RequestRefusedError(
            "QualificationDoesNotExist",
            f"You requested a Qualification that does not exist: type {qualification_type.type_id}, "
            f"worker {parameters['WorkerId']}.",
        )
    if grant.status != Status.GRANTED:
        raise RequestRefusedError(
            "InvalidQualificationState", f"This operation can be called with a status of: {Status.GRANTED.value}"
        )
    return grant
