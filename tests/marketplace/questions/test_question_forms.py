"""QuestionForm: read strictly, shown by us, checked on handing in, answered as documented.

Rules and examples are Amazon's own (API reference: QuestionForm, QuestionFormAnswers, Formatted Content).
"""

from __future__ import annotations

import json

import httpx
import pytest
from defusedxml.ElementTree import fromstring
from lxml import html

from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.models import Draft, Submission
from annotation.marketplace.questions import form_parser as reading
from annotation.marketplace.questions.form_answers import faults, form_answers_xml, parse_answers
from tests.marketplace.forms import TIC_TAC_TOE, free_text, question, question_form, selection
from tests.marketplace.people import reason
from tests.marketplace.question_samples import hit_parameters

NS = "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd}"


def answered(form: str, *pairs: tuple[str, str]) -> dict[str, str]:
    """What is wrong with the answers, by field."""
    return faults(parse_answers(reading.read(form), pairs))


def page_of(task) -> html.HtmlElement:
    return html.fromstring(httpx.get(task.frame, trust_env=False).content)


def posted(task, *pairs: tuple[str, str], accept: str = "text/html") -> httpx.Response:
    address = task.fields["turkSubmitTo"] + "/mturk/externalSubmit"
    fields = httpx.QueryParams([("assignmentId", task.id), *pairs])
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": accept}
    return httpx.post(address, content=str(fields), headers=headers, trust_env=False)


@pytest.mark.parametrize("version", ["2017-11-06", "2005-10-01"])
def test_amazons_example_is_answered_as_documented(lab, ann, version):
    hit = lab.hit(Question=TIC_TAC_TOE.replace("2017-11-06", version))
    task = ann.take(hit)
    page = page_of(task)
    assert page.xpath("//input[@name='nextmove']/@value") == ["C1"]
    assert page.xpath("//input[@name='likelytowin']/@value") == ["notlikely", "unsure", "likely"]
    assert page.xpath("//img/@alt") == ['The game board, with "X" to move.']
    assert reason(posted(task, ("nextmove", "C3"), ("likelytowin", "unsure"))) == "recorded"
    root = fromstring(lab.work(hit)[0]["Answer"])
    assert [[(part.tag.removeprefix(NS), part.text) for part in answer] for answer in root] == [
        [("QuestionIdentifier", "nextmove"), ("FreeText", "C3")],
        [("QuestionIdentifier", "likelytowin"), ("SelectionIdentifier", "unsure")],
    ]


def test_what_is_wrong_is_said_beside_the_field_and_everything_typed_is_kept(lab, ann):
    task = ann.take(lab.hit(Question=TIC_TAC_TOE))
    answer = posted(task, ("nextmove", "too long <b>"))
    page = html.fromstring(answer.content)
    assert answer.status_code == 422
    assert page.xpath("//input[@name='nextmove']/@value") == ["too long <b>"]
    assert page.xpath("string(//p[@id='fault1'])") == "Please write at most 2 characters."
    assert page.xpath("string(//p[@id='fault2'])") == "Please choose an answer."
    assert len(page.xpath("//div[@id='faults']//a")) == 2
    assert not Submission.objects.exists()
    assert reason(posted(task, ("nextmove", "A1"), ("likelytowin", "likely"))) == "recorded"


def test_programs_are_told_the_faults_as_json(lab, ann):
    task = ann.take(lab.hit(Question=TIC_TAC_TOE))
    said = posted(task, accept="application/json").json()
    assert (said["reason"], set(said["faults"])) == ("invalid", {"nextmove", "likelytowin"})


@pytest.mark.parametrize(
    ("constraints", "right", "wrong"),
    [
        (
            '<IsNumeric minValue="100" maxValue="999"/><Length minLength="3" maxLength="3"/>',
            ["100", "999"], ["99", "1000", "abc", ""],
        ),
        ('<IsNumeric/><Length minLength="3" maxLength="3"/>', ["2.5", "123"], ["2.55", "1e3", "a.b"]),
        (r'<Length minLength="2"/><AnswerFormatRegex regex="\S"/>', ["ab"], ["", " ", "   "]),
        (r'<AnswerFormatRegex regex="(^$|\S{2,})"/>', ["", "ab"], ["a", "a b"]),
        (r'<AnswerFormatRegex regex="^[12][0-9]{3}-[01]?\d-[0-3]?\d$"/>', ["2026-1-31"], ["26-01-01", "2026-41-01"]),
        ('<AnswerFormatRegex regex="regex" flags="i"/>', ["RegExes"], ["reg"]),
        ('<AnswerFormatRegex regex="a"/><AnswerFormatRegex regex="b"/>', ["ba"], ["a", "b"]),
    ],
)  # fmt: skip
def test_constraints_of_the_documentations_examples(constraints, right, wrong):
    form = question_form(question("q", free_text(constraints)))
    assert [answered(form, ("q", text)) for text in right] == [{} for _ in right]
    assert all(answered(form, ("q", text)) for text in wrong)


