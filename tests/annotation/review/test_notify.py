"""Notices to workers: only where the marketplace takes them, once for the same words, kept by the outbox."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db.models import Q
from django.utils import timezone

from annotation.collecting.collect import collect
from annotation.exceptions import StateError
from annotation.marketplace.models import WorkerMessage
from annotation.models import AuditEvent, Intent, Study, Submission, Worker
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from annotation.review.approve import approve
from annotation.review.notify import Notices, notify

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = {"subject": "The second part", "text": "It opens on Monday, for those who like to come."}


def carry_out(market: Market) -> None:
    assert work(Q(), market=market, clock=timezone.now).failed == 0


@pytest.fixture
def rated(study: Study, market: Market, everybody_rates: Callable[..., None]) -> Study:
    """Ann's work is approved, Bob's is not decided on."""
    publish(study, actor="ada", now=timezone.now())
    carry_out(market)
    everybody_rates("ann", "bob")
    collect(study, market=market, now=timezone.now())
    ann = Submission.objects.filter(hit__study=study).order_by("worker").first().worker
    approve(study, Submission.objects.filter(worker=ann), actor=None, now=timezone.now())
    carry_out(market)
    return study


def say(study: Study, workers: list[Worker] | None = None, **other: str) -> Notices:
    return notify(study, **{**WORDS, **other}, actor="ada", now=timezone.now(), workers=workers)


@pytest.mark.database
def test_a_notice_reaches_those_whose_work_was_decided_on_and_the_others_are_counted(
    rated: Study, market: Market
) -> None:
    assert say(rated) == Notices(people=1, already=0, undecided=1)
    carry_out(market)
    message = WorkerMessage.objects.get()
    assert (message.subject, message.text) == (WORDS["subject"], WORDS["text"])


@pytest.mark.database
def test_the_same_words_come_once_and_other_words_come_too(rated: Study, market: Market) -> None:
    say(rated)
    assert say(rated) == Notices(people=0, already=1, undecided=1)
    say(rated, text="It opens on Tuesday.")
    carry_out(market)
    assert {message.text for message in WorkerMessage.objects.all()} == {WORDS["text"], "It opens on Tuesday."}


def test_words_that_were_dropped_before_they_went_out_may_be_said_again(rated: Study) -> None:
    say(rated)
    Intent.objects.filter(kind="notify").update(state="dropped")
    assert say(rated).people == 1
    assert Intent.objects.filter(kind="notify").values("key").distinct().count() == 2


def test_nobody_is_written_to_while_the_decision_can_still_be_taken_back(rated: Study) -> None:
    bob = Worker.objects.exclude(submissions__decisions__matter="payment").get()
    approve(rated, Submission.objects.filter(worker=bob), actor=None, now=timezone.now())
    with pytest.raises(StateError, match="approved or rejected"):
        say(rated, [bob])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"subject": " "}, "subject of a notice has 1 to 200"),
        ({"subject": "x" * 201}, "has 201"),
        ({"text": ""}, "text of a notice has 1 to 4096"),
        ({"text": "x" * 4097}, "has 4097"),
    ],
)
def test_words_outside_the_marketplaces_bounds_are_refused(rated: Study, words: dict[str, str], said: str) -> None:
    with pytest.raises(StateError, match=said):
        say(rated, **words)


def test_a_study_from_a_file_has_nobody_to_write_to(rated: Study) -> None:
    Study.objects.update(mode="imported")
    rated.refresh_from_db()
    with pytest.raises(StateError, match="came from a file"):
        say(rated)


def test_the_log_tells_how_many_were_written_to_and_names_nobody(rated: Study) -> None:
    say(rated)
    deed = AuditEvent.objects.get(verb="notify")
    assert deed.facts == {"people": 1, "subject": WORDS["subject"]}
