"""A study at Prolific: from the draft to a paid crowd, against the stand-in."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError
from django.apps import apps
from django.db.models import Model, Sum

from annotation.accounts.vault import unseal
from annotation.marketplace.assignments import accept_submit
from annotation.marketplace.core import clock
from annotation.marketplace.invitations import retention
from annotation.marketplace.models import (
    Assignment,
    AssignmentDevice,
    Channel,
    Hit,
    LedgerEntry,
    Participant,
    ParticipantIdentity,
    ProlificAccount,
    ProlificAction,
    ProlificIdentity,
)
from annotation.marketplace.money.balance_check import check_balances
from tests.faults.prolific_study import ANSWER
from tests.marketplace.channels.guests import KEYWORDS, TAG, tasks
from tests.marketplace.channels.test_managed import mark_of
from tests.marketplace.people import Person, reason
from tests.marketplace.prolific.crowd import REASON, Crowd

pytestmark = pytest.mark.django_db(transaction=True)


def refusal(action: Any, **members: Any) -> str:
    """The sentence with which an operation is refused."""
    with pytest.raises(ClientError) as refused:
        action(**members)
    return str(refused.value)


@pytest.mark.database
def test_a_study_is_published_followed_decided_and_paid(crowd: Crowd) -> None:
    channel = crowd.publish()
    assert crowd.read(channel)["Status"] == "active"
    for number in (1, 2):
        crowd.finish(number)
    crowd.run()
    works = [row["AssignmentIds"] for row in crowd.submissions(channel)]
    assert [len(each) for each in works] == [1, 1]
    assert [row["Path"] for row in crowd.submissions(channel)] == ["completed"] * 2
    crowd.lab.client.approve_assignment(AssignmentId=works[0][0])
    reject = crowd.service.reject_prolific_work
    assert "100 to 1024" in refusal(reject, AssignmentId=works[1][0], RequesterFeedback="No.", Category="LOW_EFFORT")
    assert "LOW_EFFORT" in refusal(reject, AssignmentId=works[1][0], RequesterFeedback=REASON, Category="BAD")
    plain = crowd.lab.client.reject_assignment
    assert "RejectProlificWork" in refusal(plain, AssignmentId=works[1][0], RequesterFeedback=REASON)
    reject(AssignmentId=works[1][0], RequesterFeedback=REASON, Category="LOW_EFFORT")
    crowd.run()
    assert [row["Decision"] for row in crowd.submissions(channel)] == ["approved", "rejected"]
    facts = crowd.stub.read_facts()
    assert facts["studies"][0]["paid_rewards"]["amount"] == crowd.read(channel)["PaidMinor"] == 100
    # Prolific pays these people: nothing is owed for them here.
    assert crowd.service.sum_owed()["Studies"] == []
    assert crowd.read(channel)["Waiting"] == []
    assert not crowd.stub.read_requests("bulk_approve")


def test_a_token_is_checked_stored_encrypted_and_shown_by_its_end(crowd: Crowd) -> None:
    assert "does not accept" in refusal(crowd.service.connect_prolific, Token="wrong")
    account = crowd.service.get_prolific_account()
    assert (account["Connected"], account["TokenEnd"], account["Currency"]) == (True, "0001", "USD")
    assert account["AvailableMinor"] == 500_000
    assert [len(workspace["Projects"]) for workspace in account["Workspaces"]] == [2, 2]
    stored = ProlificAccount.objects.get().token_sealed
    assert crowd.stub.token not in stored
    assert unseal(stored) == crowd.stub.token
    project = account["Workspaces"][1]["Projects"][1]["ProjectId"]
    chosen = crowd.service.choose_prolific_project(WorkspaceId=crowd.stub.second_workspace, ProjectId=project)
    assert (chosen["WorkspaceId"], chosen["ProjectId"]) == (crowd.stub.second_workspace, project)
    assert crowd.service.disconnect_prolific()["Connected"] is False
    assert ProlificAccount.objects.get().token_sealed == ""


def test_a_draft_names_what_is_wrong_in_it(crowd: Crowd) -> None:
    channel = crowd.draft()["ChannelId"]
    for member, value, words in (
        ("Minutes", 0, "Minutes is 1 to"),
        ("Devices", ["fridge"], "desktop, tablet, mobile"),
        ("Labels", ["survey", "annotation"], "at most 1"),
        ("HighestRewardMinor", 99, "at least the reward"),
        ("Filters", [{"FilterId": "age"}], "either Values or a range"),
        ("Filters", [{"FilterId": "age", "Lower": 60.0, "Upper": 18.0}], "ends before"),
    ):
        assert words in refusal(crowd.service.set_prolific_draft, ChannelId=channel, **{member: value})


def test_the_price_has_fees_and_tax_and_publishing_holds_to_it(crowd: Crowd) -> None:
    tasks(crowd.lab, 1, Reward="1.00")
    channel = crowd.draft(HighestRewardMinor=130)["ChannelId"]
    quote = crowd.service.quote_prolific_study(ChannelId=channel)
    # 4 x 1.00, a third as fee 1.332 rounded to 1.33, a fifth of it as tax 0.27.
    assert (quote["RewardsMinor"], quote["FeesMinor"], quote["TotalMinor"]) == (400, 160, 560)
    # 4 x 0.30 = 1.20, fee 0.40, tax 0.08.
    assert quote["BonusReserveMinor"] == 168
    assert (quote["HourlyMinor"], quote["Problems"]) == (1200, [])
    publish = crowd.service.publish_prolific_study
    assert "560 by now, not 559" in refusal(publish, ChannelId=channel, TotalMinor=559)
    crowd.stub.change_settings(balance_cents=600)
    assert "$7.28 are needed" in refusal(publish, ChannelId=channel, TotalMinor=560)
    crowd.stub.change_settings(balance_cents=728)
    for _ in range(2):
        assert publish(ChannelId=channel, TotalMinor=560)["Status"] == "publishing"
    crowd.run()
    assert crowd.read(channel)["Status"] == "active"
    assert "cannot be changed" in refusal(crowd.service.set_prolific_draft, ChannelId=channel, Minutes=9)
    assert len(crowd.stub.read_requests("transition_study")) == 1


@pytest.mark.database
@pytest.mark.parametrize(
    ("operation", "fault"),
    [
        ("create_study", "drop_after_effect"),
        ("create_group", "fail_after_effect"),
        ("transition_study", "throttle"),
    ],
)
def test_a_study_is_created_once_whatever_becomes_of_the_answers(crowd: Crowd, operation: str, fault: str) -> None:
    crowd.stub.add_fault(operation, fault)
    channel = crowd.publish()
    crowd.run(minutes=1)
    crowd.run(minutes=2)
    facts = crowd.stub.read_facts()
    assert [study["status"] for study in facts["studies"]] == ["ACTIVE"]
    assert len(facts["groups"]) == 1
    assert crowd.read(channel)["Status"] == "active"


@pytest.mark.database
def test_places_of_who_returns_or_runs_out_of_time_are_free_again(crowd: Crowd) -> None:
    tasks(crowd.lab, 1, Reward="1.00", MaxAssignments=2)
    channel = crowd.publish_draft(Places=2)
    first, second = crowd.arrive(1), crowd.arrive(2)
    crowd.stub.return_place(1)
    crowd.stub.time_out(2)
    crowd.run()
    assert [row["Status"] for row in crowd.submissions(channel)] == ["RETURNED", "TIMED-OUT"]
    assert set(Assignment.objects.values_list("state", flat=True)) == {"Returned"}
    for number in (3, 4):
        crowd.finish(number)
    crowd.run()
    assert [row["Status"] for row in crowd.submissions(channel)][2:] == ["AWAITING REVIEW"] * 2
    # Who returned the place is not paid for what they would do here: they are not given another task.
    assert first.offers() == second.offers() == []


def test_decisions_on_prolifics_own_site_come_into_the_books(crowd: Crowd) -> None:
    channel = crowd.publish()
    for number in (1, 2):
        crowd.finish(number)
    for row, status in zip(crowd.stub.read_facts()["submissions"], ("APPROVED", "REJECTED"), strict=True):
        crowd.stub.decide(row["id"], status)
    crowd.run()
    assert list(Assignment.objects.order_by("pk").values_list("state", flat=True)) == ["Approved", "Rejected"]
    assert crowd.read(channel)["PaidMinor"] == 100
    assert LedgerEntry.objects.get(purpose="reward", account="outside").amount_cents == 100
    assert not ProlificAction.objects.filter(kind__in=["approve", "reject"]).exists()


def test_who_closes_the_tab_at_the_end_is_completed_from_here(crowd: Crowd) -> None:
    channel = crowd.publish()
    person = crowd.arrive(1)
    for hit in person.offers():
        person.do({"HITId": hit})
    person.get("/hits/end/")
    crowd.run()
    assert [row["Status"] for row in crowd.submissions(channel)] == ["ACTIVE"]
    crowd.run(minutes=5)
    assert [(row["Status"], row["Path"]) for row in crowd.submissions(channel)] == [("AWAITING REVIEW", "researcher")]


def test_who_closes_the_tab_while_the_last_task_is_submitted_is_completed_from_here(crowd: Crowd) -> None:
    channel = crowd.publish()
    crowd.arrive(1)
    now = clock.now()
    accept_submit.submit(Assignment.objects.get(), [["rating", "5"]], answer=ANSWER, now=now, received_at=now)
    crowd.run(minutes=5)
    crowd.run(minutes=9)
    assert [(row["Status"], row["Path"]) for row in crowd.submissions(channel)] == [("AWAITING REVIEW", "researcher")]


def test_the_reward_of_who_returned_after_submitting_is_in_no_book(crowd: Crowd) -> None:
    channel = crowd.publish()
    for number in (1, 2):
        crowd.finish(number)
    crowd.run()
    works = [row["AssignmentIds"][0] for row in crowd.submissions(channel)]
    # The first is approved before the return is read, the second afterwards.
    crowd.lab.client.approve_assignment(AssignmentId=works[0])
    crowd.stub.return_place(1)
    crowd.stub.return_place(2)
    crowd.run()
    crowd.lab.client.approve_assignment(AssignmentId=works[1])
    crowd.run(minutes=2)
    assert [row["Status"] for row in crowd.submissions(channel)] == ["RETURNED"] * 2
    assert "pays nothing for it; 1 submitted tasks are stored" in crowd.submissions(channel)[1]["Note"]
    facts = crowd.stub.read_facts()["studies"][0]
    rewards = LedgerEntry.objects.filter(purpose__in=["reward", "unpaid"], account="outside")
    booked = rewards.aggregate(sum=Sum("amount_cents"))["sum"]
    assert (booked, crowd.read(channel)["PaidMinor"], facts["paid_rewards"]["amount"]) == (0, 0, 0)
    assert check_balances().faults == ()
    # What Prolific refused, as the submission was over, is not waited for.
    assert crowd.read(channel)["Waiting"] == []


def test_the_place_of_who_returned_after_submitting_or_was_rejected_is_free_for_another_person(crowd: Crowd) -> None:
    tasks(crowd.lab, 1, Reward="1.00", MaxAssignments=2)
    channel = crowd.publish_draft(Places=2)
    for number in (1, 2):
        crowd.finish(number)
    crowd.stub.return_place(1)
    crowd.run()
    (work,) = crowd.submissions(channel)[1]["AssignmentIds"]
    crowd.service.reject_prolific_work(AssignmentId=work, RequesterFeedback=REASON, Category="LOW_EFFORT")
    for minutes in (2, 4):
        crowd.run(minutes)
    for number in (3, 4):
        crowd.finish(number)
    crowd.run(minutes=6)
    assert [row["Status"] for row in crowd.submissions(channel)] == ["RETURNED", "REJECTED"] + ["AWAITING REVIEW"] * 2
    assert [len(row["AssignmentIds"]) for row in crowd.submissions(channel)] == [1] * 4
    # All places are taken, there and here.
    assert Hit.objects.get().max_assignments == 4
    assert check_balances().faults == ()


def test_a_study_works_where_prolific_answers_in_other_forms(crowd: Crowd) -> None:
    crowd.stub.change_settings(answers_in_other_forms=True)
    account = crowd.service.connect_prolific(Token=crowd.stub.token)
    assert (account["Currency"], account["AvailableMinor"]) == ("USD", 500_000)
    country = next(row for row in crowd.service.list_prolific_filters()["Filters"] if row["Kind"] == "select")
    assert country["Choices"][0].keys() == {"Value", "Label"}
    crowd.stub.add_fault("create_study", "drop_after_effect")
    channel = crowd.publish(Places=5)
    crowd.run(minutes=1)
    # Five submissions, of which Prolific lists three on a page.
    for number in range(1, 5):
        crowd.finish(number)
    crowd.arrive(5)
    crowd.stub.time_out(5)
    crowd.run(minutes=2)
    rows = crowd.submissions(channel)
    assert [row["Status"] for row in rows] == ["AWAITING REVIEW"] * 4 + ["TIMED-OUT"]
    for row in rows[:4]:
        (work,) = row["AssignmentIds"]
        crowd.lab.client.approve_assignment(AssignmentId=work)
    worker = crowd.lab.client.get_assignment(AssignmentId=work)["Assignment"]["WorkerId"]
    crowd.lab.client.send_bonus(AssignmentId=work, WorkerId=worker, BonusAmount="0.50", Reason="Thanks")
    crowd.stub.add_fault("pay_bonuses", "drop_after_effect")
    for minutes in (3, 5, 7):
        crowd.run(minutes)
    (there,) = crowd.stub.read_facts()["studies"]
    known = crowd.read(channel)
    assert (known["PaidMinor"], known["BonusPaidMinor"]) == (400, 50)
    assert crowd.stub.read_facts()["doubled_payments"] == 0
    # 4.50: a third as fee, a fifth of it as tax; Prolific rounds for rewards and bonuses each, the estimate once.
    fees = sum(there[part][name] for part in ("paid_rewards", "paid_bonuses") for name in ("fees", "vat"))
    assert abs(known["FeesMinor"] - fees) <= 2
    assert "fees are estimated" in known["SyncError"]


def test_who_took_part_is_excluded_by_study_where_prolific_lists_no_filter_for_groups(crowd: Crowd) -> None:
    crowd.publish()
    crowd.stub.change_settings(missing_filters=["participant_group_blocklist"])
    crowd.lab.hit(Keywords=KEYWORDS.replace(TAG, "autumn"), MaxAssignments=9, Reward="1.00")
    channel = crowd.service.create_channel(Study="autumn", Kind="prolific", Name="second")["ChannelId"]
    crowd.complete_draft(channel, ExcludesEarlier=True)
    earlier = crowd.study
    crowd.request(channel)
    crowd.run()
    body = json.loads(crowd.stub.read_requests("create_study")[-1]["body"])
    assert {"filter_id": "previous_studies_blocklist", "selected_values": [earlier]} in body["filters"]


def test_where_no_filter_excludes_people_by_id_the_price_says_how_many_are_turned_away(crowd: Crowd) -> None:
    crowd.publish()
    person = crowd.finish(1)
    requirement = {
        "QualificationTypeId": mark_of(crowd.lab),
        "Comparator": "DoesNotExist",
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    }
    crowd.lab.client.associate_qualification_with_worker(
        QualificationTypeId=requirement["QualificationTypeId"], WorkerId=person.worker_id, SendNotification=False
    )
    again = KEYWORDS.replace(TAG, "again")
    crowd.lab.hit(Keywords=again, MaxAssignments=9, Reward="1.00", QualificationRequirements=[requirement])
    channel = crowd.service.create_channel(Study="again", Kind="prolific", Name="second")["ChannelId"]
    warned = []
    for missing, excludes in (([], False), (["custom_blocklist"], False), (["custom_blocklist"], True)):
        crowd.stub.change_settings(missing_filters=missing)
        crowd.complete_draft(channel, ExcludesEarlier=excludes)
        quote = crowd.service.quote_prolific_study(ChannelId=channel)
        assert quote["Problems"] == []
        warned.append([words for words in quote["Warnings"] if "exclude 1 person of your earlier studies" in words])
    assert [len(words) for words in warned] == [0, 1, 0], "everybody of earlier studies is excluded at last"


def test_who_does_not_agree_returns_to_prolific_with_the_code_for_that(crowd: Crowd) -> None:
    channel = crowd.publish()
    crowd.service.update_channel(ChannelId=channel, Consent="You rate texts.")
    page = crowd.guest().press(crowd.stub.arrive(1, crowd.study)["address"], "decline")
    address = page.text.partition('href="https://app.prolific.com/submissions/complete?cc=')[2]
    crowd.stub.complete(1, address.partition('"')[0])
    crowd.run()
    (row,) = crowd.submissions(channel)
    assert row["Path"] == "no-consent"
    assert row["ReturnRequestedAt"]


PHONE = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/130.0.0.0 Mobile Safari/537.36"
COMPUTER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36"


def test_who_comes_with_an_unsuitable_device_returns_to_prolific_with_the_code_for_that(crowd: Crowd) -> None:
    channel = crowd.publish(Devices=["desktop"])
    address = crowd.stub.arrive(1, crowd.study)["address"]
    page = crowd.guest().browser.get(address, headers={"User-Agent": PHONE})
    assert (page.status_code, reason(page)) == (403, "device")
    code = page.text.partition('href="https://app.prolific.com/submissions/complete?cc=')[2].partition('"')[0]
    # A computer, and a browser that says nothing, come in.
    for headers in ({"User-Agent": COMPUTER}, {"User-Agent": "Mozilla/5.0 (Macintosh)"}, {}):
        assert reason(crowd.guest().browser.get(address, headers=headers)) == "welcome"
    crowd.stub.complete(1, code)
    crowd.run()
    (row,) = crowd.submissions(channel)
    assert row["Path"] == "device"
    assert row["ReturnRequestedAt"]
    assert not Assignment.objects.exists()


def test_one_browser_lets_two_people_in_and_is_noted(crowd: Crowd) -> None:
    tasks(crowd.lab, 1, Reward="1.00", Keywords=f"{KEYWORDS}, assay:device")
    crowd.publish_draft()
    browser = crowd.guest()
    for number in (1, 2):
        person = browser.enter(crowd.stub.arrive(number, crowd.study)["address"])
        crowd.finish(number, person=person)
    # By a link that names nobody this browser is known. Another person starts from its page.
    link = crowd.service.create_channel(Study=TAG, Kind="link", Name="class")["Link"]
    assert browser.open(link) == "already"
    assert reason(browser.press(link, "another")) == "welcome"
    third = browser.enter(link)
    third.do({"HITId": third.offers()[0]})
    assert Participant.objects.count() == 3
    codes = AssignmentDevice.objects.values_list("code", flat=True)
    assert (len(codes), len(set(codes))) == (3, 1)


@pytest.mark.database
def test_after_the_retention_date_a_returning_id_is_a_new_person_in_every_channel(crowd: Crowd) -> None:
    crowd.publish()
    crowd.finish(1)
    crowd.run()
    pid = ParticipantIdentity.objects.get().external_id
    link = crowd.service.create_channel(Study=TAG, Kind="link", Name="panel", IdParameters=["PROLIFIC_PID"])["Link"]
    people = crowd.service.create_channel(Study=TAG, Kind="list", Name="list")["ChannelId"]
    mail = [{"Email": f"{pid}@email.prolific.com"}]
    (invited,) = crowd.service.invite_people(ChannelId=people, People=mail)["Invited"]
    address = crowd.stub.read_facts()["submissions"][0]["id"]
    known = [crowd.guest().open(f"{link}?PROLIFIC_PID={pid}"), crowd.guest().open(invited["Link"])]
    assert set(known) <= {"already", "other-link"}
    Channel.objects.filter(kind="prolific").update(retain_until=clock.now())
    retention.purge(now=clock.now() + timedelta(days=1), dry_run=False)
    assert crowd.guest().open(f"{link}?PROLIFIC_PID={pid}") == "welcome"
    assert crowd.guest().open(invited["Link"]) not in known
    # Nothing that was derived from the id is left either: neither it nor the session is in any row.
    assert not ParticipantIdentity.objects.filter(channel__kind="prolific").exists()
    assert not ProlificIdentity.objects.filter(session_id=address).exists()


def test_who_enters_a_wrong_code_or_submits_nothing_is_noted(crowd: Crowd) -> None:
    channel = crowd.publish()
    crowd.arrive(1)
    crowd.stub.complete(1, "GUESSED")
    crowd.stub.arrive(2, crowd.study)
    crowd.stub.complete(2, None)
    crowd.run()
    rows = crowd.submissions(channel)
    assert [row["Path"] for row in rows] == ["unknown code", ""]
    assert [row["Note"] for row in rows] == ["No answers were submitted here."] * 2


def test_what_is_new_at_prolific_is_shown_and_never_fatal(crowd: Crowd) -> None:
    crowd.stub.change_settings(has_unknown_fields=True, has_unknown_filters=True)
    channel = crowd.publish()
    crowd.finish(1)
    crowd.stub.decide(crowd.stub.read_facts()["submissions"][0]["id"], "UNDER DISPUTE")
    crowd.stub.set_study_status(crowd.study, "HIBERNATING")
    crowd.run()
    known = crowd.read(channel)
    assert known["Status"] == "hibernating"
    fields = {row["Name"]: row["Value"] for row in known["UnknownFields"]}
    assert fields == {"field_of_next_year": '{"nested": ["value"]}', "submission.field_of_next_year": ""}
    assert crowd.submissions(channel)[0]["Note"] == "Prolific says UNDER DISPUTE, which is not known here."
    kinds = {row["Kind"] for row in crowd.service.list_prolific_filters()["Filters"]}
    assert kinds == {"select", "range", "constellation"}


def test_a_return_is_asked_for_and_a_study_is_paused_enlarged_and_stopped(crowd: Crowd) -> None:
    channel = crowd.publish()
    crowd.finish(1)
    crowd.run()
    ((work,),) = [row["AssignmentIds"] for row in crowd.submissions(channel)]
    crowd.service.request_prolific_return(AssignmentId=work, Reasons=["Your answers are empty."])
    assert "more" in refusal(crowd.service.add_prolific_places, ChannelId=channel, Places=3)
    crowd.service.add_prolific_places(ChannelId=channel, Places=6)
    crowd.service.pause_prolific_study(ChannelId=channel)
    crowd.run()
    assert crowd.read(channel)["Status"] == "paused"
    assert crowd.stub.read_facts()["studies"][0]["total_available_places"] == 6
    assert crowd.submissions(channel)[0]["ReturnRequestedAt"]
    crowd.service.start_prolific_study(ChannelId=channel)
    crowd.run()
    # Nobody is sent to a closed door.
    for act, status in ((crowd.service.close_channel, "paused"), (crowd.service.reopen_channel, "active")):
        act(ChannelId=channel)
        crowd.run()
        assert crowd.read(channel)["Status"] == status
    address = crowd.stub.arrive(2, crowd.study)["address"]
    crowd.service.stop_prolific_study(ChannelId=channel)
    crowd.run()
    assert crowd.read(channel)["Status"] == "completed"
    assert crowd.guest().open(address) == "closed"


@pytest.mark.database
def test_nobody_takes_part_by_prolific_and_by_another_channel(crowd: Crowd) -> None:
    crowd.publish()
    crowd.finish(1)
    pid = ParticipantIdentity.objects.get().external_id
    link = crowd.service.create_channel(Study=TAG, Kind="link", Name="panel", IdParameters=["PROLIFIC_PID"])["Link"]
    assert crowd.guest().open(f"{link}?PROLIFIC_PID={pid}") in {"already", "other-link"}
    other = crowd.stub.arrive(2, crowd.study)
    crowd.guest().enter(f"{link}?PROLIFIC_PID={other['participant_id']}")
    assert crowd.guest().open(other["address"]) in {"already", "other-link"}
    # A list that has people by the address at which Prolific takes mail for them.
    third = crowd.stub.arrive(3, crowd.study)
    people = crowd.service.create_channel(Study=TAG, Kind="list", Name="list")["ChannelId"]
    (invited,) = crowd.service.invite_people(
        ChannelId=people, People=[{"Email": f"{third['participant_id']}@email.prolific.com"}]
    )["Invited"]
    crowd.guest().enter(invited["Link"])
    assert crowd.guest().open(third["address"]) == "other-link"


def test_an_account_that_took_part_does_not_come_by_prolific_too(crowd: Crowd, ann: Person) -> None:
    crowd.publish()
    crowd.service.create_channel(Study=TAG, Kind="accounts", Name="accounts")
    address = crowd.stub.arrive(1, crowd.study)["address"]
    assert reason(ann.site.get(address)) == "welcome"
    ann.do({"HITId": ann.offers()[0]})
    assert reason(ann.site.get(address)) == "already"


def test_a_rejection_that_prolific_knows_is_not_restored_here_alone(crowd: Crowd) -> None:
    channel = crowd.publish()
    crowd.finish(1)
    crowd.run()
    ((work,),) = [row["AssignmentIds"] for row in crowd.submissions(channel)]
    crowd.service.reject_prolific_work(AssignmentId=work, RequesterFeedback=REASON, Category="LOW_EFFORT")
    crowd.run()
    approve = crowd.lab.client.approve_assignment
    assert "restores no rejection" in refusal(approve, AssignmentId=work, OverrideRejection=True)


def test_ids_are_in_the_vault_alone_until_their_date(crowd: Crowd, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    channel = crowd.publish()
    crowd.finish(1)
    crowd.stub.add_fault("list_submissions", "fail_after_effect")
    crowd.run()
    crowd.run()
    (row,) = crowd.stub.read_facts()["submissions"]
    session = row["id"]
    assert ProlificIdentity.objects.get().session_id == session
    vault = {ParticipantIdentity, ProlificIdentity}
    assert {model for model in apps.get_models() for key in (session, row["participant_id"]) if holds(model, key)} == (
        vault
    )
    said = str([crowd.read(channel), crowd.submissions(channel), list(ProlificAction.objects.values())])
    lines = [line.getMessage() for line in caplog.records if line.name.startswith(("annotation", "httpx"))]
    assert session not in said
    assert not [line for line in lines if session in line]
    Channel.objects.update(retain_until=clock.now() + timedelta(days=1))
    retention.purge(now=clock.now() + timedelta(days=2), dry_run=False)
    crowd.run(minutes=5)
    left = [model for model in apps.get_models() for key in (session, row["participant_id"]) if holds(model, key)]
    assert left == []


def test_a_repetition_for_the_same_people_is_open_to_them_alone(crowd: Crowd) -> None:
    crowd.publish()
    person = crowd.finish(1)
    requirement = {
        "QualificationTypeId": mark_of(crowd.lab),
        "Comparator": "Exists",
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    }
    again = KEYWORDS.replace(TAG, "again")
    crowd.lab.hit(Keywords=again, MaxAssignments=9, Reward="1.00", QualificationRequirements=[requirement])
    channel = crowd.service.create_channel(Study="again", Kind="prolific", Name="second")["ChannelId"]
    crowd.complete_draft(channel, ExcludesEarlier=True)
    quote = crowd.service.quote_prolific_study(ChannelId=channel)
    assert any("none of them came from Prolific" in problem for problem in quote["Problems"])
    crowd.lab.client.associate_qualification_with_worker(
        QualificationTypeId=requirement["QualificationTypeId"], WorkerId=person.worker_id, SendNotification=False
    )
    crowd.request(channel)
    crowd.run()
    body = json.loads(crowd.stub.read_requests("create_study")[-1]["body"])
    (external_id,) = ParticipantIdentity.objects.filter(participant__worker__worker_id=person.worker_id).values_list(
        "external_id", flat=True
    )
    assert body["filters"][-1] == {"filter_id": "custom_allowlist", "selected_values": [external_id]}
    assert not any(row["filter_id"].endswith("blocklist") for row in body["filters"])


def holds(model: type[Model], key: str) -> bool:
    """Whether a row of the table holds an id in any column."""
    return key in str(list(model._base_manager.values()))


def test_earlier_participants_are_excluded_by_their_group(crowd: Crowd) -> None:
    crowd.publish()
    crowd.finish(1)
    crowd.lab.hit(Keywords=KEYWORDS.replace(TAG, "autumn"), MaxAssignments=9, Reward="1.00")
    channel = crowd.service.create_channel(Study="autumn", Kind="prolific", Name="second")["ChannelId"]
    crowd.complete_draft(channel, ExcludesEarlier=True)
    crowd.request(channel)
    crowd.run()
    body = json.loads(crowd.stub.read_requests("create_study")[-1]["body"])
    (group,) = [row for row in crowd.stub.read_facts()["groups"] if row["participant_ids"]]
    assert {"filter_id": "participant_group_blocklist", "selected_values": [group["id"]]} in body["filters"]
