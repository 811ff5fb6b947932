"""SendBonus and ListBonusPayments (cases 62 to 64)."""

from __future__ import annotations

import pytest

from annotation.marketplace.models import BonusPayment
from annotation.marketplace.money.balance_check import check_balances

pytestmark = pytest.mark.database


@pytest.fixture
def work(lab, ann) -> str:
    done = ann.do(lab.hit())
    lab.client.approve_assignment(AssignmentId=done)
    return done


def bonus(worker, work: str, **changes: object) -> dict:
    usual = {"WorkerId": worker.worker_id, "AssignmentId": work, "BonusAmount": "1.00", "Reason": "well done"}
    return usual | changes


def test_a_bonus_costs_itself_and_a_fifth(lab, ann, work):
    lab.client.send_bonus(**bonus(ann, work))
    assert lab.balance() == "9998.20"
    lab.client.send_bonus(**bonus(ann, work, BonusAmount="0.03"))
    assert lab.balance() == "9998.16"
    assert check_balances().faults == ()


def test_without_a_token_the_same_bonus_is_paid_again(lab, ann, work):
    lab.client.send_bonus(**bonus(ann, work))
    lab.client.send_bonus(**bonus(ann, work))
    assert BonusPayment.objects.count() == 2


def test_with_a_token_a_bonus_is_paid_once(lab, ann, work):
    paid = lab.client.send_bonus(**bonus(ann, work, UniqueRequestToken="b1"))
    _, message = lab.refused("send_bonus", **bonus(ann, work, UniqueRequestToken="b1"))
    assert paid["ResponseMetadata"]["RequestId"] in message
    assert lab.balance() == "9998.20"


def test_a_bonus_goes_to_the_worker_of_the_work_only(lab, ann, sign_in, work):
    stranger = sign_in("bob")
    assert lab.refused("send_bonus", **bonus(stranger, work))[0] == "InvalidParameterValue"
    assert lab.refused("send_bonus", **bonus(ann, "3" + "X" * 29))[0] == "AssignmentDoesNotExist"


def test_unsubmitted_work_earns_no_bonus(lab, ann):
    task = ann.take(lab.hit())
    code, message = lab.refused("send_bonus", **bonus(ann, task.id))
    assert code == "AssignmentDoesNotExist"
    assert "does not exist" in message


def test_a_bonus_needs_its_fee_too(open_lab, ann):
    poor = open_lab("poor", balance=179)
    work = ann.do(poor.hit())
    poor.client.approve_assignment(AssignmentId=work)
    assert poor.refused("send_bonus", **bonus(ann, work))[0] == "InsufficientFunds"
    assert poor.balance() == "1.19"
    assert BonusPayment.objects.count() == 0


@pytest.mark.parametrize("changes", [{"BonusAmount": "0.00"}, {"BonusAmount": "0.001"}, {"Reason": " "}])
def test_a_bonus_is_an_amount_with_a_reason(lab, ann, work, changes):
    assert lab.refused("send_bonus", **bonus(ann, work, **changes))[0] == "ParameterValidationError"


def test_bonuses_are_listed_by_hit_or_by_assignment(lab, sign_in):
    hit = lab.hit(MaxAssignments=2)
    ann, bob = sign_in("ann"), sign_in("bob")
    first, second = ann.do(hit), bob.do(hit)
    lab.client.send_bonus(**bonus(ann, first, Reason="one"))
    lab.client.send_bonus(**bonus(bob, second, Reason="two", BonusAmount="2.50"))
    rows = lab.client.list_bonus_payments(HITId=hit["HITId"])["BonusPayments"]
    assert [(row["Reason"], row["BonusAmount"]) for row in rows] == [("one", "1.00"), ("two", "2.50")]
    (row,) = lab.client.list_bonus_payments(AssignmentId=second)["BonusPayments"]
    assert (row["WorkerId"], row["AssignmentId"]) == (bob.worker_id, second)


def test_a_list_of_bonuses_needs_to_know_of_what(lab):
    assert lab.refused("list_bonus_payments")[0] == "ParameterValidationError"
