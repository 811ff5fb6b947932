"""A worker goes back in the browser during a task: what was written is there, goes on being kept, and is handed in."""

from __future__ import annotations

from playwright.sync_api import Frame, Route, expect

from annotation.design.kinds import default_wording
from annotation.hits.render import ShownLine, ShownText, hit_page
from tests.marketplace.framed.desk import Desk, fields
from tests.marketplace.question_samples import html_question

TEXTS = [ShownLine(i, ShownText(f"This is the text {i}.")) for i in range(2)]
HELLO_AGAIN_AND_AGAIN = """() => {
  const hello = () => parent.postMessage({type: "assay:hello", load: "earlier"}, "*", [new MessageChannel().port2]);
  setInterval(hello, 100);
}"""
PAGE = hit_page(default_wording("human_or_machine"), TEXTS, shuffle=False)


def judge(ann: Desk, frame: Frame, words: str) -> None:
    """Go on to the next text, take it for a machine's and give a reason, which is kept."""
    frame.get_by_role("button", name="Next").click()
    frame.get_by_label("Possibly machine-generated").locator("visible=true").check()
    # The choice of the label may be kept by a request of its own first: the one that carries the words is awaited.
    with ann.page.expect_response(lambda kept: "/draft?" in kept.url and words in (kept.request.post_data or "")):
        frame.locator("textarea:visible").fill(words)


def test_reasons_survive_going_back_and_are_handed_in_with_their_ratings(lab, ann: Desk) -> None:
    judge(ann, ann.accept(lab.hit(Question=html_question(PAGE))), "It repeats itself.")
    ann.page.get_by_role("link", name="Return this task").click()
    ann.page.get_by_role("button", name="Yes, return it").wait_for()
    ann.page.go_back()
    frame = ann.frame()
    # The page of the task is another document now; what was written is in it, before anything is touched.
    expect(frame.locator("[name=change-0]")).to_have_value("It repeats itself.")
    expect(frame.locator("[name=change-0]")).to_be_visible()
    judge(ann, frame, "It is about nothing.")
    for name in ("Next", "Submit"):
        frame.get_by_role("button", name=name).click()
    ann.recorded()
    answers = fields()
    assert {name: answers[name] for name in ("rating-0", "change-0", "rating-1", "change-1")} == {
        "rating-0": "Possibly machine-generated",
        "change-0": "It repeats itself.",
        "rating-1": "Possibly machine-generated",
        "change-1": "It is about nothing.",
    }


def test_an_earlier_showing_that_says_hello_again_does_not_break_off_its_replacement(lab, ann: Desk) -> None:
    frame = ann.accept(lab.hit(Question=html_question(PAGE)))
    waiting: list[Route] = []
    # The replacement is slow: its request stays open, and the earlier showing would go on saying hello.
    ann.page.route("**/hits/frame/**", lambda route: waiting.append(route))
    with ann.page.expect_event("framedetached"):
        frame.evaluate(HELLO_AGAIN_AND_AGAIN)
    # The request is seen before the route above has it, on a busy machine by some time.
    while not waiting:
        ann.page.wait_for_timeout(10)
    assert len(waiting) == 1
    waiting.pop().continue_()
    ann.frame()
