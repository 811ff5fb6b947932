"""Bonuses at Prolific: paid once each, whatever becomes of the answers, and what better paid conditions add."""

from __future__ import annotations

import pytest

from annotation.marketplace.models import Assignment
from tests.marketplace.draws.studies import Study
from tests.marketplace.prolific.crowd import Crowd

pytestmark = pytest.mark.django_db(transaction=True)


def reviewed(crowd: Crowd, *bonuses: str) -> str:
    """A study of as many people, all approved, each to be sent a bonus; its channel."""
    channel = crowd.publish()
    for number in range(1, len(bonuses) + 1):
        crowd.finish(number)
    crowd.run()
    for row, bonus in zip(crowd.submissions(channel), bonuses, strict=True):
        (work,) = row["AssignmentIds"]
        crowd.lab.client.approve_assignment(AssignmentId=work)
        worker = crowd.lab.client.get_assignment(AssignmentId=work)["Assignment"]["WorkerId"]
        crowd.lab.client.send_bonus(AssignmentId=work, WorkerId=worker, BonusAmount=bonus, Reason="Long texts")
    return channel


def paid(crowd: Crowd) -> list[list[int]]:
    """What Prolific has paid to each person as bonuses, in cents."""
    return [row["bonus_payments"] for row in crowd.stub.read_facts()["submissions"]]


def test_bonuses_are_paid_in_whole_units_that_the_books_hold_in_cents(crowd: Crowd) -> None:
    channel = reviewed(crowd, "1.50", "0.05")
    crowd.run()
    crowd.run(minutes=5)
    assert paid(crowd) == [[150], [5]]
    assert crowd.read(channel)["BonusPaidMinor"] == 155
    assert [row["BonusMinor"] for row in crowd.submissions(channel)] == [150, 5]
    (study,) = crowd.stub.read_facts()["studies"]
    assert study["paid_bonuses"]["amount"] == 155
    assert crowd.read(channel)["PaidMinor"] == study["paid_rewards"]["amount"] == 200


@pytest.mark.parametrize(
    ("operation", "fault"),
    [
        ("create_bonuses", "drop_after_effect"),
        ("pay_bonuses", "drop_after_effect"),
        ("pay_bonuses", "throttle"),
    ],
)
@pytest.mark.database
def test_a_bonus_whose_answer_was_lost_is_paid_once(crowd: Crowd, operation: str, fault: str) -> None:
    channel = reviewed(crowd, "1.50")
    crowd.stub.add_fault(operation, fault)
    for minutes in range(0, 12, 2):
        crowd.run(minutes)
    assert paid(crowd) == [[150]]
    assert crowd.read(channel)["BonusPaidMinor"] == 150
    assert crowd.read(channel)["UnknownBatches"] == []
    assert crowd.stub.read_facts()["doubled_payments"] == 0


def test_a_payment_that_did_not_arrive_waits_for_a_person(crowd: Crowd) -> None:
    channel = reviewed(crowd, "1.50", "2")
    crowd.stub.add_fault("pay_bonuses", "drop")
    for minutes in range(0, 60, 10):
        crowd.run(minutes)
    (batch,) = crowd.read(channel)["UnknownBatches"]
    assert (batch["AmountMinor"], batch["People"], batch["AlreadyPaidMinor"]) == (350, 2, 0)
    assert paid(crowd) == [[], []]
    crowd.service.settle_prolific_bonus_batch(ChannelId=channel, BatchId=batch["BatchId"], Outcome="not-paid")
    crowd.run(minutes=70)
    assert paid(crowd) == [[150], [200]]
    assert crowd.read(channel)["BonusPaidMinor"] == 350


def test_not_paid_is_not_believed_of_what_prolific_shows_as_paid(crowd: Crowd) -> None:
    crowd.stub.change_settings(is_slow=True)
    channel = reviewed(crowd, "1.50")
    crowd.stub.add_fault("pay_bonuses", "drop_after_effect")
    crowd.run()
    (batch,) = crowd.read(channel)["UnknownBatches"]
    crowd.stub.settle()
    crowd.service.settle_prolific_bonus_batch(ChannelId=channel, BatchId=batch["BatchId"], Outcome="not-paid")
    crowd.run(minutes=5)
    assert paid(crowd) == [[150]]
    assert crowd.read(channel)["BonusPaidMinor"] == 150


