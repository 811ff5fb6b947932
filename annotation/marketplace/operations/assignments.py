"""ListAssignmentsForHIT, GetAssignment, ApproveAssignment, RejectAssignment."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from annotation.marketplace.assignments import decisions
from annotation.marketplace.core.faults import check_arrived, is_lagging, visible
from annotation.marketplace.core.paging import Listing, page
from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.models import Assignment
from annotation.marketplace.operations.finding import load_assignment, load_hit_key
from annotation.marketplace.operations.prolific import refuse_without_category
from annotation.marketplace.operations.registry import Call, operation
from annotation.marketplace.operations.shapes import ASSIGNMENT_FIELDS, assignment_shape, hit_shape
from annotation.marketplace.prolific.decide import check_restoring

ORDER = ("submitted_at", "id")


def _submitted(hit: int, *states: str) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(hit=hit, state__in=states).select_related("worker", "submission", "device")
    return rows.only(*ASSIGNMENT_FIELDS)


# Of a HIT, in up to as many states as there are.
_WORK = Listing(_submitted, int, *(str for _ in Assignment.SUBMITTED_STATES), keys=ORDER)


@operation("ListAssignmentsForHIT", writes=False)
def list_assignments(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Handed-in work in the order of submission; work that is only accepted is never listed."""
    hit = load_hit_key(call, parameters["HITId"])
    states = sorted(set(parameters.get("AssignmentStatuses") or Assignment.SUBMITTED_STATES))
    work = _WORK.of(hit, *states, *states[-1:] * (len(Assignment.SUBMITTED_STATES) - len(states)))
    return page(
        visible(work.rows(), "submitted_at", call.now) if is_lagging() else work,
        parameters,
        keys=ORDER,
        scope=["ListAssignmentsForHIT", hit, states],
        member="Assignments",
        shape=lambda assignment: assignment_shape(assignment, parameters["HITId"]),
    )


@operation("GetAssignment", writes=False)
def get_assignment(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    assignment = _arrived(call, parameters)
    if assignment.state not in Assignment.SUBMITTED_STATES:
        raise RequestRefusedError(
            "InvalidAssignmentState",
            f"This operation can be called with a status of: {', '.join(Assignment.SUBMITTED_STATES)}",
        )
    return {
        "Assignment": assignment_shape(assignment, assignment.hit.hit_id),
        "HIT": hit_shape(assignment.hit, call.now),
    }


@operation("ApproveAssignment", writes=True)
def approve_assignment(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    assignment = _arrived(call, parameters)
    if parameters.get("OverrideRejection"):
        check_restoring(assignment)
    decisions.approve(
        assignment,
        now=call.now,
        feedback=parameters.get("RequesterFeedback", ""),
        override_rejection=parameters.get("OverrideRejection", False),
    )
    return {}


@operation("RejectAssignment", writes=True)
def reject_assignment(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    assignment = _arrived(call, parameters)
    refuse_without_category(assignment)
    decisions.reject(assignment, now=call.now, feedback=parameters["RequesterFeedback"])
    return {}


def _arrived(call: Call, parameters: dict[str, Any]) -> Assignment:
    """The caller's assignment, once the lag (a fault on demand) no longer hides that it was handed in."""
    assignment = load_assignment(call, parameters["AssignmentId"])
    check_arrived(assignment.submitted_at, call.now)
    return assignment
