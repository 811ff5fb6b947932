"""A worker answers a rejection: once, in words, to whoever asked to be told of it."""

from __future__ import annotations

import csv
import io
import json
import re
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from django.core import mail
from django.utils import timezone
from lxml import html

from annotation.accounts.models import User
from annotation.marketplace.models import Document, Event, QueueMessage, Reply, WorkerAccount
from annotation.marketplace.notifications.delivery import deliver
from tests.marketplace.people import Lab, Person, reason
from tests.marketplace.receiver import EVERY_EVENT, Queue

ANSWERED = "RejectionAnswered"
WORDS = "I read every text twice.\nPlease look at the third again."
DAY = 86_400


@pytest.fixture
def rejected(lab: Lab, ann: Person, queue: Queue) -> str:
    """Work of ann's that the lab rejected; it has asked to be told of answers only."""
    return reject(lab, ann, queue)


def reject(lab: Lab, who: Person, queue: Queue | None = None, *asked: str, **changes: object) -> str:
    hit = lab.hit(**changes)
    if queue is not None:
        told = queue.asked(*(asked or (ANSWERED,)))
        lab.client.update_notification_settings(HITTypeId=hit["HITTypeId"], Notification=told)
    work = who.do(hit)
    lab.client.reject_assignment(AssignmentId=work, RequesterFeedback="All the same answer.")
    return work


def answer(who: Person, work: str, text: str) -> httpx.Response:
    fields = {"csrfmiddlewaretoken": who.site.cookies.get("csrftoken", ""), "text": text}
    return who.site.post(f"{who.origin}/hits/work/{work}/answer/", data=fields)


def answered(who: Person, work: str, text: str = WORDS) -> None:
    page = who.get(f"/hits/work/{work}/done/")
    assert "Answer this rejection" in page.text
    after = answer(who, work, text)
    assert (after.status_code, after.url.path) == (200, f"/hits/work/{work}/done/")


@pytest.mark.database
def test_an_answer_comes_through_the_queue_with_its_words_and_nothing_about_the_person(lab, ann, queue, rejected):
    assert queue.documents() == []
    answered(ann, rejected)
    (document,) = queue.documents()
    (event,) = document["Events"]
    assert (event["EventType"], event["AssignmentId"], event["Reply"]) == (ANSWERED, rejected, WORDS)
    assert set(event) == {"EventType", "EventTimestamp", "HITId", "AssignmentId", "HITTypeId", "Reply"}
    assert ann.worker_id not in json.dumps(document)


def test_the_page_and_the_history_show_it_with_its_date_and_ask_no_more(ann, rejected):
    answered(ann, rejected, "I read <b>it</b>.")
    for page in (f"/hits/work/{rejected}/done/", "/hits/history/"):
        text = ann.get(page).text
        assert "I read &lt;b&gt;it&lt;/b&gt;." in text
        assert "You answered, " in text
        assert "Answer this rejection" not in text


def test_the_history_leads_to_the_form(ann, rejected):
    page = html.fromstring(ann.get("/hits/history/").content)
    (link,) = [one.get("href") for one in page.iter("a") if one.text == "Answer this rejection"]
    assert link == f"/hits/work/{rejected}/done/#answer"
    assert html.fromstring(ann.get(link).content).xpath("//*[@id='answer']")


def test_the_download_holds_it_and_no_spreadsheet_runs_it(ann, rejected):
    answered(ann, rejected, "=1+1")
    (row,) = csv.DictReader(io.StringIO(ann.get("/hits/history/download/").text))
    assert row["answer"] == "'=1+1"
    assert row["answered_at"].startswith(f"{Reply.objects.get().sent_at:%Y-%m-%dT%H:%M}")


def test_the_first_answer_stands_and_the_same_again_changes_nothing(ann, queue, rejected):
    answered(ann, rejected)
    assert answer(ann, rejected, WORDS).status_code == 200
    other = answer(ann, rejected, "Something else")
    assert (other.status_code, reason(other)) == (409, "answered")
    assert Reply.objects.get().text == WORDS
    assert queue.kinds() == [ANSWERED]


@pytest.mark.database
def test_of_answers_sent_at_one_moment_one_is_taken_and_told(ann, queue, rejected):
    ann.get(f"/hits/work/{rejected}/done/")
    with ThreadPoolExecutor(6) as several:
        codes = list(several.map(lambda number: answer(ann, rejected, f"Number {number}").status_code, range(6)))
    assert sorted(codes) == [200, *[409] * 5]
    (event,) = queue.events()
    assert event["Reply"] == Reply.objects.get().text


