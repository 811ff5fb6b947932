"""What was written, and where a person was, after a reload, a closed page and on another device."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Frame, expect

from annotation.design.kinds import HUMAN_OR_MACHINE, default_wording
from annotation.design.wording import Practice, Training
from annotation.hits.render import ShownLine, ShownText, hit_page
from annotation.marketplace.models import Draft
from tests.browsing import wrong_with
from tests.marketplace.framed.desk import Desk, connected
from tests.marketplace.question_samples import html_question

LINES = [ShownLine(n, ShownText(f"The committee met for the {n}th time.")) for n in range(3)]
PRACTICE = Training(examples=(Practice("It rained in the old harbour.", "human", "It names a place."),))


@pytest.fixture
def hit(lab) -> dict:
    """Human or machine with one practice round: every text is a step of its own."""
    wording = replace(default_wording(HUMAN_OR_MACHINE.name), training=PRACTICE)
    return lab.hit(Question=html_question(hit_page(wording, LINES, arm="examples", seed=1)))


def seen_texts(frame: Frame) -> list[str]:
    return [text.inner_text() for text in frame.locator(".text").all() if text.is_visible()]


def to_the_first_text(frame: Frame) -> None:
    """Past what is read first and the practice round, by a guess."""
    while not frame.locator(".line").first.is_visible() and not any(
        line.is_visible() for line in frame.locator(".line").all()
    ):
        reveal = [button for button in frame.locator(".reveal").all() if button.is_visible()]
        if reveal:
            frame.locator(".practice input").first.check()
            reveal[0].click()
        frame.locator("#next").click()


def stored(words: str, seconds: float = 20) -> bool:
    """Whether the server has `words` in a draft before so many seconds are over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if any(words in json.dumps(json.loads(draft.content), ensure_ascii=False) for draft in Draft.objects.all()):
            return True
        time.sleep(0.05)
    return False


def test_a_reload_comes_back_to_the_same_step_with_the_same_answers(hit, ann: Desk) -> None:
    frame = ann.accept(hit)
    to_the_first_text(frame)
    texts = seen_texts(frame)
    visible = next(line for line in frame.locator(".line").all() if line.is_visible())
    visible.locator("input[type=radio]").nth(2).check()
    area = next(area for area in frame.locator(".line textarea").all() if area.is_visible())
    area.fill("It repeats itself")
    assert stored("It repeats itself")
    ann.page.reload()
    frame = connected(ann.page)
    expect(frame.get_by_text(texts[0]).first).to_be_visible()
    assert seen_texts(frame) == texts
    again = next(area for area in frame.locator(".line textarea").all() if area.is_visible())
    assert again.input_value() == "It repeats itself"
    # The practice round counts as done: the next step is the next text.
    frame.locator("#next").click()
    assert seen_texts(frame) != texts


def test_what_was_typed_last_is_stored_when_the_page_closes(hit, ann: Desk) -> None:
    frame = ann.accept(hit)
    to_the_first_text(frame)
    visible = next(line for line in frame.locator(".line").all() if line.is_visible())
    visible.locator("input[type=radio]").nth(2).check()
    area = next(area for area in frame.locator(".line textarea").all() if area.is_visible())
    area.fill("The last words")
    # Within the two seconds in which nothing is sent, but after the task has handed its draft to the page around it.
    frame.evaluate("() => new Promise((go) => setTimeout(go, 300))")
    ann.page.goto("about:blank")
    assert stored("The last words")


def test_a_draft_that_is_too_long_is_said_to_be(hit, sit_down: Callable[..., Desk]) -> None:
    ann = sit_down("ann")
    frame = ann.accept(hit)
    to_the_first_text(frame)
    visible = next(line for line in frame.locator(".line").all() if line.is_visible())
    visible.locator("input[type=radio]").nth(2).check()
    area = next(area for area in frame.locator(".line textarea").all() if area.is_visible())
    # 30,000 letters of three bytes each: more than the server stores.
    area.evaluate("(area) => { area.removeAttribute('maxlength'); area.value = '語'.repeat(30000); }")
    area.press("End")
    area.type("!")
    expect(ann.page.get_by_text("too long to be stored while you work")).to_be_visible()


def test_of_two_tabs_none_takes_the_place_of_the_others_words(lab, ann: Desk) -> None:
    page = (
        "<!DOCTYPE html><html lang='en'><title>t</title><form><label>Text <textarea name=t></textarea></label></form>"
    )
    frame = ann.accept(lab.hit(Question=html_question(page)))
    other = ann.context.new_page()
    other.goto(ann.page.url)
    second = connected(other)
    frame.get_by_label("Text").fill("of the first tab")
    assert stored("of the first tab")
    second.get_by_label("Text").fill("of the second tab")
    notice = other.get_by_role("alert").filter(has_text="in another tab or on another device")
    expect(notice).to_be_visible()
    assert wrong_with(other) == []
    # Nothing was lost on either side, and the person says which of the two counts.
    assert stored("of the first tab")
    assert second.get_by_label("Text").input_value() == "of the second tab"
    other.get_by_role("button", name="Keep what is written here").click()
    assert stored("of the second tab")
    frame.get_by_label("Text").press_sequentially("!")
    ann.page.get_by_role("button", name="Load what was written there").click()
    expect(connected(ann.page).get_by_label("Text")).to_have_value("of the second tab")
    # Submitted in one tab: the other leads to the page that says so.
    ann.frame().evaluate("() => document.forms[0].requestSubmit()")
    ann.recorded()
    second.get_by_label("Text").press_sequentially("?")
    expect(other.get_by_role("heading", name="Thank you, your work is recorded")).to_be_visible()
