"""Question and answer documents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from annotation.exceptions import AnswerError, MarketClosedError, QuestionError
from annotation.mturk.answer_xml import read_answers
from annotation.mturk.client import Market
from annotation.mturk.question_xml import LIMIT, NAMESPACE, html_question
from annotation.mturk.records import Endpoint

OPEN = (
    '<QuestionFormAnswers xmlns="http://mechanicalturk.amazonaws.com/'
    'AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd">'
)


def answer(name: str, text: str) -> str:
    return f"<Answer><QuestionIdentifier>{name}</QuestionIdentifier>{text}</Answer>"


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), max_size=60))
def test_a_page_comes_out_of_its_question_as_it_went_in(text: str) -> None:
    page = f"<!DOCTYPE html><p>{text} ]]> ]]&gt;</p>"
    root = etree.fromstring(html_question(page).encode())
    assert root.findtext(f"{{{NAMESPACE}}}HTMLContent") == page


def test_a_page_at_the_limit_passes_and_one_byte_more_is_refused() -> None:
    frame = len(html_question("").encode())
    assert len(html_question("é" * ((LIMIT - frame) // 2)).encode()) <= LIMIT
    with pytest.raises(QuestionError, match="65,536 bytes"):
        html_question("x" * (LIMIT - frame + 1))


def test_a_control_character_in_a_page_is_named() -> None:
    with pytest.raises(QuestionError, match=r"U\+0007"):
        html_question("<p>\x07</p>")


def test_answers_are_read_by_field() -> None:
    document = (
        OPEN + answer("a", "<FreeText>no &amp; yes</FreeText>") + answer("b", "<FreeText/>") + "</QuestionFormAnswers>"
    )
    assert read_answers(document) == {"a": "no & yes", "b": ""}


def test_an_empty_document_holds_no_answers() -> None:
    assert read_answers("  ") == {}


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        ("<QuestionFormAnswers>", "not well-formed"),
        ("<other/>", "not QuestionFormAnswers"),
        (OPEN + "<Answer><FreeText>x</FreeText></Answer></QuestionFormAnswers>", "no question identifier"),
        ('<!DOCTYPE x [<!ENTITY a "b">]>' + OPEN + "</QuestionFormAnswers>", "not well-formed"),
    ],
)
def test_a_broken_answer_document_is_named(document: str, rule: str) -> None:
    with pytest.raises(AnswerError, match=rule):
        read_answers(document)


def test_an_endpoint_of_amazon_explains_the_closure() -> None:
    endpoint = Endpoint("https://mturk-requester.us-east-1.amazonaws.com", "AKIA", "secret")
    with pytest.raises(MarketClosedError, match="closed on 30 September 2026"):
        Market(endpoint)


def test_an_endpoint_does_not_show_its_secret() -> None:
    assert "hush" not in repr(Endpoint("http://127.0.0.1/mturk/", "AKIA", "hush"))
