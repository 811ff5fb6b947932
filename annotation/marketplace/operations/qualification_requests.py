"""ListQualificationRequests, AcceptQualificationRequest, RejectQualificationRequest."""

from __future__ import annotations

from typing import Any

from annotation.marketplace.core.paging import page
from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.models import QualificationRequest
from annotation.marketplace.operations.finding import denied
from annotation.marketplace.operations.qualification_types import USUAL_VALUE, load_qualification_type
from annotation.marketplace.operations.registry import Call, operation
from annotation.marketplace.qualifications import requests

State = QualificationRequest.State


@operation("ListQualificationRequests", writes=False)
def list_requests(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Requests that wait for a decision, for one of the caller's types or for all."""
    rows = QualificationRequest.objects.filter(
        qualification_type__requester=call.requester, qualification_type__deleted_at=None, state=State.PENDING
    )
    if type_id := parameters.get("QualificationTypeId"):
        rows = rows.filter(qualification_type=load_qualification_type(call, type_id))
    return page(
        rows.select_related("qualification_type", "worker"),
        parameters,
        keys=["id"],
        scope=["ListQualificationRequests", call.requester.pk, type_id],
        member="QualificationRequests",
        shape=_shape,
    )


@operation("AcceptQualificationRequest", writes=True)
def accept_request(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    request = _load_request(call, parameters["QualificationRequestId"])
    requests.decide(request, state=State.GRANTED)
    value = parameters.get("IntegerValue", USUAL_VALUE)
    requests.give(request.qualification_type, request.worker, value=value, now=call.now)
    return {}


@operation("RejectQualificationRequest", writes=True)
def reject_request(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    request = _load_request(call, parameters["QualificationRequestId"])
    requests.decide(request, state=State.REJECTED, reason=parameters.get("Reason", ""))
    return {}


def _load_request(call: Call, request_id: str) -> QualificationRequest:
    """Raises RequestRefusedError: QualificationRequestDoesNotExist, PermissionDeniedException."""
    rows = QualificationRequest.objects.select_related("qualification_type", "worker")
    request = rows.filter(request_id=request_id, qualification_type__deleted_at=None).first()
    if request is None:
        raise RequestRefusedError(
            "QualificationRequestDoesNotExist", f"QualificationRequest {request_id[:64]} does not exist."
        )
    if request.qualification_type.requester_id != call.requester.pk:
        raise denied(f"QualificationRequest {request_id}")
    return request


def _shape(request: QualificationRequest) -> dict[str, Any]:
    return {
        "QualificationRequestId": request.request_id,
        "QualificationTypeId": request.qualification_type.type_id,
        "WorkerId": request.worker.worker_id,
        "SubmitTime": request.asked_at,
        "Test": request.test or None,
        "Answer": request.answer or None,
    }
