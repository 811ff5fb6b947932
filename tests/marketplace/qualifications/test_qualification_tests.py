"""Qualification tests: set by a requester, taken on the worker site, graded by key or left to the requester.

Scores follow the examples of Amazon's reference on AnswerKey.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from defusedxml.ElementTree import fromstring
from lxml import html

from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.models import QualificationRequest, TestAttempt
from annotation.marketplace.questions.answer_keys import read_key
from annotation.marketplace.questions.form_answers import parse_answers
from annotation.marketplace.questions.form_parser import read
from tests.marketplace.forms import answer_key, free_text, marks, question, question_form, selection
from tests.marketplace.people import reason
from tests.marketplace.question_samples import html_question

pytestmark = pytest.mark.database

FRUIT = question_form(
    question("nextmove", selection("ABCD"), required=True),
    question("fruit", selection("ABCD", "<MaxSelectionCount>4</MaxSelectionCount>"), required=True),
)
PERCENT = "<PercentageMapping><MaximumSummedScore>15</MaximumSummedScore></PercentageMapping>"
SCALE = "<ScaleMapping><SummedScoreMultiplier>{}</SummedScoreMultiplier></ScaleMapping>"
RANGES = (
    "<RangeMapping>"
    "<SummedScoreRange><InclusiveLowerBound>5</InclusiveLowerBound><InclusiveUpperBound>7</InclusiveUpperBound>"
    "<QualificationValue>5</QualificationValue></SummedScoreRange>"
    "<SummedScoreRange><InclusiveLowerBound>8</InclusiveLowerBound><InclusiveUpperBound>10</InclusiveUpperBound>"
    "<QualificationValue>10</QualificationValue></SummedScoreRange>"
    "<OutOfRangeQualificationValue>0</OutOfRangeQualificationValue></RangeMapping>"
)
KEY = answer_key(marks("nextmove", {"D": 5}) + marks("fruit", {"A": 10, "AB": 5, "C": -2}, default=1))


def mapped(mapping: str) -> str:
    wrapped = f"<QualificationValueMapping>{mapping}</QualificationValueMapping>"
    return KEY.replace("</AnswerKey>", f"{wrapped}</AnswerKey>")


def score(key: str, move: str, fruit: str) -> int:
    form = read(FRUIT)
    given = parse_answers(form, [("nextmove", move), *[("fruit", name) for name in fruit]])
    return read_key(key, form).score(given)


@pytest.mark.parametrize(
    ("move", "fruit", "expected"),
    [("D", "A", 15), ("D", "AB", 10), ("A", "BA", 5), ("A", "C", -2), ("D", "D", 6), ("A", "ABC", 1), ("", "", 1)],
)
def test_exactly_the_selections_of_an_option_earn_its_score(move, fruit, expected):
    assert score(KEY, move, fruit) == expected


@pytest.mark.parametrize(
    ("mapping", "move", "fruit", "expected"),
    [
        (PERCENT, "D", "A", 100), (PERCENT, "D", "AB", 67), (PERCENT, "A", "AB", 33), (PERCENT, "A", "C", -13),
        (SCALE.format("3"), "D", "A", 45), (SCALE.format("0.5"), "D", "A", 8),
        (RANGES, "A", "AB", 5), (RANGES, "D", "D", 5), (RANGES, "D", "AB", 10), (RANGES, "D", "A", 0),
    ],
)  # fmt: skip
def test_mappings_turn_the_sum_into_the_value(mapping, move, fruit, expected):
    assert score(mapped(mapping), move, fruit) == expected


@pytest.mark.parametrize(
    ("key", "named"),
    [
        (answer_key(marks("other", {"A": 1})), "does not have"),
        (answer_key(marks("fruit", {"Z": 1})), "lacks"),
        (answer_key(marks("fruit", {"A": 1}) * 2), "twice"),
        (answer_key(marks("fruit", {})), "AnswerOption"),
        (KEY.replace("<AnswerScore>5<", "<AnswerScore>five<"), "whole number"),
        (KEY.replace("2005-10-01", "2017-11-06"), "AnswerKey"),
        (mapped(PERCENT.replace("15", "0")), "MaximumSummedScore"),
        (mapped(SCALE.format("three")), "decimal"),
        (mapped(RANGES.replace(">8<", ">6<")), "overlap"),
        ("<not", "parsing"),
    ],
)
def test_a_broken_key_is_refused_with_the_rule(key, named):
    with pytest.raises(InvalidParameterError, match=named):
        read_key(key, read(FRUIT))


def test_a_key_grades_choices_only():
    for answer in (free_text(""), selection("ab", "", "<OtherSelection/>")):
        form = read(question_form(question("fruit", answer)))
        with pytest.raises(InvalidParameterError, match="multiple-choice"):
            read_key(answer_key(marks("fruit", {"a": 1})), form)


def made(lab, **changes: object) -> str:
    """A new type with a test; its id."""
    given = {
        "Name": "fruit", "Description": "d", "QualificationTypeStatus": "Active", "Test": FRUIT,
        "TestDurationInSeconds": 600, "AnswerKey": KEY,
    }  # fmt: skip
    wanted = {name: value for name, value in (given | changes).items() if value is not None}
    return lab.client.create_qualification_type(**wanted)["QualificationType"]["QualificationTypeId"]


def begin(person, type_id: str) -> httpx.Response:
    return person.post(f"/hits/qualifications/{type_id}/", f"/hits/qualifications/{type_id}/ask/")


def hand_in(page: httpx.Response, *pairs: tuple[str, str], accept: str = "text/html") -> httpx.Response:
    """Fill in the form in the frame of the test's page."""
    frame = html.fromstring(page.content).xpath("//iframe/@src")[0]
    form = html.fromstring(httpx.get(frame, trust_env=False).content).forms[0]
    fields = httpx.QueryParams([("assignmentId", form.fields["assignmentId"]), *pairs])
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": accept}
    return httpx.post(form.action, content=str(fields), headers=headers, trust_env=False)