@pytest.mark.parametrize(
    "words",
    [
        "x" * 1000,
        "é\r\n" * 500,
        "שלום \u202eabc",
        "👩🏽‍🔬" * 100,
        "\U0001f600" * 1000,
        "'; DROP TABLE x; --",
        "{{ 7|add:7 }}",
    ],
)
@pytest.mark.database
def test_odd_words_arrive_as_they_were_written(ann, queue, rejected, words):
    answered(ann, rejected, words)
    (event,) = queue.events()
    assert event["Reply"] == words.replace("\r\n", "\n").strip()
    assert len(max(QueueMessage.objects.values_list("body", flat=True), key=len, default="")) < 256 * 1024


@pytest.mark.parametrize("words", ["", "   \r\n\t ", "\u200b\u200e\u00a0", "x\x00y", "\x00", "x" * 1001])
def test_what_is_no_answer_is_refused_beside_the_box_and_nothing_is_stored(ann, queue, rejected, words):
    after = answer(ann, rejected, words)
    assert after.status_code == 422
    page = html.fromstring(after.content)
    assert page.xpath("//*[contains(@class, 'field wrong')]//textarea[@name='text']")
    assert page.xpath("//*[@role='alert']//a[@href='#id_text']")
    assert not Reply.objects.exists()
    assert queue.kinds() == []


def test_what_was_typed_stands_in_the_box_when_it_was_too_long(ann, rejected):
    after = answer(ann, rejected, "y" * 1001)
    assert html.fromstring(after.content).xpath("string(//textarea)").strip() == "y" * 1001


def test_who_subscribed_to_everything_of_mechanical_turk_is_not_surprised(lab, ann, queue):
    work = reject(lab, ann, queue, *EVERY_EVENT)
    assert ANSWERED not in queue.asked()["EventTypes"]
    assert "You cannot reply to this requester here" in ann.get(f"/hits/work/{work}/done/").text
    after = answer(ann, work, WORDS)
    assert (after.status_code, reason(after)) == (409, "unheard")
    assert not Reply.objects.exists()
    assert ANSWERED not in queue.kinds()


def test_without_a_subscription_it_is_mailed_to_the_requesters_own_address(lab, ann):
    User.objects.filter(username="lab").update(email="lab@example.org")
    work = reject(lab, ann)
    answered(ann, work)
    deliver(clock=timezone.now)
    (sent,) = mail.outbox
    assert sent.to == ["lab@example.org"]
    assert sent.subject == f"Your HITs: {ANSWERED}"
    assert f"\n{WORDS}\n" in sent.body
    assert f"AssignmentId={work}" in sent.body
    assert ann.worker_id not in sent.body


def test_a_subscription_by_mail_gets_it_there(lab, ann):
    hit = lab.hit()
    asked = {"Destination": "x@example.org", "Transport": "Email", "Version": "2014-08-15", "EventTypes": [ANSWERED]}
    lab.client.update_notification_settings(HITTypeId=hit["HITTypeId"], Notification=asked)
    deliver(clock=timezone.now)
    (question,) = mail.outbox
    httpx.post(re.findall(r"http\S+/sns/mail/confirm/\S+", question.body)[0], trust_env=False)
    work = ann.do(hit)
    lab.client.reject_assignment(AssignmentId=work, RequesterFeedback="no")
    answered(ann, work)
    deliver(clock=timezone.now)
    assert [one.to for one in mail.outbox[1:]] == [["x@example.org"]]


def test_each_answer_comes_in_a_message_of_its_own(lab, sign_in, queue):
    people = [sign_in(name) for name in ("bea", "cy")]
    for one in people:
        answered(one, reject(lab, one, queue), f"I am {one.worker_id[:2]}")
    assert [len(document["Events"]) for document in queue.documents()] == [1, 1]


def test_only_a_rejection_that_can_still_change_can_be_answered(lab, ann, queue, rejected, pass_time):
    waits = ann.do(lab.hit(Title="Waits"))
    assert reason(answer(ann, waits, WORDS)) == "final"
    approved = reject(lab, ann, queue, Title="Approved after all")
    lab.client.approve_assignment(AssignmentId=approved, OverrideRejection=True)
    assert reason(answer(ann, approved, WORDS)) == "final"
    pass_time(30 * DAY + 60)
    assert "The decision is final." in ann.get(f"/hits/work/{rejected}/done/").text
    late = answer(ann, rejected, WORDS)
    assert (late.status_code, reason(late)) == (409, "final")
    assert not Reply.objects.exists()