def test_the_requesters_own_words_are_said_where_an_expression_is_not_found():
    form = question_form(question("q", free_text('<AnswerFormatRegex regex="x" errorText="Write an x."/>')))
    assert answered(form, ("q", "y")) == {"q": "Write an x."}
    usual = question_form(question("q", free_text('<AnswerFormatRegex regex="x"/>')))
    assert answered(usual, ("q", "y")) == {"q": "Invalid input supplied."}


def test_an_expression_that_never_ends_costs_neither_the_site_nor_the_answer():
    form = question_form(question("q", free_text(r'<AnswerFormatRegex regex="^(a|a)*$"/>')))
    assert answered(form, ("q", "a" * 5_000 + "!")) == {}


@pytest.mark.parametrize(
    ("bounds", "chosen", "sound"),
    [
        ("", ["a"], True), ("", ["a", "b"], False), ("", [], True),
        ("<MinSelectionCount>2</MinSelectionCount><MaxSelectionCount>3</MaxSelectionCount>", ["a"], False),
        ("<MinSelectionCount>2</MinSelectionCount><MaxSelectionCount>3</MaxSelectionCount>", ["a", "c"], True),
        ("<MinSelectionCount>0</MinSelectionCount><MaxSelectionCount>2</MaxSelectionCount>", ["a", "b", "c"], False),
    ],
)  # fmt: skip
def test_numbers_of_selections(bounds, chosen, sound):
    form = question_form(question("q", selection("abc", bounds)))
    assert bool(answered(form, *[("q", name) for name in chosen])) is not sound


def test_other_text_and_no_answer_at_all_are_written_as_documented():
    other = "<OtherSelection><Constraints><Length maxLength='5'/></Constraints></OtherSelection>"
    form = question_form(question("q", selection("ab", "", other)), question("t", "<FreeTextAnswer/>"))
    given = parse_answers(reading.read(form), [("q|other", "mine")])
    assert faults(given) == {}
    assert (
        "<QuestionIdentifier>q</QuestionIdentifier>\n<OtherSelectionText>mine</OtherSelectionText>"
        in form_answers_xml(given)
    )
    assert "<QuestionIdentifier>t</QuestionIdentifier>\n<FreeText/>" in form_answers_xml(given)
    assert answered(form, ("q|other", "too long")) == {"q": "Please write at most 5 characters."}
    assert answered(form, ("q", "a"), ("q|other", "mine")) == {"q": "Please choose only one answer."}
    nothing = form_answers_xml(parse_answers(reading.read(form), []))
    assert "SelectionIdentifier>" not in nothing


def test_choices_that_the_form_does_not_have_are_no_answers():
    form = question_form(question("q", selection("ab"), required=True))
    assert answered(form, ("q", "z")) == {"q": "Please choose an answer."}


@pytest.mark.parametrize(
    ("broken", "named"),
    [
        (question_form(), "at least one Question"),
        (question_form(question("a", "<FreeTextAnswer/>"), question("a", "<FreeTextAnswer/>")), "unique"),
        (question_form(question("a", "<FileUploadAnswer/>")), "FileUploadAnswer is not supported"),
        (question_form(question("a", "<FreeTextAnswer/>", content="<Application/>")), "Application is not supported"),
        (question_form(question("a", "<FreeTextAnswer/>", content="")), "QuestionContent must hold content"),
        (question_form(question("a", "<FreeTextAnswer/>", content="<Video/>")), "Video"),
        (question_form(question("a", "<FreeTextAnswer><DefaultText/><Constraints/></FreeTextAnswer>")), "order"),
        (question_form(question("a", free_text('<AnswerFormatRegex regex="("/>'))), "regular expression"),
        (question_form(question("a", free_text('<Length minLength="5" maxLength="2"/>'))), "minLength"),
        (question_form(question("a", free_text('<IsNumeric minValue="x"/>'))), "minValue"),
        (question_form(question("a", selection("aa"))), "of their own"),
        (question_form(question("a", selection("ab", "<MaxSelectionCount>3</MaxSelectionCount>"))), "SelectionCount"),
        (question_form(question("a", selection("ab", "<StyleSuggestion>wheel</StyleSuggestion>"))), "StyleSuggestion"),
        (question_form(question("a", "<FreeTextAnswer/>")).replace("<Question>", "loose<Question>"), "no text beside"),
        (question_form(question("a", "<FreeTextAnswer/>")).replace("2017-11-06", "2011-11-11"), "QuestionForm"),
    ],
)  # fmt: skip
def test_a_broken_form_is_refused_with_the_rule(lab, broken, named):
    code, message = lab.refused("create_hit", **hit_parameters(Question=broken))
    assert code == "ParameterValidationError"
    assert named in message


FORMATTED = "<FormattedContent><![CDATA[{}]]></FormattedContent>"


