"""A worker's answer to a rejection, the whole way: the worker's page, the notice, the desk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from django.apps import apps
from django.db.models import Q
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from lxml import html

from annotation.accounts.models import User
from annotation.collecting.collect import collect
from annotation.collecting.receive_events import receive_from_queue, store_notice
from annotation.collecting.withdraw import withdraw
from annotation.jobs.celery_tasks import carry_out, look_after
from annotation.marketplace.models import Subscription
from annotation.marketplace.notifications import delivery
from annotation.models import AuditEvent, MarketplaceEvent, Membership, Reply, Study, Submission
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint
from annotation.mturk.sns import Notice, read_events
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from annotation.rehearsal.crowd.browser import Answer, Browser
from annotation.review import queue as review_queue
from annotation.review import reject
from tests.annotation.conftest import told

pytestmark = pytest.mark.django_db(transaction=True)

REASON = "One label was given for all of the texts of this HIT."
WORDS = "I read every text <twice>.\nPlease look again: שלום 😀"
Reviewer = Callable[[str], User]


@pytest.fixture
def endpoint(site: str) -> Endpoint:
    """Our own marketplace, as `conf.endpoint` names it."""
    key = told("create_requester", "lab", "--balance", "100.00")
    return Endpoint(f"{site}/mturk/", key["access_key"], key["secret_key"], provider="assay")


@pytest.fixture
def queue(market: Market, settings: Any) -> str:
    settings.MTURK_QUEUE_URL = told("notification_endpoint", "queue", "events", "--requester", "lab")["url"]
    return settings.MTURK_QUEUE_URL


@pytest.fixture
def reviewer(study: Study) -> Reviewer:
    def made(name: str) -> User:
        user = User.objects.create(username=name)
        Membership.objects.create(study=study, user=user, role="owner")
        return user

    return made


@pytest.fixture
def ann(site: str) -> Iterator[Browser]:
    with ExitStack() as stack:
        yield stack.enter_context(Browser(told("create_worker", "ann")["sign_in_url"]))


def out(study: Study, market: Market, where: str) -> None:
    publish(study, actor="ada", now=timezone.now())
    work(Q(study=study), market=market, clock=timezone.now, queue=where)


def does_one(browser: Browser) -> None:
    browser._home = browser._get(str(browser._home.url))  # what is on offer by now
    sheet = browser.accept(next(iter(browser.offers())))
    browser.hand_in(sheet, [Answer("Typical", 1500)] * len(sheet.fields))


def refused(study: Study, market: Market, ada: User, bea: User) -> Submission:
    """The study's one piece of work, refused by two people, of which the marketplace has been told."""
    collect(study, market=market, now=timezone.now())
    one, now = Submission.objects.get(), timezone.now()
    reject.propose_rejection(study, one, reason=REASON, actor=ada, now=now)
    reject.confirm_rejection(study, one, actor=bea, now=now, window=timedelta(0), beyond_guard=True)
    carry_out(Q(study=study), market)
    return one


def answers(browser: Browser, one: Submission, words: str = WORDS) -> httpx.Response:
    """As a person does it: the page of the assignment, its form, its button."""
    site, origin = browser._site, str(browser._home.url.copy_with(path="/", query=None)).rstrip("/")
    page = html.fromstring(site.get(f"{origin}/hits/work/{one.market_id}/done/").content)
    (form,) = [form for form in page.forms if form.action.endswith("/answer/")]
    return site.post(f"{origin}{form.action}", data={**dict(form.form_values()), "text": words})


def everything_stored() -> str:
    """All rows of the requester side but the vault of workers' ids."""
    models = [one for one in apps.get_app_config("annotation").get_models() if one.__name__ != "WorkerIdentity"]
    return "\n".join(str(row) for model in models for row in model.objects.values_list())


def page_of(user: User, name: str, *parts: object, query: str = "") -> str:
    client = Client()
    client.force_login(user)
    answer = client.get(reverse(f"console:{name}", args=parts) + query)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.database
def test_what_a_worker_answers_stands_on_the_desk_and_is_one_step_from_an_approval(
    study: Study, market: Market, queue: str, reviewer: Reviewer, ann: Browser
):
    ada, bea = reviewer("ada"), reviewer("bea")
    out(study, market, queue)
    does_one(ann)
    one = refused(study, market, ada, bea)
    assert answers(ann, one).status_code == 200
    look_after(study, market)
    kept = Reply.objects.get()
    assert (kept.submission, kept.body, kept.recorded_by) == (one, WORDS, None)
    listed = page_of(ada, "review", study.uuid, query="?state=answered")
    assert one.market_id in listed
    assert "Replies to rejections" in page_of(ada, "review", study.uuid)
    shown = page_of(ada, "review-assignment", study.uuid, one.market_id)
    assert "I read every text &lt;twice&gt;.<br>Please look again: שלום 😀" in shown
    assert "Reverse rejection" in shown
    assert "I read every text &lt;twice&gt;." in page_of(ada, "workers-page", study.uuid, one.worker.pseudonym)
    assert list(AuditEvent.objects.filter(verb="hear_reply").values_list("actor", "facts")) == [
        ("marketplace", {"assignment": one.market_id})
    ]
    reject.reverse_rejection(study, one, reason="The texts were alike.", actor=ada, now=timezone.now())
    carry_out(Q(study=study), market)
    assert "Your work was approved" in ann._site.get(str(answers_page(ann, one))).text
    assert one.market_id not in page_of(ada, "review", study.uuid, query="?state=answered")


