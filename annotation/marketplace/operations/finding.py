"""Rows by the ids that callers give, with the errors for unknown and foreign ones."""

from __future__ import annotations

from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.models import Assignment, Hit, HitType, WorkerAccount
from annotation.marketplace.operations.registry import Call

_HIT = Prepared(lambda hit_id: Hit.objects.select_related("hit_type").filter(hit_id=hit_id), str)
_HIT_KEY = Prepared(lambda hit_id: Hit.objects.filter(hit_id=hit_id).values_list("pk", "requester_id"), str)
_TYPE = Prepared(lambda type_id: HitType.objects.select_related("subscription").filter(type_id=type_id), str)
_ASSIGNMENT = Prepared(
    lambda assignment_id: Assignment.objects.select_related("hit__hit_type", "worker", "submission").filter(
        assignment_id=assignment_id
    ),
    str,
)


def load_hit(call: Call, hit_id: str) -> Hit:
    """Raises RequestRefusedError: HITDoesNotExist, PermissionDeniedException."""
    rows = _HIT(hit_id)
    if not rows:
        raise RequestRefusedError("HITDoesNotExist", f"Hit {hit_id} does not exist.")
    (hit,) = rows
    if hit.requester_id != call.requester.pk:
        raise denied(f"HIT {hit_id}")
    return hit


def load_hit_key(call: Call, hit_id: str) -> int:
    """The primary key of a HIT, where its many columns are not needed; raises as `load_hit` does."""
    rows = _HIT_KEY(hit_id)
    if not rows:
        raise RequestRefusedError("HITDoesNotExist", f"Hit {hit_id} does not exist.")
    ((pk, owner),) = rows
    if owner != call.requester.pk:
        raise denied(f"HIT {hit_id}")
    return pk


def load_hit_type(call: Call, type_id: str) -> HitType:
    """Raises RequestRefusedError: InvalidParameterValue when unknown, PermissionDeniedException."""
    rows = _TYPE(type_id)
    if not rows:
        raise RequestRefusedError("InvalidParameterValue", f"HITType {type_id} does not exist.")
    (hit_type,) = rows
    if hit_type.requester_id != call.requester.pk:
        raise denied(f"HITType {type_id}")
    return hit_type


def load_assignment(call: Call, assignment_id: str) -> Assignment:
    """Raises RequestRefusedError: AssignmentDoesNotExist, PermissionDeniedException."""
    rows = _ASSIGNMENT(assignment_id)
    if not rows:
        raise RequestRefusedError("AssignmentDoesNotExist", f"Assignment {assignment_id} does not exist.")
    (assignment,) = rows
    if assignment.hit.requester_id != call.requester.pk:
        raise denied(f"Assignment {assignment_id}")
    return assignment


def known_worker(worker_id: str) -> WorkerAccount:
    """Raises RequestRefusedError (InvalidParameterValue)."""
    worker = WorkerAccount.objects.filter(worker_id=worker_id).first()
    if worker is None:
        raise RequestRefusedError("InvalidParameterValue", f"Worker {worker_id} does not exist.")
    return worker


def denied(what: str) -> RequestRefusedError:
    return RequestRefusedError("PermissionDeniedException", f"{what} belongs to another requester.")