@pytest.mark.database
def test_a_study_that_is_over_waits_for_the_fee_of_bonuses_that_prolific_pays_later(crowd: Crowd) -> None:
    channel = crowd.publish()
    crowd.finish(1)
    crowd.run()
    (work,) = crowd.submissions(channel)[0]["AssignmentIds"]
    crowd.lab.client.approve_assignment(AssignmentId=work)
    crowd.service.stop_prolific_study(ChannelId=channel)
    crowd.run(minutes=5)
    crowd.stub.change_settings(is_slow=True)
    worker = crowd.lab.client.get_assignment(AssignmentId=work)["Assignment"]["WorkerId"]
    crowd.lab.client.send_bonus(AssignmentId=work, WorkerId=worker, BonusAmount="1.50", Reason="Long texts")
    for minutes in (70, 75):
        crowd.run(minutes)
    waiting = crowd.read(channel)
    assert (waiting["Status"], waiting["BonusPaidMinor"], paid(crowd)) == ("completed", 150, [[]])
    assert [row["Kind"] for row in waiting["Waiting"]] == ["cost"]
    crowd.stub.settle()
    crowd.run(minutes=80)
    (study,) = crowd.stub.read_facts()["studies"]
    costs = [study["paid_rewards"], study["paid_bonuses"]]
    assert crowd.read(channel)["FeesMinor"] == sum(cost["fees"] + cost["vat"] for cost in costs)
    assert crowd.read(channel)["Waiting"] == []


def test_what_a_condition_pays_above_the_reward_is_a_bonus(crowd: Crowd) -> None:
    def reward(letter: str) -> str:
        return {"a": "1.00", "b": "1.40"}[letter]

    study = Study.publish(crowd.lab, cells=2, tag="spring", Reward=reward)
    channel = crowd.publish_draft(HighestRewardMinor=140)
    assert crowd.read(channel)["BonusReserveMinor"] == 224
    expected = []
    for number in range(1, 5):
        person = crowd.arrive(number)
        letter = study.cell(person)
        expected.append({"a": [], "b": [40]}[letter])
        page = f"/hits/work/{Assignment.objects.get(state='Accepted').assignment_id}/pay/"
        assert f"${reward(letter)}" in person.get(page).text
        person.post(page, page)
        crowd.finish(number, person=person)
    crowd.run()
    for row in crowd.submissions(channel):
        crowd.lab.client.approve_assignment(AssignmentId=row["AssignmentIds"][0])
    for minutes in (0, 1, 2):
        crowd.run(minutes)
    assert sorted(expected) == [[], [], [40], [40]]
    assert paid(crowd) == expected


def test_a_bonus_paid_on_prolifics_own_site_does_not_make_an_unanswered_batch_look_paid(crowd: Crowd) -> None:
    channel = reviewed(crowd, "1.50")
    (row,) = crowd.stub.read_facts()["submissions"]
    # Known to Prolific, not paid for an hour; meanwhile somebody pays the same amount there.
    crowd.stub.add_fault("pay_bonuses", "throttle", retry_after_seconds=3600)
    crowd.run()
    crowd.stub.pay_by_hand(row["id"], 150)
    crowd.stub.add_fault("pay_bonuses", "drop")
    crowd.run(minutes=70)
    (batch,) = crowd.read(channel)["UnknownBatches"]
    assert (batch["AmountMinor"], batch["AlreadyPaidMinor"]) == (150, 0)
    # After it was sent, another amount.
    crowd.stub.pay_by_hand(row["id"], 40)
    crowd.run(minutes=80)
    (batch,) = crowd.read(channel)["UnknownBatches"]
    crowd.service.settle_prolific_bonus_batch(ChannelId=channel, BatchId=batch["BatchId"], Outcome="not-paid")
    crowd.run(minutes=90)
    assert paid(crowd) == [[150, 40, 150]]


def test_who_returned_is_paid_a_bonus_by_a_batch_of_their_own(crowd: Crowd) -> None:
    channel = reviewed(crowd, "1.50")
    crowd.finish(2)
    crowd.run()
    (work,) = crowd.submissions(channel)[1]["AssignmentIds"]
    crowd.stub.return_place(2)
    crowd.run(minutes=2)
    worker = crowd.lab.client.get_assignment(AssignmentId=work)["Assignment"]["WorkerId"]
    members = {"WorkerId": worker, "BonusAmount": "0.30", "Reason": "For the time you took."}
    crowd.lab.client.send_bonus(AssignmentId=work, **members)
    for minutes in (4, 6):
        crowd.run(minutes)
    assert paid(crowd) == [[150], [30]]
    assert [row["payments"] for row in crowd.stub.read_facts()["batches"]] == [1, 1]
