"""The HIT in its frame and what comes back from it (specification 3.2 to 3.4)."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from defusedxml.ElementTree import fromstring

from annotation.marketplace.models import Assignment, Submission
from annotation.marketplace.questions.question_types import Question
from annotation.marketplace.site.addresses import assignment_of, submit_token
from annotation.marketplace.site.content_security import sandbox_of
from tests.marketplace.people import post_form, reason, task_on
from tests.marketplace.question_samples import PAGE, external_question, html_question

ANSWERS = "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd}"


def fetched(address: str) -> httpx.Response:
    return httpx.get(address, trust_env=False)


def answers(lab, hit) -> dict[str, str]:
    root = fromstring(lab.work(hit)[0]["Answer"])
    assert root.tag == f"{ANSWERS}QuestionFormAnswers"
    return {row[0].text: row[1].text or "" for row in root}


def test_the_frame_shows_the_page_as_it_was_published(lab, ann, port):
    page = "<!DOCTYPE html><html><body><p>naïve 語 🙂 &amp;</p><script>1 < 2</script></body></html>"
    task = ann.take(lab.hit(Question=html_question(page)))
    answer = fetched(task.frame)
    assert task.frame.startswith(f"http://localhost:{port}/")
    # Our script stands behind the doctype; nothing else is changed.
    assert answer.text.startswith("<!DOCTYPE html><script>(")
    assert re.sub("(?s)<script>.*?</script>", "", answer.text, count=1) == page
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


def test_the_frame_carries_the_four_parameters(lab, ann):
    hit = lab.hit()
    task = ann.take(hit)
    assert task.fields == {
        "assignmentId": task.id,
        "hitId": hit["HITId"],
        "turkSubmitTo": task.fields["turkSubmitTo"],
        "workerId": ann.worker_id,
    }
    token = task.fields["turkSubmitTo"].removeprefix(f"{ann.origin}/hits/s/{task.id}-")
    assert re.fullmatch("[0-9a-f]{48}", token)


def test_requester_html_has_no_origin_and_no_cookie_even_outside_the_frame(lab, ann):
    answer = fetched(ann.take(lab.hit()).frame)
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts allow-forms")
    assert "allow-same-origin" not in policy
    assert "allow-top-navigation" not in policy
    assert policy.endswith(f"frame-ancestors {ann.origin}")
    assert "set-cookie" not in answer.headers
    assert "x-frame-options" not in answer.headers


def test_the_worker_page_frames_that_host_and_the_answer_page_sandboxed(lab, ann, port):
    page = ann.accept(lab.hit())
    # The frame's form leads to our own host, and browsers hold that against frame-src too.
    assert f"frame-src http://localhost:{port} 'self';" in page.headers["content-security-policy"] + ";"
    assert 'sandbox="allow-scripts allow-forms allow-popups allow-modals allow-downloads"' in page.text


def test_frames_answer_on_their_own_host_only(lab, ann):
    task = ann.take(lab.hit())
    assert fetched(task.frame.replace("localhost", "127.0.0.1")).status_code == 404


def test_a_frame_is_shown_to_whom_the_site_sent_there(lab, ann):
    hit = lab.hit()
    task = ann.take(hit)
    for altered in (
        task.frame.replace(ann.worker_id, "AOTHER"),
        task.frame.replace(f"assignmentId={task.id}", f"assignmentId={hit['HITId']}"),
        task.frame.replace(task.id, "ASSIGNMENT_ID_NOT_AVAILABLE"),
    ):
        assert fetched(altered).status_code == 404


def test_one_shared_host_shows_no_hit_outside_development(lab, ann, settings):
    settings.HIT_ORIGIN = settings.WORKER_ORIGIN
    task = ann.take(lab.hit())
    assert fetched(task.frame).status_code == 200
    settings.MARKETPLACE_DEVELOPMENT = False
    assert fetched(task.frame).status_code == 503


def test_forms_that_name_amazons_site_are_sent_to_ours(lab, ann):
    page = PAGE.replace("<form ", '<form action="https://www.mturk.com/mturk/externalSubmit" ')
    task = ann.take(lab.hit(Question=html_question(page)))
    shown = fetched(task.frame).text
    assert f'action="{ann.origin}/hits/s/{task.id}-' in shown
    assert "mturk.com/mturk" not in shown.split("</script>", 1)[1]


def test_an_external_question_keeps_its_query(lab, ann):
    hit = lab.hit(Question=external_question("https://example.org/study?a=1&b=%26#top"))
    preview = ann.get(f"/hits/{hit['HITId']}/")
    address = task_on(preview).frame
    assert address.count("?") == 1
    assert address.startswith("https://example.org/study?a=1&b=%26&assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&")
    assert address.endswith("#top")
    assert "frame-src https://example.org" in preview.headers["content-security-policy"]
    assert "allow-same-origin" in preview.text
    assert "workerId" not in address
    query = parse_qs(urlsplit(ann.take(hit).frame).query)
    assert query["workerId"] == [ann.worker_id]
    assert query["a"] == ["1"]


def test_an_external_question_on_our_own_host_gets_no_origin(lab, ann):
    hit = lab.hit(Question=external_question(f"{ann.origin}/hits/"))
    assert "allow-same-origin" not in ann.get(f"/hits/{hit['HITId']}/").text


def test_fields_become_answers_in_the_order_of_the_form(lab, ann):
    hit = lab.hit()
    ann.do(
        hit,
        [
            ("practice", ""), ("box", "A"), ("text", "<&> 🙂\r\nsecond\rthird\x07"), ("box", "B"), ("box", "C"),
            ("pipe", "a|b"), ("hitId", hit["HITId"]), ("workerId", "X"), ("turkSubmitTo", "Y"),
        ],
    )  # fmt: skip
    assert list(answers(lab, hit).items()) == [
        ("practice", ""),
        ("box", "A|B|C"),
        ("text", "<&> 🙂\nsecond\nthird"),
        ("pipe", "a|b"),
    ]
    assert "<FreeText/>" in lab.work(hit)[0]["Answer"]


def test_fields_are_kept_as_they_came(lab, ann):
    ann.do(lab.hit(), [("text", "a\r\nb\x07\x00"), ("text", "c")])
    raw = Submission.objects.get().raw
    assert raw.isascii()
    assert raw.endswith(r'["text", "a\r\nb\u0007\u0000"], ["text", "c"]]')


def test_a_form_without_fields_gives_an_empty_document(lab, ann):
    hit = lab.hit()
    post_form(f"{ann.origin}/hits", [("assignmentId", ann.take(hit).id)])
    assert answers(lab, hit) == {}


def test_a_crowd_form_arrives_as_one_json_answer(lab, ann):
    hit = lab.hit()
    ann.do(hit, [("taskAnswers", '[{"country":"United States","weather":"sun & rain"}]')])
    assert answers(lab, hit) == {"taskAnswers": '[{"country":"United States","weather":"sun & rain"}]'}


def test_long_texts_arrive_whole(lab, ann):
    hit = lab.hit()
    ann.do(hit, [("text", "語" * 100_000)])
    assert answers(lab, hit)["text"] == "語" * 100_000


def test_a_multipart_form_is_read_too(lab, ann):
    hit = lab.hit()
    task = ann.take(hit)
    parts = {"assignmentId": (None, task.id), "rating": (None, "4"), "file": ("a.txt", b"content")}
    answer = httpx.post(f"{ann.origin}/hits/mturk/externalSubmit", files=parts, trust_env=False)
    assert reason(answer) == "recorded"
    assert answers(lab, hit) == {"rating": "4", "file": "a.txt"}


def test_the_answer_page_can_be_shown_in_the_frame(lab, ann):
    answer = ann.hand_in(ann.take(lab.hit()))
    assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
    assert "x-frame-options" not in answer.headers
    assert "set-cookie" not in answer.headers


def test_work_is_handed_in_once(lab, ann):
    hit = lab.hit()
    task = ann.take(hit)
    ann.hand_in(task, [("rating", "1")])
    again = ann.hand_in(task, [("rating", "2")])
    assert (again.status_code, reason(again)) == (409, "twice")
    assert answers(lab, hit) == {"rating": "1"}


@pytest.mark.parametrize(
    ("assignment", "word"),
    [
        ([("assignmentId", "ASSIGNMENT_ID_NOT_AVAILABLE")], "preview"),
        ([("assignmentId", "3" + "X" * 29)], "unknown"),
        ([("assignmentId", "\x00' OR 1=1")], "unknown"),
        ([("assignmentId", "")], "unknown"),
        ([], "unknown"),
    ],
)
def test_forged_and_previewed_forms_record_nothing(lab, ann, assignment, word):
    ann.take(lab.hit())
    answer = post_form(f"{ann.origin}/hits", [*assignment, ("rating", "5")])
    assert reason(answer) == word
    assert answer.status_code in {404, 409}
    assert not Submission.objects.exists()
    assert Assignment.objects.get().state == "Accepted"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (b"assignmentId=x&" + b"a=1&" * 10_001, "application/x-www-form-urlencoded"),
        (b"rating=" + b"x" * 4_200_000, "application/x-www-form-urlencoded"),
        (b'{"assignmentId": "x"}', "application/json"),
        (b"--x\r\nbroken", "multipart/form-data; boundary="),
    ],
)
def test_forms_that_cannot_be_read_are_told_so(site, content, encoding):
    address = f"{site}/hits/mturk/externalSubmit"
    answer = httpx.post(address, content=content, headers={"Content-Type": encoding}, trust_env=False)
    assert (answer.status_code, reason(answer)) == (400, "form")


def test_answers_are_handed_in_by_post(site):
    answer = fetched(f"{site}/hits/mturk/externalSubmit?assignmentId=x")
    assert (answer.status_code, reason(answer)) == (405, "method")


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("https://example.org/study", True),
        ("https://127.0.0.1/x", False), ("https://LOCALHOST:9/x", False), ("https://127.1/x", False),
        ("https://0x7f.0.0.1/x", False), ("https://2130706433/x", False), ("https://console.example/x", False),
        ("https://Console.Example./x", False), ("https://sub.console.example/x", True),
    ],
)  # fmt: skip
def test_an_outside_page_keeps_its_origin_only_on_a_host_that_is_none_of_ours(settings, address, kept):
    settings.WORKER_ORIGIN, settings.HIT_ORIGIN = "http://127.0.0.1:8000", "http://localhost:8000"
    settings.CONSOLE_ORIGIN = "https://console.example"
    assert ("allow-same-origin" in sandbox_of(Question("ExternalQuestion", address, 600))) is kept


def test_a_submit_token_survives_the_change_of_the_secret_and_nothing_else(settings):
    settings.SECRET_KEY = "old"
    token = submit_token("3" + "A" * 29)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new", ["old"]
    assert assignment_of(token) == "3" + "A" * 29
    settings.SECRET_KEY_FALLBACKS = []
    assert assignment_of(token) == ""