def test_a_rejection_of_a_deleted_hit_is_final(lab, ann, queue):
    hit = lab.hit(MaxAssignments=1)
    lab.client.update_notification_settings(HITTypeId=hit["HITTypeId"], Notification=queue.asked(ANSWERED))
    work = ann.do(hit)
    lab.client.reject_assignment(AssignmentId=work, RequesterFeedback="no")
    lab.client.delete_hit(HITId=hit["HITId"])
    assert reason(answer(ann, work, WORDS)) == "final"


def test_after_an_approval_the_answer_is_still_shown(lab, ann, rejected):
    answered(ann, rejected)
    lab.client.approve_assignment(AssignmentId=rejected, OverrideRejection=True)
    page = ann.get(f"/hits/work/{rejected}/done/").text
    assert "Your work was approved" in page
    assert "I read every text twice." in page


def test_nobody_answers_for_another_and_nobody_without_signing_in(site, ann, sign_in, rejected):
    bob = sign_in("bob")
    bob.get("/hits/account/")
    assert answer(bob, rejected, WORDS).status_code == 404
    with httpx.Client(trust_env=False) as stranger:
        stranger.get(f"{site}/hits/sign-in/")
        fields = {"csrfmiddlewaretoken": stranger.cookies.get("csrftoken", ""), "text": WORDS}
        answer_of = stranger.post(f"{site}/hits/work/{rejected}/answer/", data=fields)
    assert answer_of.status_code == 302
    assert "/sign-in/" in answer_of.headers["location"]
    assert not Reply.objects.exists()


def test_without_the_token_of_the_form_nothing_is_taken(ann, rejected):
    sent = ann.site.post(f"{ann.origin}/hits/work/{rejected}/answer/", data={"text": WORDS})
    assert sent.status_code == 403
    assert not Reply.objects.exists()


def test_whoever_tries_too_often_waits(ann, rejected):
    answered(ann, rejected)
    tries = [answer(ann, rejected, f"again {number}").status_code for number in range(20)]
    assert tries == [409] * 19 + [429]


@pytest.mark.database
def test_it_goes_with_the_account_and_so_does_what_was_not_read_yet(lab, ann, queue, rejected):
    answered(ann, rejected)
    # Told, but not taken from the queue for good.
    assert [
        message["Body"] for message in queue.receive(VisibilityTimeout=0) if WORDS.split("\n")[0] in message["Body"]
    ]
    page = ann.get("/hits/account/delete/").text
    assert "answers to rejections" in page
    token = page.split('csrfmiddlewaretoken" value="')[1].split('"')[0]
    ann.site.post(f"{ann.origin}/hits/account/delete/", data={"csrfmiddlewaretoken": token, "sure": "on"})
    assert WorkerAccount.objects.get().closed_at is not None
    assert not Reply.objects.exists()
    assert not Document.objects.exists()
    assert not QueueMessage.objects.exists()
    assert queue.documents() == []


def test_what_is_erased_before_it_was_told_is_never_told(ann, queue, rejected):
    answered(ann, rejected)
    assert Event.objects.get().document is None
    token = html.fromstring(ann.get("/hits/your-data/").content).xpath("string(//strong[contains(@class, 'code')])")
    fields = {"csrfmiddlewaretoken": ann.site.cookies["csrftoken"], "token": token, "sure": "1"}
    assert reason(ann.site.post(f"{ann.origin}/hits/withdraw/", data=fields)) == "withdrawn"
    assert not Reply.objects.exists()
    assert queue.documents() == []


def test_a_test_event_of_it_says_that_it_is_one(lab, queue):
    lab.client.send_test_event_notification(Notification=queue.asked("HITCreated"), TestEventType=ANSWERED)
    (event,) = queue.events()
    assert (event["EventType"], event["Reply"]) == (ANSWERED, "This is a test.")
    assert event["AssignmentId"] == "3" + 29 * "0"


def test_an_answer_is_no_part_of_what_mechanical_turk_answered(lab, ann, rejected):
    """Other people's clients see an assignment as it was."""
    before = lab.client.get_assignment(AssignmentId=rejected)["Assignment"]
    answered(ann, rejected)
    assert lab.client.get_assignment(AssignmentId=rejected)["Assignment"] == before
