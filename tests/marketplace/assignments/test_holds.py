"""Money on hold: set aside at publication, given back with every place that can no longer be paid."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from annotation.marketplace.models import Hit, LedgerEntry, WorkerAccount
from annotation.marketplace.money.balance_check import check_balances
from tests.marketplace.question_samples import hit_parameters

pytestmark = pytest.mark.database

TYPE = {"Title": "t", "Description": "d", "AssignmentDurationInSeconds": 600}


@pytest.fixture(autouse=True)
def money_adds_up(site):
    yield
    assert check_balances().faults == ()


@pytest.fixture
def strict(settings):
    """A site on which HITs must be covered, as outside development."""
    settings.MARKETPLACE_PUBLISH_UNFUNDED = False


def test_every_place_is_set_aside_with_its_fee(lab):
    lab.hit(Reward="0.50", MaxAssignments=9)
    assert lab.money() == ("9994.60", "5.40")
    lab.hit(Reward="2.00", MaxAssignments=10)
    assert lab.money() == ("9966.60", "33.40")


def test_an_approval_is_paid_out_of_the_hold(open_lab, people):
    exact = open_lab("exact", balance=120)
    hit = exact.hit(Reward="0.50", MaxAssignments=2)
    assert exact.money() == ("0.00", "1.20")
    for number, worker in enumerate(people(2), 1):
        exact.client.approve_assignment(AssignmentId=worker.do(hit))
        assert exact.money() == ("0.00", f"{1.2 - 0.6 * number:.2f}")


def test_a_hit_that_is_not_covered_is_refused_whole(open_lab, strict):
    poor = open_lab("poor", balance=119)
    refused = poor.refused("create_hit", **hit_parameters(Reward="0.50", MaxAssignments=2, UniqueRequestToken="one"))
    assert refused[0] == "InsufficientFunds"
    assert Hit.objects.count() == 0
    assert poor.money() == ("1.19", "0.00")
    assert poor.hit(Reward="0.49", MaxAssignments=2, UniqueRequestToken="one")["HITStatus"] == "Assignable"


def test_in_development_an_uncovered_hit_holds_nothing_and_is_paid_while_money_lasts(open_lab, people):
    poor = open_lab("poor", balance=119)
    hit = poor.hit(Reward="0.50", MaxAssignments=2)
    assert poor.money() == ("1.19", "0.00")
    first, second = (worker.do(hit) for worker in people(2))
    poor.client.approve_assignment(AssignmentId=first)
    assert poor.refused("approve_assignment", AssignmentId=second)[0] == "InsufficientFunds"
    assert poor.money() == ("0.59", "0.00")


def test_a_rejection_gives_its_part_back_and_an_override_takes_it_again(lab, ann):
    work = ann.do(lab.hit(MaxAssignments=2))
    lab.client.reject_assignment(AssignmentId=work, RequesterFeedback="")
    assert lab.money() == ("9999.40", "0.60")
    lab.client.approve_assignment(AssignmentId=work, OverrideRejection=True)
    assert lab.money() == ("9998.80", "0.60")


def test_expiry_gives_back_the_places_nobody_took(lab, people, pass_time):
    hit = lab.hit(MaxAssignments=5, LifetimeInSeconds=300)
    ann, bob, _ = people(3)
    task = ann.take(hit)
    bob.do(hit)
    pass_time(301)
    assert lab.money() == ("9998.80", "1.20")
    ann.give_back(task)
    assert lab.money() == ("9999.40", "0.60")
    lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=lab.look(hit)["CreationTime"].timestamp() + 9000)
    assert lab.money() == ("9997.00", "3.00")


def test_a_place_given_back_in_time_stays_on_hold(lab, ann):
    ann.give_back(ann.take(lab.hit()))
    assert lab.money() == ("9999.40", "0.60")


def test_an_abandoned_place_of_an_expired_hit_is_given_back(lab, ann, pass_time):
    hit = lab.hit(LifetimeInSeconds=60, AssignmentDurationInSeconds=120)
    ann.take(hit)
    pass_time(100)
    assert lab.money() == ("9999.40", "0.60")
    pass_time(100)
    assert lab.money() == ("10000.00", "0.00")


def test_deletion_leaves_nothing_on_hold(lab):
    hit = lab.hit(MaxAssignments=3)
    lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    lab.client.delete_hit(HITId=hit["HITId"])
    assert lab.money() == ("10000.00", "0.00")


def test_more_places_need_more_money(open_lab, strict):
    lab = open_lab("lab", balance=180)
    hit = lab.hit(MaxAssignments=2)
    more = {"HITId": hit["HITId"], "UniqueRequestToken": "more"}
    refused = lab.refused("create_additional_assignments_for_hit", **more, NumberOfAdditionalAssignments=2)
    assert refused[0] == "InsufficientFunds"
    assert lab.look(hit)["MaxAssignments"] == 2
    lab.client.create_additional_assignments_for_hit(**more, NumberOfAdditionalAssignments=1)
    assert lab.money() == ("0.00", "1.80")


def test_another_type_changes_the_hold_and_the_pay(lab, ann):
    dearer = lab.client.create_hit_type(**TYPE, Reward="1.00")["HITTypeId"]
    cheaper = lab.client.create_hit_type(**TYPE, Reward="0.10")["HITTypeId"]
    hit = lab.hit(Reward="0.50", MaxAssignments=2)
    lab.client.update_hit_type_of_hit(HITId=hit["HITId"], HITTypeId=cheaper)
    assert lab.money() == ("9999.76", "0.24")
    lab.client.update_hit_type_of_hit(HITId=hit["HITId"], HITTypeId=dearer)
    assert lab.money() == ("9997.60", "2.40")
    assert lab.look(hit)["Reward"] == "1.00"
    lab.client.approve_assignment(AssignmentId=ann.do(hit))
    assert lab.money() == ("9997.60", "1.20")
    assert WorkerAccount.objects.get(worker_id=ann.worker_id).owed_cents == 100


def test_a_bonus_is_not_paid_out_of_what_is_on_hold(open_lab, ann):
    lab = open_lab("lab", balance=179)
    work = ann.do(lab.hit())
    bonus = {"AssignmentId": work, "WorkerId": ann.worker_id, "BonusAmount": "1.00", "Reason": "r"}
    assert lab.refused("send_bonus", **bonus)[0] == "InsufficientFunds"
    assert lab.money() == ("1.19", "0.60")


def test_setting_the_balance_leaves_holds_alone_unless_it_is_less(lab, ann):
    work = ann.do(lab.hit())
    call_command("create_requester", "lab", "--balance", "5.00", "--json")
    assert lab.money() == ("5.00", "0.60")
    call_command("create_requester", "lab", "--balance", "0.59", "--json")
    assert lab.money() == ("0.59", "0.00")
    assert lab.refused("approve_assignment", AssignmentId=work)[0] == "InsufficientFunds"
    assert [row["AssignmentStatus"] for row in lab.work({"HITId": lab.client.list_hits()["HITs"][0]["HITId"]})] == [
        "Submitted"
    ]


def test_holds_are_rows_of_the_ledger(lab):
    hit = lab.hit()
    rows = LedgerEntry.objects.filter(hit__hit_id=hit["HITId"]).order_by("account")
    assert list(rows.values_list("account", "amount_cents")) == [("held", 60), ("requester", -60)]
    Hit.objects.update(held_cents=61)
    assert any("held_cents is 61" in fault for fault in check_balances().faults)
    Hit.objects.update(held_cents=60)
