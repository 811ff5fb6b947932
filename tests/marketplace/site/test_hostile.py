"""Hostile texts in HITs and answers: kept as far as XML can, and nobody else's work suffers."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

import pytest

from annotation.marketplace.models import Submission
from tests.marketplace.people import post_form, reason
from tests.marketplace.question_samples import html_question

NS = "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd}"
BOMB = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>'
HOSTILE = ["]]>", BOMB, "\x00\x01\x1f", "<script>alert(1)</script>", "&amp;&#x41;", "\ufffe\uffff", "x" * 100_000]


def texts(answer: str) -> list[str]:
    return [element.text or "" for element in fromstring(answer).iter(f"{NS}FreeText")]


def test_hostile_answers_come_back_as_text(lab, ann, sign_in):
    hit = lab.hit(MaxAssignments=2)
    ann.do(hit, [(f"field {number}", text) for number, text in enumerate(HOSTILE)])
    sign_in("bob").do(hit, [("rating", "5")])
    hostile, plain = lab.work(hit)
    assert texts(hostile["Answer"]) == ["]]>", BOMB, "", HOSTILE[3], "&amp;&#x41;", "", "x" * 100_000]
    assert texts(plain["Answer"]) == ["5"]


def test_the_fields_of_a_form_are_kept_as_they_came(lab, ann):
    ann.do(lab.hit(), [("a\x00b", "c\x00d")])
    assert '["a\\u0000b", "c\\u0000d"]' in Submission.objects.get().raw


def test_lone_surrogates_in_a_form_are_no_trouble(lab, ann):
    task = ann.take(lab.hit())
    raw = f"assignmentId={task.id}&text=%ED%A0%80%FF".encode()
    answer = ann.site.post(
        f"{ann.origin}/hits/mturk/externalSubmit",
        content=raw,
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    )
    assert reason(answer) == "recorded"
    fromstring(Submission.objects.get().answer)


@pytest.mark.parametrize(
    "forged", ["3" + "X" * 29, "' OR 1=1 --", "", "3" * 10_000, "\x00", "ASSIGNMENT_ID_NOT_AVAILABLE"]
)
def test_a_forged_assignment_records_nothing(lab, ann, forged):
    task = ann.take(lab.hit())
    answer = post_form(task.fields["turkSubmitTo"], [("assignmentId", forged), ("rating", "5")])
    assert answer.status_code in {404, 409}
    assert Submission.objects.count() == 0


def test_one_hostile_hit_breaks_no_list(lab, ann):
    question = html_question("<p>]]]]><![CDATA[> &lt; \u202e \U0001f600</p>")
    title = "]]> </script> {{ x }} %s \u202e\U0001f600"
    hostile = lab.hit(Title=title, Description=title, Keywords=title, RequesterAnnotation=title, Question=question)
    plain = lab.hit()
    listed = lab.client.list_hits()["HITs"]
    assert [row["HITId"] for row in listed] == [hostile["HITId"], plain["HITId"]]
    assert (listed[0]["Title"], listed[0]["Question"]) == (title, question)
    page = ann.get("/hits/")
    assert page.status_code == 200
    assert "</script> {{ x }}" not in page.text
    assert ann.offers() == [plain["HITId"], hostile["HITId"]]
    assert ann.get(f"/hits/{hostile['HITId']}/").status_code == 200
    assert reason(ann.hand_in(ann.take(plain))) == "recorded"


def test_control_characters_in_titles_are_shown_as_they_are_stored(lab, ann):
    hit = lab.hit(Title="a\x07b")
    assert lab.look(hit)["Title"] == "a\x07b"
    assert ann.get("/hits/").status_code == 200
