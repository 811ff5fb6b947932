"""Approval, rejection, auto-approval and what they cost (cases 54 to 61)."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from annotation.marketplace.models import WorkerAccount
from annotation.marketplace.money.balance_check import check_balances

pytestmark = pytest.mark.database

DAY = 86_400


@pytest.fixture(autouse=True)
def money_adds_up(site):
    yield
    assert check_balances().faults == ()


def test_approval_pays_reward_and_fee(lab, ann):
    hit = lab.hit(Reward="0.50")
    work = ann.do(hit)
    lab.client.approve_assignment(AssignmentId=work, RequesterFeedback="thank you")
    row = lab.work(hit)[0]
    assert (row["AssignmentStatus"], row["RequesterFeedback"]) == ("Approved", "thank you")
    assert row["ApprovalTime"] >= row["SubmitTime"] >= row["AcceptTime"]
    assert lab.balance() == "9999.40"
    assert WorkerAccount.objects.get(worker_id=ann.worker_id).earned_cents == 50


def test_work_is_approved_once(lab, ann):
    work = ann.do(lab.hit())
    lab.client.approve_assignment(AssignmentId=work)
    code, message = lab.refused("approve_assignment", AssignmentId=work)
    assert code == "InvalidAssignmentState"
    assert message.startswith("This operation can be called with a status of: Submitted")
    assert lab.balance() == "9999.40"


def test_approved_work_cannot_be_rejected(lab, ann):
    work = ann.do(lab.hit())
    lab.client.approve_assignment(AssignmentId=work)
    assert lab.refused("reject_assignment", AssignmentId=work, RequesterFeedback="")[0] == "InvalidAssignmentState"


def test_work_that_is_only_accepted_is_out_of_reach(lab, ann):
    task = ann.take(lab.hit())
    assert lab.refused("get_assignment", AssignmentId=task.id)[0] == "InvalidAssignmentState"
    assert lab.refused("approve_assignment", AssignmentId=task.id)[0] == "InvalidAssignmentState"


def test_an_unknown_or_foreign_assignment_is_refused(lab, ann, open_lab):
    unknown = {"AssignmentId": "3" + "X" * 29}
    assert lab.refused("approve_assignment", **unknown)[0] == "AssignmentDoesNotExist"
    foreign = {"AssignmentId": ann.do(open_lab("other").hit())}
    for operation in ("approve_assignment", "get_assignment"):
        assert lab.refused(operation, **foreign)[0] == "PermissionDeniedException"


def test_get_assignment_shows_the_work_and_its_hit(lab, ann):
    hit = lab.hit()
    found = lab.client.get_assignment(AssignmentId=ann.do(hit))
    assert found["HIT"]["HITId"] == found["Assignment"]["HITId"] == hit["HITId"]
    assert found["Assignment"]["WorkerId"] == ann.worker_id
    assert "<FreeText>5</FreeText>" in found["Assignment"]["Answer"]


def test_a_rejection_costs_nothing_and_frees_no_place(lab, ann):
    hit = lab.hit()
    work = ann.do(hit)
    lab.client.reject_assignment(AssignmentId=work, RequesterFeedback="off topic")
    row = lab.work(hit, "Rejected")[0]
    assert row["RequesterFeedback"] == "off topic"
    assert "RejectionTime" in row
    assert "ApprovalTime" not in row
    assert lab.balance() == "10000.00"
    assert lab.places(hit) == ("Reviewable", 0, 0, 1)


def test_a_rejection_is_overridden_only_on_purpose(lab, ann):
    hit = lab.hit()
    work = ann.do(hit)
    lab.client.reject_assignment(AssignmentId=work, RequesterFeedback="")
    assert lab.refused("approve_assignment", AssignmentId=work)[0] == "InvalidAssignmentState"
    lab.client.approve_assignment(AssignmentId=work, OverrideRejection=True)
    assert lab.work(hit)[0]["AssignmentStatus"] == "Approved"
    assert lab.balance() == "9999.40"
    assert lab.places(hit) == ("Reviewable", 0, 0, 1)


def test_a_rejection_stands_after_thirty_days(lab, ann, pass_time):
    work = ann.do(lab.hit())
    lab.client.reject_assignment(AssignmentId=work, RequesterFeedback="")
    pass_time(31 * DAY)
    refused = lab.refused("approve_assignment", AssignmentId=work, OverrideRejection=True)
    assert refused[0] == "InvalidAssignmentState"


def test_a_rejection_stands_after_its_hit_is_deleted(lab, ann):
    hit = lab.hit()
    work = ann.do(hit)
    lab.client.reject_assignment(AssignmentId=work, RequesterFeedback="")
    lab.client.delete_hit(HITId=hit["HITId"])
    assert lab.refused("approve_assignment", AssignmentId=work, OverrideRejection=True)[0] == "InvalidHITState"


def test_an_override_of_merely_submitted_work_is_harmless(lab, ann):
    lab.client.approve_assignment(AssignmentId=ann.do(lab.hit()), OverrideRejection=True)
    assert lab.balance() == "9999.40"


def test_undecided_work_is_approved_by_its_time(lab, ann, pass_time):
    hit = lab.hit(AutoApprovalDelayInSeconds=3 * DAY)
    ann.do(hit)
    pass_time(3 * DAY - 60)
    assert lab.work(hit)[0]["AssignmentStatus"] == "Submitted"
    pass_time(DAY)
    row = lab.work(hit)[0]
    assert row["AssignmentStatus"] == "Approved"
    assert row["ApprovalTime"] == row["AutoApprovalTime"]
    assert lab.balance() == "9999.40"


def test_a_delay_of_zero_approves_at_once(lab, ann):
    hit = lab.hit(AutoApprovalDelayInSeconds=0)
    ann.do(hit)
    assert lab.work(hit)[0]["AssignmentStatus"] == "Approved"


def test_too_little_money_changes_nothing(open_lab, ann):
    poor = open_lab("poor", balance=59)
    hit = poor.hit(Reward="0.50")
    work = ann.do(hit)
    assert poor.refused("approve_assignment", AssignmentId=work)[0] == "InsufficientFunds"
    assert poor.balance() == "0.59"
    assert poor.work(hit)[0]["AssignmentStatus"] == "Submitted"


def test_auto_approval_waits_for_money_and_then_happens(open_lab, ann, pass_time):
    poor = open_lab("poor", balance=59)
    hit = poor.hit(Reward="0.50", AutoApprovalDelayInSeconds=60)
    ann.do(hit)
    pass_time(120)
    assert poor.work(hit)[0]["AssignmentStatus"] == "Submitted"
    call_command("create_requester", "poor", "--balance", "0.60", "--json")
    row = poor.work(hit)[0]
    assert row["AssignmentStatus"] == "Approved"
    assert row["ApprovalTime"] == row["AutoApprovalTime"]
    assert poor.balance() == "0.00"


def test_ten_places_cost_the_higher_fee(lab, ann):
    lab.client.approve_assignment(AssignmentId=ann.do(lab.hit(Reward="0.50", MaxAssignments=10)))
    assert lab.money() == ("9993.00", "6.30")
