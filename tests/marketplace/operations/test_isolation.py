"""One requester never sees or touches what is another's: every operation."""

from __future__ import annotations

from typing import Any

import pytest
from botocore import xform_name
from django.apps import apps

from annotation.marketplace.aws_protocol.service_model import OPERATIONS
from tests.marketplace.qualifications.test_qualifications import make
from tests.marketplace.question_samples import html_question

pytestmark = pytest.mark.database

# Operation: what it is called with; a member's value names what is another's.
REFUSED: dict[str, dict[str, Any]] = {
    "AcceptQualificationRequest": {"QualificationRequestId": "request"},
    "ApproveAssignment": {"AssignmentId": "assignment"},
    "AssociateQualificationWithWorker": {"QualificationTypeId": "qualification", "WorkerId": "worker"},
    "CreateAdditionalAssignmentsForHIT": {"HITId": "hit", "NumberOfAdditionalAssignments": 1},
    "CreateHITWithHITType": {"HITTypeId": "type", "LifetimeInSeconds": 60, "Question": html_question()},
    "DeleteHIT": {"HITId": "hit"},
    "DeleteQualificationType": {"QualificationTypeId": "qualification"},
    "DisassociateQualificationFromWorker": {"QualificationTypeId": "qualification", "WorkerId": "worker"},
    "GetAssignment": {"AssignmentId": "assignment"},
    "GetHIT": {"HITId": "hit"},
    "GetQualificationScore": {"QualificationTypeId": "qualification", "WorkerId": "worker"},
    "ListAssignmentsForHIT": {"HITId": "hit"},
    "ListBonusPayments": {"AssignmentId": "assignment"},
    "ListQualificationRequests": {"QualificationTypeId": "qualification"},
    "ListReviewPolicyResultsForHIT": {"HITId": "hit"},
    "ListReviewableHITs": {"HITTypeId": "type"},
    "ListWorkersWithQualificationType": {"QualificationTypeId": "qualification"},
    "RejectAssignment": {"AssignmentId": "assignment", "RequesterFeedback": ""},
    "RejectQualificationRequest": {"QualificationRequestId": "request"},
    "SendBonus": {"AssignmentId": "assignment", "WorkerId": "worker", "BonusAmount": "1.00", "Reason": "r"},
    "UpdateExpirationForHIT": {"HITId": "hit", "ExpireAt": 0},
    "UpdateHITReviewStatus": {"HITId": "hit"},
    "UpdateHITTypeOfHIT": {"HITId": "hit", "HITTypeId": "type"},
    "UpdateQualificationType": {"QualificationTypeId": "qualification", "Description": "mine now"},
}
# Lists of the caller's own: empty, whatever others have.
EMPTY: dict[str, dict[str, Any]] = {
    "ListHITs": {},
    "ListHITsForQualificationType": {"QualificationTypeId": "qualification"},
    "ListQualificationRequests": {},
    "ListQualificationTypes": {"MustBeRequestable": False, "MustBeOwnedByCaller": True},
    "ListReviewableHITs": {},
    "ListWorkerBlocks": {},
}
# They name nothing of another's, act on the caller's own, or show what is public (a qualification type).
OWN = {
    "CreateHIT", "CreateHITType", "CreateQualificationType", "CreateWorkerBlock", "DeleteWorkerBlock",
    "GetAccountBalance", "GetQualificationType", "NotifyWorkers",
}  # fmt: skip
# Tested with the notifications, or answered by a refusal that looks at nothing.
ELSEWHERE = {"UpdateNotificationSettings", "SendTestEventNotification", "GetFileUploadURL"}


@pytest.fixture
def theirs(open_lab, ann) -> dict[str, str]:
    """Ids of everything that another requester has."""
    other = open_lab("other")
    qualification = make(other)
    row = {"QualificationTypeId": qualification, "Comparator": "DoesNotExist"}
    hit = other.hit(QualificationRequirements=[row])
    work = ann.do(hit)
    ann.post(f"/hits/qualifications/{qualification}/", f"/hits/qualifications/{qualification}/ask/")
    other.client.create_worker_block(WorkerId=ann.worker_id, Reason="r")
    request = other.client.list_qualification_requests()["QualificationRequests"][0]["QualificationRequestId"]
    return {
        "hit": hit["HITId"], "type": hit["HITTypeId"], "assignment": work, "worker": ann.worker_id,
        "qualification": qualification, "request": request,
    }  # fmt: skip


def filled(given: dict[str, Any], theirs: dict[str, str]) -> dict[str, Any]:
    return {name: theirs.get(value, value) if isinstance(value, str) else value for name, value in given.items()}


def stored() -> dict[str, list[dict]]:
    models = apps.get_app_config("marketplace").get_models()
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in models}


@pytest.mark.parametrize("operation", sorted(REFUSED))
def test_what_is_anothers_is_refused_and_unchanged(lab, theirs, operation):
    before = stored()
    assert lab.refused(xform_name(operation), **filled(REFUSED[operation], theirs))[0] == "PermissionDeniedException"
    assert stored() == before


@pytest.mark.parametrize("operation", sorted(EMPTY))
def test_what_is_anothers_is_in_no_list(lab, theirs, operation):
    answer = getattr(lab.client, xform_name(operation))(**filled(EMPTY[operation], theirs))
    assert answer["NumResults"] == 0


# Own things and another's in one call, or another's by the second of two names.
MIXED: list[tuple[str, dict[str, Any]]] = [
    ("UpdateHITTypeOfHIT", {"HITId": "own hit", "HITTypeId": "type"}),
    ("ListBonusPayments", {"HITId": "hit"}),
    ("ListBonusPayments", {"HITId": "own hit", "AssignmentId": "assignment"}),
    ("UpdateNotificationSettings", {"HITTypeId": "type", "Active": False}),
]


@pytest.mark.parametrize(("operation", "given"), MIXED)
def test_what_is_anothers_is_refused_beside_what_is_own(lab, theirs, operation, given):
    theirs["own hit"] = lab.hit()["HITId"]
    before = stored()
    assert lab.refused(xform_name(operation), **filled(given, theirs))[0] == "PermissionDeniedException"
    assert stored() == before


def test_workers_of_another_requester_are_not_written_to(lab, theirs, open_lab):
    """Not even once the other requester has approved their work."""
    before = stored()
    answer = lab.client.notify_workers(WorkerIds=[theirs["worker"]], Subject="s", MessageText="t")
    assert [row["WorkerId"] for row in answer["NotifyWorkersFailureStatuses"]] == [theirs["worker"]]
    assert stored() == before


def test_a_bonus_list_of_work_in_another_hit_of_ones_own_is_empty(lab, ann):
    first, second = lab.hit(), lab.hit()
    work = ann.do(first)
    lab.client.send_bonus(AssignmentId=work, WorkerId=ann.worker_id, BonusAmount="1.00", Reason="r")
    both = {"AssignmentId": work, "HITId": first["HITId"]}
    assert lab.client.list_bonus_payments(**both)["NumResults"] == 1
    assert lab.client.list_bonus_payments(**both | {"HITId": second["HITId"]})["NumResults"] == 0


def test_blocks_of_one_requester_bind_nobody_elses_hits(lab, theirs, ann):
    lab.client.delete_worker_block(WorkerId=theirs["worker"])
    assert ann.accept(lab.hit()).status_code == 200
    assert len(stored()["WorkerBlock"]) == 1


def test_no_operation_is_forgotten_here():
    assert set(REFUSED) | set(EMPTY) | OWN | ELSEWHERE == set(OPERATIONS)
