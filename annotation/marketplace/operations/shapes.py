"""Rows as the members of wire structures."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from annotation.marketplace.cents import dollars
from annotation.marketplace.hits import lifecycle
from annotation.marketplace.models import Assignment, BonusPayment, Hit
from annotation.marketplace.questions.answer_xml import with_device


def hit_shape(hit: Hit, now: datetime) -> dict[str, Any]:
    """The structure HIT. Needs `hit_type`."""
    kind = hit.hit_type
    return {
        "HITId": hit.hit_id,
        "HITTypeId": kind.type_id,
        "HITGroupId": kind.group_id,
        "CreationTime": hit.created_at,
        "Title": kind.title,
        "Description": kind.description,
        "Question": hit.question,
        "Keywords": kind.keywords or None,
        "HITStatus": hit.status,
        "MaxAssignments": hit.max_assignments,
        "Reward": dollars(kind.reward_cents, kind.currency),
        "AutoApprovalDelayInSeconds": kind.auto_approval_seconds,
        "Expiration": hit.expiration,
        "AssignmentDurationInSeconds": kind.assignment_seconds,
        "RequesterAnnotation": hit.annotation or None,
        "QualificationRequirements": kind.requirements,
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": hit.pending,
        "NumberOfAssignmentsAvailable": lifecycle.available(hit, now),
        "NumberOfAssignmentsCompleted": hit.completed,
    }


# What `assignment_shape` reads: Django takes longer to name the other columns than the database to find the row.
ASSIGNMENT_FIELDS = (
    "assignment_id", "state", "auto_approval_at", "accepted_at", "submitted_at", "approved_at", "rejected_at",
    "deadline", "feedback", "worker__worker_id", "submission__answer",
    "device__code",
)  # fmt: skip


def assignment_shape(assignment: Assignment, hit_id: str) -> dict[str, Any]:
    """The structure Assignment, of handed-in work of the HIT `hit_id`. Needs `worker` and `submission`."""
    state = assignment.state
    return {
        "AssignmentId": assignment.assignment_id,
        "WorkerId": assignment.worker.worker_id,
        "HITId": hit_id,
        "AssignmentStatus": state,
        "AutoApprovalTime": assignment.auto_approval_at,
        "AcceptTime": assignment.accepted_at,
        "SubmitTime": assignment.submitted_at,
        "ApprovalTime": assignment.approved_at if state == Assignment.State.APPROVED else None,
        "RejectionTime": assignment.rejected_at if state == Assignment.State.REJECTED else None,
        "Deadline": assignment.deadline,
        "Answer": _answer(assignment),
        "RequesterFeedback": assignment.feedback or None,
    }


def _answer(assignment: Assignment) -> str:
    """What was handed in, with the code of the device where the requester asked for it and it is still kept."""
    device = getattr(assignment, "device", None)
    return assignment.submission.answer if device is None else with_device(assignment.submission.answer, device.code)


def bonus_shape(bonus: BonusPayment) -> dict[str, Any]:
    """The structure BonusPayment. Needs `assignment__worker` and `assignment__hit__hit_type`."""
    return {
        "WorkerId": bonus.assignment.worker.worker_id,
        "BonusAmount": dollars(bonus.amount_cents, bonus.assignment.hit.hit_type.currency),
        "AssignmentId": bonus.assignment.assignment_id,
        "Reason": bonus.reason,
        "GrantTime": bonus.granted_at,
    }