@pytest.mark.parametrize(
    "content",
    [
        "<script>alert(1)</script>", "<p onclick='x'>y</p>", "<p style='x'>y</p>", "<div>y</div>", "<span>y</span>",
        "<a href='javascript:alert(1)'>y</a>", "<b><i>y</b></i>", "<p>never closed", "<!-- hidden -->y",
        "<img src='https://a.example/b.png'/>", "<P>upper</P>", "<a href='data:text/html,x'>y</a>", "<iframe src='x'/>",
        "<p id='x'>y</p>", "<!DOCTYPE a [<!ENTITY b 'c'>]><p>&b;</p>",
    ],
)  # fmt: skip
def test_formatted_content_outside_the_subset_is_refused(content):
    form = question_form(question("a", "<FreeTextAnswer/>", content=FORMATTED.format(content)))
    with pytest.raises(InvalidParameterError, match="FormattedContent"):
        reading.read(form)


def test_amazons_example_of_formatted_content_is_shown(lab, ann):
    table = (
        'I <i>love</i> it &nbsp;<table border="1"><tr><td align="center" colspan="4">It is <b>X</b>\'s turn.</td></tr>'
        "</table>"
        '<a href="https://example.org/">there</a>'
    )
    task = ann.take(
        lab.hit(Question=question_form(question("a", "<FreeTextAnswer/>", content=FORMATTED.format(table))))
    )
    page = page_of(task)
    assert page.xpath("string(//td[@colspan='4'])") == "It is X's turn."
    assert page.xpath("//a[@href='https://example.org/']/@rel") == ["noopener noreferrer"]


def test_the_form_runs_no_script_but_ours(lab, ann):
    answer = httpx.get(ann.take(lab.hit(Question=TIC_TAC_TOE)).frame, trust_env=False)
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "default-src 'none'" in policy
    assert "script-src 'nonce-" in policy
    assert "unsafe" not in policy
    assert "set-cookie" not in answer.headers


def test_a_form_is_handed_in_once(lab, ann):
    hit = lab.hit(Question=TIC_TAC_TOE)
    task = ann.take(hit)
    sound = [("nextmove", "A1"), ("likelytowin", "likely")]
    posted(task, *sound)
    again = posted(task, *sound, accept="application/json")
    assert (again.status_code, again.json()["reason"], again.json()["same"]) == (409, "twice", True)
    other = posted(task, ("nextmove", "B2"), sound[1], accept="application/json")
    assert (other.json()["reason"], other.json()["same"]) == ("twice", False)
    assert Submission.objects.count() == 1


def test_a_draft_is_kept_until_the_answer_is_in(lab, ann):
    task = ann.take(lab.hit())
    address = task.fields["turkSubmitTo"] + "/draft"
    assert httpx.get(address, trust_env=False).json() == {"draft": None, "version": 0}
    assert httpx.post(address, content=b'{"a": 1}', trust_env=False).json() == {"reason": "kept", "version": 1}
    assert httpx.get(address, trust_env=False).json() == {"draft": {"a": 1}, "version": 1}
    # Another page, which has seen nothing of it, replaces nothing; one that has seen it does.
    elsewhere = httpx.post(f"{address}?page=b&version=0", content=b'{"a": 2}', trust_env=False)
    assert (elsewhere.status_code, elsewhere.json()) == (409, {"reason": "elsewhere"})
    later = httpx.post(f"{address}?page=b&version=1", content=b'{"a": 2}', trust_env=False)
    assert later.json() == {"reason": "kept", "version": 2}
    assert httpx.post(address, content=b"{", trust_env=False).status_code == 409
    assert httpx.post(address, content=json.dumps("x" * 70_000), trust_env=False).status_code == 413
    forged = address.removesuffix("/draft")[:-1] + ("1" if address[-7] == "0" else "0") + "/draft"
    assert httpx.post(forged, content=b"1", trust_env=False).status_code == 404
    ann.hand_in(task)
    assert Draft.objects.count() == 0
    assert httpx.post(address, content=b"2", trust_env=False).json() == {"reason": "over"}


@pytest.mark.parametrize("end", ["return", "deadline"])
def test_a_draft_ends_with_the_work(lab, ann, pass_time, end):
    task = ann.take(lab.hit())
    httpx.post(task.fields["turkSubmitTo"] + "/draft", content=b"1", trust_env=False)
    if end == "return":
        ann.give_back(task)
    else:
        pass_time(601)
        ann.get("/hits/")
    assert Draft.objects.count() == 0


def test_a_token_is_for_its_assignment_only(lab, sign_in):
    hit = lab.hit(MaxAssignments=2)
    ann, bob = sign_in("ann").take(hit), sign_in("bob").take(hit)
    address = ann.fields["turkSubmitTo"] + "/mturk/externalSubmit"
    answer = httpx.post(address, data={"assignmentId": bob.id, "a": "b"}, trust_env=False)
    assert (answer.status_code, reason(answer)) == (404, "unknown")
    forged = httpx.post(address.replace(ann.id, bob.id), data={"assignmentId": bob.id, "a": "b"}, trust_env=False)
    assert (forged.status_code, reason(forged)) == (404, "unknown")
    assert not Submission.objects.exists()
