"""Settings of notifications, and the events of a HIT's life (specification 3.5; cases 71 to 73)."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from django.core import mail
from django.db import transaction
from django.utils import timezone

from annotation.marketplace.assignments import accept_submit as work
from annotation.marketplace.core import clock
from annotation.marketplace.models import Document, Event, Hit, Requester, WorkerAccount
from annotation.marketplace.notifications.delivery import deliver
from annotation.marketplace.notifications.endpoints import queue_url, register_queue
from tests.marketplace.receiver import EVERY_EVENT

TYPE = {"Title": "Rate", "Description": "Read and rate.", "Reward": "0.50", "AssignmentDurationInSeconds": 60}


@pytest.fixture
def told_type(lab, queue):
    """The id of a HIT type of which everything is told."""
    type_id = lab.client.create_hit_type(**TYPE)["HITTypeId"]
    lab.client.update_notification_settings(HITTypeId=type_id, Notification=queue.asked(), Active=True)
    return type_id


@pytest.fixture
def told_hit(lab, told_type):
    """Makes HITs of that type."""

    def made(**changes: object) -> dict:
        return lab.hit(**TYPE, AutoApprovalDelayInSeconds=None, **changes)

    return made


@pytest.mark.database
def test_settings_need_a_specification_or_a_switch(lab, told_type):
    """Case 71: neither Notification nor Active."""
    assert lab.refused("update_notification_settings", HITTypeId=told_type)[0] == "ParameterValidationError"


@pytest.mark.database
def test_a_switch_needs_something_to_switch(lab):
    """Case 71: Active only, without a specification."""
    type_id = lab.client.create_hit_type(**TYPE)["HITTypeId"]
    code, _ = lab.refused("update_notification_settings", HITTypeId=type_id, Active=True)
    assert code == "ParameterValidationError"


def test_a_type_is_told_of_until_it_is_switched_off(lab, queue, told_type, told_hit):
    told_hit()
    assert queue.kinds() == ["HITCreated"]
    lab.client.update_notification_settings(HITTypeId=told_type, Active=False)
    told_hit()
    assert queue.kinds() == []
    lab.client.update_notification_settings(HITTypeId=told_type, Active=True)
    told_hit()
    assert queue.kinds() == ["HITCreated"]


def test_a_new_specification_replaces_the_old_and_leaves_the_switch(lab, queue, told_type, told_hit):
    lab.client.update_notification_settings(HITTypeId=told_type, Active=False)
    lab.client.update_notification_settings(HITTypeId=told_type, Notification=queue.asked("AssignmentSubmitted"))
    told_hit()
    lab.client.update_notification_settings(HITTypeId=told_type, Active=True)
    told_hit()
    assert Event.objects.count() == 0


def test_only_the_events_asked_for_are_told(lab, queue, ann, told_type, told_hit):
    only = queue.asked("AssignmentSubmitted", "HITReviewable", Version="2006-05-05")
    lab.client.update_notification_settings(HITTypeId=told_type, Notification=only)
    ann.do(told_hit())
    documents = queue.documents()
    told = [event["EventType"] for document in documents for event in document["Events"]]
    assert told == ["AssignmentSubmitted", "HITReviewable"]
    assert {document["EventDocVersion"] for document in documents} == {"2006-05-05"}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"Version": "2020-01-01"}, "ParameterValidationError"),
        ({"EventTypes": []}, "ParameterValidationError"),
        ({"EventTypes": ["Ping"]}, "ParameterValidationError"),
        ({"EventTypes": ["HITLost"]}, "ParameterValidationError"),
        ({"Transport": "Pigeon"}, "ParameterValidationError"),
        ({"Transport": "SNS"}, "InvalidTransportEndpoint"),
        ({"Transport": "Email"}, "InvalidTransportEndpoint"),
        ({"Destination": "http://127.0.0.1/sqs/000000000000/events"}, "InvalidTransportEndpoint"),
        ({"Destination": "\x00"}, "ParameterValidationError"),
    ],
)
def test_a_specification_that_cannot_be_is_refused(lab, queue, told_type, changes, code):
    wrong = queue.asked() | changes
    assert lab.refused("update_notification_settings", HITTypeId=told_type, Notification=wrong)[0] == code


def test_what_belongs_to_another_requester_cannot_be_used(open_lab, lab, queue, told_type):
    rival = open_lab("rival")
    code, _ = rival.refused("update_notification_settings", HITTypeId=told_type, Active=False)
    assert code == "PermissionDeniedException"
    own_type = rival.client.create_hit_type(**TYPE)["HITTypeId"]
    foreign = {"HITTypeId": own_type, "Notification": queue.asked()}
    assert rival.refused("update_notification_settings", **foreign)[0] == "InvalidTransportEndpoint"
    test = {"Notification": queue.asked(), "TestEventType": "Ping"}
    assert rival.refused("send_test_event_notification", **test)[0] == "InvalidTransportEndpoint"


@pytest.mark.parametrize("kind", ["Ping", *EVERY_EVENT])
def test_a_test_event_comes_whatever_the_specification_asks_for(lab, queue, kind):
    """Case 72."""
    other = "HITCreated" if kind != "HITCreated" else "HITExpired"
    lab.client.send_test_event_notification(Notification=queue.asked(other), TestEventType=kind)
    (event,) = queue.events()
    assert event["EventType"] == kind
    assert ("HITId" in event) is (kind != "Ping")
    assert ("AssignmentId" in event) is kind.startswith("Assignment")
    if "HITId" in event:
        assert lab.refused("get_hit", HITId=event["HITId"])[0] == "HITDoesNotExist"


def test_everything_that_happens_is_told_once(lab, queue, people, pass_time, told_hit):
    """Case 73: accept, return, abandon, submit, approve, reject, create, extend, expire, reviewable, dispose."""
    ann, bob, cid = people(3)
    hit = told_hit(MaxAssignments=3, LifetimeInSeconds=3600)
    ann.give_back(ann.take(hit))
    bob.take(hit)
    pass_time(61)
    good, bad = ann.do(hit), cid.do(hit)
    lab.client.create_additional_assignments_for_hit(HITId=hit["HITId"], NumberOfAdditionalAssignments=1)
    lab.client.approve_assignment(AssignmentId=good)
    lab.client.reject_assignment(AssignmentId=bad, RequesterFeedback="empty")
    pass_time(3600)
    lab.client.delete_hit(HITId=hit["HITId"])
    events = queue.events()
    assert Counter(event["EventType"] for event in events) == {
        "HITCreated": 1, "AssignmentAccepted": 4, "AssignmentReturned": 1, "AssignmentAbandoned": 1,
        "AssignmentSubmitted": 2, "HITExtended": 1, "AssignmentApproved": 1, "AssignmentRejected": 1,
        "HITExpired": 1, "HITReviewable": 1, "HITDisposed": 1,
    }  # fmt: skip
    assert {event["HITId"] for event in events} == {hit["HITId"]}
    assert {event["HITTypeId"] for event in events} == {hit["HITTypeId"]}
    decided = {event["EventType"]: event["AssignmentId"] for event in events if "AssignmentId" in event}
    assert (decided["AssignmentApproved"], decided["AssignmentRejected"]) == (good, bad)
    assert queue.events() == []


def test_an_event_carries_the_moment_at_which_it_happened(lab, queue, pass_time, told_hit):
    """An expiry found an hour later is told as of the expiry."""
    expiration = told_hit(LifetimeInSeconds=60)["Expiration"].astimezone(UTC)
    pass_time(3660)
    lab.balance()
    times = {event["EventType"]: datetime.fromisoformat(event["EventTimestamp"]) for event in queue.events()}
    assert times["HITExpired"] == times["HITReviewable"] == expiration.replace(microsecond=0)
    assert times["HITCreated"] == (expiration - timedelta(seconds=60)).replace(microsecond=0)


@pytest.mark.parametrize(("inside", "told"), [(0, ["HITExpired", "HITReviewable"]), (1, ["HITExpired"])])
def test_expiring_a_hit_by_hand_is_told(lab, queue, ann, told_hit, inside, told):
    """Case 31: HITExpired and HITReviewable events; the second only when the last worker has left (case 32)."""
    hit = told_hit(MaxAssignments=2)
    task = ann.take(hit) if inside else None
    queue.documents()
    lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    assert queue.kinds() == told
    if task:
        ann.hand_in(task)
        assert queue.kinds() == ["AssignmentSubmitted", "HITReviewable"]


def test_a_later_expiration_is_told_as_an_extension(lab, queue, told_hit):
    hit = told_hit()
    lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=datetime.now(UTC) + timedelta(days=3))
    assert queue.kinds() == ["HITCreated", "HITExtended"]


def test_approval_and_disposal_by_time_are_told(lab, queue, ann, pass_time):
    type_id = lab.client.create_hit_type(**TYPE, AutoApprovalDelayInSeconds=120)["HITTypeId"]
    lab.client.update_notification_settings(HITTypeId=type_id, Notification=queue.asked())
    ann.do(lab.hit(**TYPE, AutoApprovalDelayInSeconds=120))
    queue.documents()
    pass_time(130)
    lab.balance()
    assert queue.kinds() == ["AssignmentApproved"]
    pass_time(121 * 86_400)
    lab.balance()
    assert queue.kinds() == ["HITDisposed"]


def test_a_refused_call_tells_of_nothing(lab, queue, told_hit):
    hit = told_hit(MaxAssignments=9)
    lab.refused("create_additional_assignments_for_hit", HITId=hit["HITId"], NumberOfAdditionalAssignments=1)
    lab.refused("delete_hit", HITId=hit["HITId"])
    assert queue.kinds() == ["HITCreated"]


def test_what_is_rolled_back_is_not_told(lab, queue, told_hit):
    """The event is written in the transaction that causes it."""
    hit = Hit.objects.get(hit_id=told_hit()["HITId"])
    ann = WorkerAccount.objects.create(name="ann", created_at=clock.now())
    with transaction.atomic():
        work.accept(hit.hit_id, worker=ann, now=clock.now())
        assert Event.objects.filter(event_type="AssignmentAccepted").exists()
        transaction.set_rollback(True)
    assert queue.kinds() == ["HITCreated"]


def test_events_for_one_receiver_come_in_one_document(lab, queue, told_hit):
    for _ in range(3):
        told_hit()
    (document,) = queue.documents()
    assert [event["EventType"] for event in document["Events"]] == ["HITCreated"] * 3
    assert set(document) == {"Events", "EventDocId", "SourceAccount", "CustomerId", "EventDocVersion"}
    assert len(document["SourceAccount"]) == 12
    assert document["EventDocVersion"] == "2014-08-15"


def test_no_document_has_more_than_a_hundred_events(lab, queue, told_hit):
    for _ in range(101):
        told_hit()
    documents = queue.documents()
    assert sorted(len(document["Events"]) for document in documents) == [1, 100]
    assert len({event["HITId"] for document in documents for event in document["Events"]}) == 101


def test_events_go_where_the_settings_said_when_they_happened(lab, queue, told_type, told_hit):
    told_hit()
    other = register_queue(Requester.objects.get(), "other", now=timezone.now())
    elsewhere = queue.asked(Destination=queue_url(other))
    lab.client.update_notification_settings(HITTypeId=told_type, Notification=elsewhere)
    told_hit()
    assert queue.kinds() == ["HITCreated"]


def test_mail_names_the_events_and_their_ids(lab, told_type, told_hit):
    by_mail = {
        "Destination": "lab@example.org",
        "Transport": "Email",
        "Version": "2006-05-05",
        "EventTypes": ["HITCreated"],
    }
    lab.client.update_notification_settings(HITTypeId=told_type, Notification=by_mail)
    hit = told_hit()
    assert deliver(clock=timezone.now).sent == 1
    question = mail.outbox.pop()
    assert (question.to, "HITCreated" in question.body) == (["lab@example.org"], False)
    (page,) = re.findall(r"http\S+/sns/mail/confirm/\S+", question.body)
    # What follows the links of a mail confirms nothing; the button does.
    assert "Yes, send them" in httpx.get(page, trust_env=False).text
    assert deliver(clock=timezone.now).sent == 0
    assert "Notifications are sent to this address." in httpx.post(page, trust_env=False).text
    assert deliver(clock=timezone.now).sent == 1
    (message,) = mail.outbox
    assert message.to == ["lab@example.org"]
    assert "HITCreated" in message.subject
    assert hit["HITId"] in message.body
    assert Document.objects.last().doc_id == json.loads(message.body.splitlines()[-1])["EventDocId"]
    (end,) = re.findall(r"http\S+/sns/mail/close/\S+", message.body)
    httpx.get(end, trust_env=False)
    told_hit()
    assert deliver(clock=timezone.now).sent == 1
    assert "No more notifications" in httpx.post(end, trust_env=False).text
    told_hit()
    assert deliver(clock=timezone.now).sent == 0


def test_an_address_is_asked_once_a_day_and_few_addresses_are(open_lab, lab, told_type):
    def by_mail(address: str) -> dict:
        return {"Destination": address, "Transport": "Email", "Version": "2006-05-05", "EventTypes": ["HITCreated"]}

    for number in range(20):
        for _ in range(2):
            lab.client.update_notification_settings(HITTypeId=told_type, Notification=by_mail(f"a{number}@example.org"))
    assert deliver(clock=timezone.now).sent == 20
    code, words = lab.refused(
        "update_notification_settings", HITTypeId=told_type, Notification=by_mail("b@example.org")
    )
    assert (code, "20 new addresses a day" in words) == ("InvalidTransportEndpoint", True)
    mine = {}
    for name in ("r1", "r2", "r3"):
        other = open_lab(name)
        mine = {
            "HITTypeId": other.client.create_hit_type(**TYPE)["HITTypeId"],
            "Notification": by_mail("a1@example.org"),
        }
        if name == "r3":
            assert other.refused("update_notification_settings", **mine)[0] == "InvalidTransportEndpoint"
        else:
            other.client.update_notification_settings(**mine)
