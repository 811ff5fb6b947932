"""assay:channel: by which way a worker came, told to the requester who asks, and no answer of the worker's."""

from __future__ import annotations

import pytest

from annotation.marketplace.channels.telling import is_requested
from annotation.marketplace.models import Requester
from annotation.marketplace.questions.answer_xml import CHANNEL, answers_xml, with_channel
from annotation.mturk.answer_xml import WayRecord, read_answers, without_channel
from tests.marketplace.channels.guests import KEYWORDS, channel, tasks

pytestmark = pytest.mark.database


def ways(lab, hit) -> list[WayRecord | None]:
    return [without_channel(work["Answer"])[1] for work in lab.work(hit)]


def test_who_came_by_a_channel_is_told_with_its_way_of_paying(lab, guest):
    (hit,) = tasks(lab, 1, Keywords=f"{KEYWORDS}, {CHANNEL}")
    link = channel("panel", "--pays", "elsewhere", "--pay-words", "10 EUR <by> the panel & more")
    person = guest().enter(link)
    person.do(hit)
    assert ways(lab, hit) == [WayRecord("link", "elsewhere", "10 EUR <by> the panel & more", consent=False)]
    (work,) = lab.work(hit)
    assert CHANNEL not in read_answers(without_channel(work["Answer"])[0])


def test_an_account_is_paid_as_its_requester_pays_and_who_does_not_ask_is_told_nothing(lab, ann):
    Requester.objects.update(pays="volunteer")
    asked, plain = lab.hit(Keywords=f"texts, {CHANNEL}"), lab.hit(Keywords="texts")
    for hit in (asked, plain):
        ann.hand_in(ann.take(hit))
    assert ways(lab, asked) == [WayRecord("accounts", "volunteer", "", consent=False)]
    assert ways(lab, plain) == [None]


def test_no_form_can_say_by_which_channel_somebody_came():
    assert without_channel(answers_xml([(CHANNEL, "{}"), ("rating-0", "Rare")]))[1] is None


@pytest.mark.parametrize("told", ["", "{}", "[1]", '{"kind": 1}', "no JSON"])
def test_a_way_that_cannot_be_read_is_none(told):
    document, way = without_channel(with_channel(answers_xml([("rating-0", "Rare")]), told))
    assert way is None
    assert read_answers(document)["rating-0"] == "Rare"


def test_the_keyword_stands_alone():
    assert is_requested("texts, Assay:Channel")
    assert not is_requested("texts, assay:channels")