def answers_page(browser: Browser, one: Submission) -> httpx.URL:
    return browser._home.url.copy_with(path=f"/hits/work/{one.market_id}/done/", query=None)


@pytest.mark.database
def test_no_real_worker_id_comes_with_it(study: Study, market: Market, queue: str, reviewer: Reviewer, ann: Browser):
    ada, bea = reviewer("ada"), reviewer("bea")
    out(study, market, queue)
    does_one(ann)
    one = refused(study, market, ada, bea)
    answers(ann, one)
    look_after(study, market)
    real = told("create_worker", "ann")["worker_id"]
    assert Reply.objects.count() == 1
    assert real not in everything_stored()
    for page in (
        page_of(ada, "review", study.uuid, query="?state=answered"),
        page_of(ada, "review-assignment", study.uuid, one.market_id),
        page_of(ada, "workers-page", study.uuid, one.worker.pseudonym),
    ):
        assert real not in page


def test_posted_messages_bring_it_too_and_the_same_twice_is_one_reply(
    study: Study, market: Market, site: str, settings: Any, reviewer: Reviewer, ann: Browser
):
    settings.MTURK_ENDPOINT_URL = f"{site}/mturk/"
    settings.MTURK_TOPIC_ARN = told("notification_endpoint", "add", f"{site}/notices/", "--requester", "lab")["arn"]
    delivery.deliver(clock=timezone.now)
    out(study, market, settings.MTURK_TOPIC_ARN)
    does_one(ann)
    one = refused(study, market, reviewer("ada"), reviewer("bea"))
    answers(ann, one)
    sent: list[tuple[str, bytes, Any]] = []

    def twice(url: str, body: bytes, headers: Any) -> None:
        sent.append((url, body, headers))
        for _ in range(2):
            assert httpx.post(url, content=body, headers=dict(headers), trust_env=False).status_code == 204

    delivery.deliver(clock=timezone.now, send=twice)
    assert any(b"RejectionAnswered" in body for _, body, _ in sent)
    assert Reply.objects.get().body == WORDS
    assert AuditEvent.objects.filter(verb="hear_reply").count() == 1


def test_publishing_asks_for_it_on_our_own_marketplace_only(
    study: Study, market: Market, queue: str, endpoint: Endpoint
):
    abroad = Market(Endpoint(endpoint.url, endpoint.access_key, endpoint.secret_key, provider="elsewhere.example"))
    out(study, abroad, queue)
    (asked,) = Subscription.objects.values_list("event_types", flat=True)
    assert "RejectionAnswered" not in asked
    abroad_hit = study.hits.order_by("slot").first()
    market.subscribe(str(abroad_hit.market_id), queue=queue)
    (asked,) = Subscription.objects.values_list("event_types", flat=True)
    assert "RejectionAnswered" in asked
    assert "AssignmentSubmitted" in asked


def document(one: Submission, words: str, *, doc_id: str = "d1", at: datetime | None = None) -> Notice:
    row = {
        "EventType": "RejectionAnswered",
        "EventTimestamp": f"{at or timezone.now():%Y-%m-%dT%H:%M:%SZ}",
        "HITId": str(one.hit.market_id),
        "AssignmentId": one.market_id,
        "Reply": words,
    }
    return Notice("m", json.dumps({"Events": [row], "EventDocId": doc_id}), timezone.now(), "")


@pytest.fixture
def one(study: Study, market: Market, ann: Browser, reviewer: Reviewer) -> Submission:
    """Refused work whose worker has not answered."""
    out(study, market, "")
    does_one(ann)
    return refused(study, market, reviewer("ada"), reviewer("bea"))


def test_the_first_of_two_answers_stands(one: Submission):
    store_notice(document(one, "First."), now=timezone.now())
    store_notice(document(one, "Second.", doc_id="d2"), now=timezone.now())
    assert Reply.objects.get().body == "First."
    assert not MarketplaceEvent.objects.exclude(words="").exists()