SOUND = [("nextmove", "D"), ("fruit", "A")]


def test_a_test_is_taken_graded_and_granted(lab, ann):
    type_id = made(lab)
    hit = lab.hit(
        QualificationRequirements=[
            {"QualificationTypeId": type_id, "Comparator": "GreaterThanOrEqualTo", "IntegerValues": [15]}
        ]
    )
    assert reason(ann.accept(hit)) == "unqualified"
    page = begin(ann, type_id)
    assert 'id="left" data-seconds="' in page.text
    assert reason(hand_in(page, *SOUND)) == "recorded"
    found = lab.client.get_qualification_score(QualificationTypeId=type_id, WorkerId=ann.worker_id)["Qualification"]
    assert (found["IntegerValue"], found["Status"]) == (15, "Granted")
    assert lab.client.list_qualification_requests(QualificationTypeId=type_id)["QualificationRequests"] == []
    page = ann.get(f"/hits/qualifications/{type_id}/").text
    assert "You passed the test: this qualification was granted to you, with a score of 15." in page
    assert "You cannot ask again now." not in page
    assert ann.accept(hit).status_code == 200


def test_without_a_key_the_requester_decides(lab, ann):
    type_id = made(lab, AnswerKey=None)
    page = begin(ann, type_id)
    assert reason(hand_in(page, *SOUND)) == "recorded"
    (row,) = lab.client.list_qualification_requests(QualificationTypeId=type_id)["QualificationRequests"]
    assert (row["WorkerId"], row["Test"]) == (ann.worker_id, FRUIT)
    assert [part.text for part in fromstring(row["Answer"]).iter() if part.tag.endswith("SelectionIdentifier")] == [
        "D",
        "A",
    ]
    assert reason(ann.get(f"/hits/qualifications/{type_id}/")) == "waiting"
    lab.client.accept_qualification_request(QualificationRequestId=row["QualificationRequestId"], IntegerValue=80)
    found = lab.client.get_qualification_score(QualificationTypeId=type_id, WorkerId=ann.worker_id)
    assert found["Qualification"]["IntegerValue"] == 80


def test_answers_that_break_a_rule_are_not_taken(lab, ann):
    page = begin(ann, made(lab))
    answer = hand_in(page, ("nextmove", "D"))
    assert answer.status_code == 422
    assert html.fromstring(answer.content).xpath("//input[@name='nextmove'][@checked]/@value") == ["D"]
    assert reason(hand_in(page, *SOUND)) == "recorded"


def test_a_test_is_handed_in_once(lab, ann):
    page = begin(ann, made(lab))
    hand_in(page, *SOUND)
    again = hand_in(page, *SOUND, accept="application/json")
    assert (again.status_code, again.json()["reason"], again.json()["same"]) == (409, "twice", True)
    assert QualificationRequest.objects.count() == 1


