"""ListQualificationRequests, AcceptQualificationRequest, RejectQualificationRequest."""

from __future__ import annotations

from typing import Any

from annotation.marketplace.core.paging import page
from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.models import QualificationRequest
from annotation.marketplace.operations.finding import denied
from annotation.marketplace.operations.qualification_types import USUAL_VALUE, own_type
from annotation.marketplace.operations.registry import Call, operation
from annotation.marketplace.qualifications import requests as asking

State = QualificationRequest.State


@operation("ListQualificationRequests", writes=False)
def list_requests(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    """Requests that wait for a decision, for one of the caller's types or for all."""
    rows = QualificationRequest.objects.filter(
        qualification_type__requester=call.requester, qualification_type__deleted_at=None, state=State.PENDING
    )
    if type_id := given.get("QualificationTypeId"):
        rows = rows.filter(qualification_type=own_type(call, type_id))
    return page(
        rows.select_related("qualification_type", "worker"),
        given,
        keys=["id"],
        scope=["ListQualificationRequests", call.requester.pk, type_id],
        member="QualificationRequests",
        shape=_shape,
    )


@operation("AcceptQualificationRequest", writes=True)
def accept_request(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    found = _own_request(call, given["QualificationRequestId"])
    asking.decide(found, state=State.GRANTED)
    value = given.get("IntegerValue", USUAL_VALUE)
    asking.give(found.qualification_type, found.worker, value=value, now=call.now)
    return {}


@operation("RejectQualificationRequest", writes=True)
def reject_request(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    found = _own_request(call, given["QualificationRequestId"])
    asking.decide(found, state=State.REJECTED, reason=given.get("Reason", ""))
    return {}


def _own_request(call: Call, request_id: str) -> QualificationRequest:
    """Raises RequestRefusedError: QualificationRequestDoesNotExist, PermissionDeniedException."""
    rows = QualificationRequest.objects.select_related("qualification_type", "worker")
    found = rows.filter(request_id=request_id, qualification_type__deleted_at=None).first()
    if found is None:
        raise RequestRefusedError(
            "QualificationRequestDoesNotExist", f"QualificationRequest {request_id[:64]} does not exist."
        )
    if found.qualification_type.requester_id != call.requester.pk:
        raise denied(f"QualificationRequest {request_id}")
    return found


def _shape(found: QualificationRequest) -> dict[str, Any]:
    return {
        "QualificationRequestId": found.request_id,
        "QualificationTypeId": found.qualification_type.type_id,
        "WorkerId": found.worker.worker_id,
        "SubmitTime": found.asked_at,
        "Test": found.test or None,
        "Answer": found.answer or None,
    }