def test_an_answer_that_comes_before_its_work_waits_for_it(study: Study, market: Market, ann: Browser):
    out(study, market, "")
    does_one(ann)
    (seen,) = [found for hit in study.hits.all() for found in market.submitted(str(hit.market_id))]
    unknown = Submission(hit=study.hits.get(market_id=seen.hit_id), market_id=seen.assignment_id)
    store_notice(document(unknown, WORDS), now=timezone.now())
    assert not Reply.objects.exists()
    collect(study, market=market, now=timezone.now())
    assert Reply.objects.get().body == WORDS
    assert MarketplaceEvent.objects.get().words == ""


def test_words_about_hits_of_others_are_not_kept(one: Submission, study: Study):
    stranger = Submission(hit=one.hit, market_id="3STRANGER")
    stranger.hit.market_id = "3ANOTHERACCOUNTSHIT"
    store_notice(document(stranger, "Somebody else's words."), now=timezone.now())
    assert "Somebody else's words." not in everything_stored()


def test_words_about_work_that_is_not_there_go_when_its_hit_was_looked_at(
    one: Submission, study: Study, market: Market
):
    nobody = Submission(hit=one.hit, market_id="3NOBODYSWORK")
    store_notice(document(nobody, "About nothing."), now=timezone.now())
    assert MarketplaceEvent.objects.get().words == "About nothing."
    collect(study, market=market, now=timezone.now())
    assert MarketplaceEvent.objects.get().words == ""
    assert not Reply.objects.exists()


def test_answers_that_were_taken_back_take_the_reply_with_them_and_it_does_not_come_again(
    one: Submission, study: Study
):
    store_notice(document(one, WORDS), now=timezone.now())
    withdraw(study, [one.market_id], actor="ada", now=timezone.now())
    assert not Reply.objects.exists()
    store_notice(document(one, WORDS, doc_id="d2"), now=timezone.now())
    assert WORDS not in everything_stored()


@pytest.mark.parametrize(
    ("words", "kept"),
    [("a\x00b", "ab"), ("x" * 5000, "x" * 1000), ("\ud83d", "?"), ("😀" * 1000, "😀" * 1000)],
)
def test_odd_words_of_a_marketplace_are_stored_and_never_stop_a_loop(one: Submission, words: Any, kept: str):
    store_notice(document(one, words), now=timezone.now())
    assert Reply.objects.get().body == kept


@pytest.mark.parametrize("words", ["", None, 7, ["x"], "\x00"])
def test_an_event_without_words_is_no_reply(one: Submission, words: Any):
    store_notice(document(one, words), now=timezone.now())
    assert MarketplaceEvent.objects.count() == 1
    assert not Reply.objects.exists()


def test_other_events_carry_no_words():
    row = {"EventType": "HITReviewable", "EventTimestamp": "2026-11-20T12:00:00Z", "HITId": "3A"}
    (event,) = read_events(Notice("m", json.dumps({"Events": [row], "EventDocId": "d"}), timezone.now(), "")).events
    assert event.words == ""


def test_what_was_read_from_the_queue_and_lost_before_it_was_deleted_is_taken_up_once(
    study: Study, market: Market, queue: str, reviewer: Reviewer, ann: Browser, monkeypatch: pytest.MonkeyPatch
):
    out(study, market, queue)
    does_one(ann)
    one = refused(study, market, reviewer("ada"), reviewer("bea"))
    answers(ann, one)
    found = [message for _ in range(20) for message in market.messages(queue)]
    monkeypatch.setattr(market, "delete_message", lambda *_: None)
    rounds = iter([found, found, []])
    monkeypatch.setattr(market, "messages", lambda _: next(rounds))
    assert receive_from_queue(market=market, queue=queue, now=timezone.now()).messages == 2 * len(found)
    assert Reply.objects.get().body == WORDS


def test_a_rejection_that_is_kept_waits_for_nobody_any_more(one: Submission, study: Study):
    ada, now = User.objects.get(username="ada"), timezone.now()
    store_notice(document(one, WORDS), now=now)
    assert list(review_queue.answered(study, now=now)) == [one]
    assert reject.uphold_rejection(study, one, actor=ada, now=now) == 1
    assert list(review_queue.answered(study, now=now)) == []
    with pytest.raises(reject.StateError, match="no unread reply"):
        reject.uphold_rejection(study, one, actor=ada, now=now)
    assert AuditEvent.objects.get(verb="uphold").facts == {"assignment": one.market_id}
    assert "rejection upheld by ada" in page_of(ada, "review-assignment", study.uuid, one.market_id)


def test_after_thirty_days_it_waits_for_nobody(one: Submission, study: Study):
    store_notice(document(one, WORDS), now=timezone.now())
    last = Submission.objects.get().submitted_at + timedelta(days=30)
    assert list(review_queue.answered(study, now=last)) == [one]
    assert list(review_queue.answered(study, now=last + timedelta(seconds=1))) == []