def test_beginning_twice_is_one_attempt_with_one_clock(lab, ann):
    type_id = made(lab)
    first, second = begin(ann, type_id), begin(ann, type_id)
    assert first.url == second.url
    assert TestAttempt.objects.count() == 1


def test_a_test_ends_with_its_time(lab, ann, pass_time):
    type_id = made(lab)
    page = begin(ann, type_id)
    pass_time(601)
    assert reason(hand_in(page, *SOUND)) == "late"
    assert ann.get(page.url.path).url.path == f"/hits/qualifications/{type_id}/"
    assert reason(ann.get(f"/hits/qualifications/{type_id}/")) == "asked"
    assert reason(begin(ann, type_id)) == "asked"
    assert not QualificationRequest.objects.exists()


def test_a_test_may_be_taken_again_after_the_delay_for_a_better_score(lab, ann, pass_time):
    type_id = made(lab, RetryDelayInSeconds=3_600)
    hand_in(begin(ann, type_id), ("nextmove", "A"), ("fruit", "C"))
    assert reason(begin(ann, type_id)) == "asked"
    pass_time(3_601)
    hand_in(begin(ann, type_id), *SOUND)
    found = lab.client.get_qualification_score(QualificationTypeId=type_id, WorkerId=ann.worker_id)
    assert found["Qualification"]["IntegerValue"] == 15


def test_the_test_and_its_key_are_their_owners(lab, open_lab):
    type_id = made(lab)
    own = lab.client.get_qualification_type(QualificationTypeId=type_id)["QualificationType"]
    assert (own["Test"], own["AnswerKey"], own["TestDurationInSeconds"]) == (FRUIT, KEY, 600)
    other = open_lab("rival").client.get_qualification_type(QualificationTypeId=type_id)["QualificationType"]
    assert not {"Test", "AnswerKey"} & set(other)


def test_an_update_replaces_test_duration_and_key_together(lab, ann):
    type_id = made(lab)
    page = begin(ann, type_id)
    shorter = question_form(question("only", selection("AB"), required=True))
    lab.client.update_qualification_type(QualificationTypeId=type_id, Test=shorter, TestDurationInSeconds=60)
    found = lab.client.get_qualification_type(QualificationTypeId=type_id)["QualificationType"]
    assert (found["Test"], found["TestDurationInSeconds"], "AnswerKey" in found) == (shorter, 60, False)
    # Who had begun goes on with the test as it was.
    assert reason(hand_in(page, *SOUND)) == "recorded"
    lab.client.get_qualification_score(QualificationTypeId=type_id, WorkerId=ann.worker_id)


@pytest.mark.parametrize(
    "changes",
    [
        {"TestDurationInSeconds": None}, {"Test": None}, {"AutoGranted": True}, {"Test": html_question()},
        {"Test": FRUIT + " " * 65_536}, {"AnswerKey": "<AnswerKey/>"}, {"TestDurationInSeconds": 0},
        {"Test": question_form(question("a", free_text("")))},
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_refused(lab, changes):
    given = {
        "Name": "fruit", "Description": "d", "QualificationTypeStatus": "Active", "Test": FRUIT,
        "TestDurationInSeconds": 600, "AnswerKey": KEY,
    }  # fmt: skip
    wanted = {name: value for name, value in (given | changes).items() if value is not None}
    assert lab.refused("create_qualification_type", **wanted)[0] == "ParameterValidationError"


def test_a_type_with_a_test_is_never_granted_by_itself(lab):
    type_id = made(lab)
    refused = lab.refused("update_qualification_type", QualificationTypeId=type_id, AutoGranted=True)
    assert refused[0] == "ParameterValidationError"


def test_the_test_of_another_worker_is_out_of_sight(lab, sign_in):
    page = begin(sign_in("ann"), made(lab))
    bob = sign_in("bob")
    assert bob.get(page.url.path).status_code == 404
    frame = html.fromstring(page.content).xpath("//iframe/@src")[0]
    worker_id = parse_qs(urlsplit(frame).query)["workerId"][0]
    assert httpx.get(frame.replace(worker_id, bob.worker_id), trust_env=False).status_code == 404
    assert re.search("/hits/frame/test/", frame)
