"""A link study on a telephone, in a real Chromium: by touch and by keyboard, from consent to withdrawal."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from annotation.marketplace.models import Assignment
from tests.browsing import PHONE, WIDTHS, fresh, wrong_by_day_and_night
from tests.marketplace.channels.guests import channel, tasks, told, written
from tests.marketplace.question_samples import html_question

CONSENT = (
    "You will read two short texts and say how typical each is. It takes about two minutes.\n\n"
    "Taking part is voluntary. You may stop at any time and take your answers back later.\n\n"
    "We keep your answers without your name. The id of your panel is deleted on 30 June 2027.\n\n"
    "Questions: ada@example.org, Department of Reading."
)
DEBRIEF = "Half of the texts were written by a computer. We compare how typical people find them."
HIT = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Rate a text</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
:root { color-scheme: light dark } body { font: 18px/1.5 serif; margin: 1rem }
label { display: block; min-height: 44px }
button { font: inherit; min-height: 44px }</style></head><body><main><h1>How typical is this text?</h1>
<p>The committee will meet again on Thursday.</p><form method="post" id="f">
<input type="hidden" name="assignmentId"><fieldset><legend>Your rating</legend>
<label><input type="radio" name="rating" value="1" required> Rare</label>
<label><input type="radio" name="rating" value="2"> Typical</label></fieldset>
<button>Submit</button></form></main><script>
const given = new URLSearchParams(location.search), form = document.getElementById("f");
form.elements.assignmentId.value = given.get("assignmentId");
form.action = given.get("turkSubmitTo") + "/mturk/externalSubmit";
</script></body></html>"""


@pytest.fixture
def telephone(browser: Browser, site: str) -> Iterator[Callable[..., Page]]:
    """A telephone that was never here."""
    with ExitStack() as stack:

        def new(**look: Any) -> Page:
            settings = {"viewport": PHONE, "has_touch": True, "is_mobile": True, **look}
            return stack.enter_context(fresh(browser, base_url=site, **settings)).new_page()

        yield new


@pytest.fixture
def study_link(lab, tmp_path) -> str:
    """Two tasks, texts, a panel's id and its return address."""
    tasks(lab, Question=html_question(HIT), Title="How typical is this text?", Reward="0.40")
    texts = ["--consent", written(tmp_path, "c.txt", CONSENT), "--debrief", written(tmp_path, "d.txt", DEBRIEF)]
    back = ["--id-parameter", "participant", "--return-url", "https://panel.example.org/done?p={external_id}&c={code}"]
    pay = ["--title", "Typical texts", "--pays", "elsewhere", "--pay-words", "2 points of your panel"]
    return channel("panel", *texts, *back, *pay)


def task_frame(page: Page) -> Frame:
    page.wait_for_selector("iframe")
    handle = page.query_selector("iframe")
    assert handle
    frame = handle.content_frame()
    assert frame
    frame.wait_for_selector("form")
    return frame


def press(page: Page, name: str) -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=name, exact=True).tap()


def seen(page: Page, name: str) -> None:
    """Nothing serious by axe, light or dark, nothing to scroll sideways; a picture where SHOTS names a folder."""
    assert wrong_by_day_and_night(page) == [], name
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def test_a_study_on_a_telephone_by_touch_and_by_keyboard(study_link, telephone, lab):
    page = telephone()
    page.goto(f"{study_link}?participant=7%2F9")
    expect(page.get_by_text("Taking part is voluntary")).to_be_visible()
    press(page, "I agree and start")
    expect(page.get_by_text("Task 1 of 2")).to_be_visible()
    frame = task_frame(page)
    frame.get_by_label("Typical", exact=True).tap()
    frame.get_by_role("button", name="Submit").tap()
    expect(page.get_by_text("Task 2 of 2")).to_be_visible()
    frame = task_frame(page)
    frame.get_by_label("Rare").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/hits/end/")
    code = page.locator(".code").first.inner_text()
    assert told("verify", code)["handed_in"] == 2
    assert set(Assignment.objects.values_list("state", flat=True)) == {"Submitted"}
    expect(page.get_by_text("Half of the texts")).to_be_visible()

    # There is no such host; that the browser asks for it is what counts.
    with page.expect_request(f"https://panel.example.org/done?p=7%2F9&c={code}"):
        page.get_by_role("link", name="Return to panel.example.org").tap()

    again = page.context.new_page()
    again.goto(f"{study_link}?participant=7%2F9")
    expect(again.get_by_role("heading", level=1)).to_have_text("You have already taken part")
    other = telephone()
    other.goto(f"{study_link}?participant=7%2F9")
    expect(other.get_by_role("heading", level=1)).to_have_text("You have already taken part")


def test_answers_are_taken_back_on_the_telephone(study_link, telephone):
    page = telephone()
    page.goto(f"{study_link}?participant=8")
    press(page, "I agree and start")
    frame = task_frame(page)
    frame.get_by_label("Rare").tap()
    frame.get_by_role("button", name="Submit").tap()
    expect(page.get_by_text("Task 2 of 2")).to_be_visible()
    page.locator(".menu summary").tap()
    with page.expect_navigation():
        page.get_by_role("link", name="Stop and get your code").tap()
    press(page, "Stop and show my code")
    page.wait_for_url("**/hits/end/")
    press(page, "Withdraw my answers")
    press(page, "Erase my answers")
    expect(page.get_by_role("heading", level=1)).to_have_text("Your answers are erased")
    states = dict(Assignment.objects.values_list("state", "submission__answer"))
    assert sorted(states) == ["Approved", "Returned"]
    assert "assay:withdrawn" in states["Approved"]


@pytest.mark.parametrize("look", WIDTHS)
def test_every_page_of_the_way_in_and_out_can_be_used_by_everybody(study_link, telephone, lab, guest, tmp_path, look):
    page = telephone(viewport=WIDTHS[look])
    page.goto(f"{study_link}?participant=9")
    seen(page, f"door-{look}")
    page.goto("/hits/in/nothing/")
    seen(page, f"unknown-{look}")
    page.goto(study_link)
    seen(page, f"needs-id-{look}")
    page.goto(f"{study_link}?participant=9")
    press(page, "I agree and start")
    frame = task_frame(page)
    page.locator(".menu summary").tap()
    seen(page, f"work-{look}")
    told("change", "panel", "--consent", written(tmp_path, "new.txt", CONSENT + "\n\nWe also record times."))
    page.goto("/hits/stop/")
    seen(page, f"stop-{look}")
    press(page, "Stop without a code")
    seen(page, f"stopped-{look}")
    page.goto("/hits/")
    seen(page, f"next-{look}")
    press(page, "Start task 1 of 2")
    seen(page, f"consent-{look}")
    press(page, "I agree and continue")
    frame = task_frame(page)
    page.goto("/hits/device/")
    seen(page, f"device-{look}")
    press(page, "Show my personal address")
    seen(page, f"address-{look}")
    page.goto(page.locator("#address").input_value())
    seen(page, f"resume-{look}")
    page.goto("/hits/in/device/nothing/")
    seen(page, f"resume-unknown-{look}")
    page.goto("/hits/")
    frame = task_frame(page)
    frame.get_by_label("Rare").tap()
    frame.get_by_role("button", name="Submit").tap()
    expect(page.get_by_text("Task 2 of 2")).to_be_visible()
    task_frame(page)
    page.goto("/hits/your-data/")
    seen(page, f"data-{look}")
    page.goto("/hits/stop/")
    seen(page, f"stop-with-code-{look}")
    press(page, "Stop and show my code")
    page.wait_for_url("**/hits/end/")
    seen(page, f"end-{look}")
    page.goto(f"{study_link}?participant=9")
    seen(page, f"already-{look}")
    page.goto("/hits/withdraw/")
    seen(page, f"withdraw-{look}")
    page.locator("#token").fill("wrong")
    press(page, "Go on")
    seen(page, f"wrong-token-{look}")
    page.goto("/hits/end/")
    press(page, "Withdraw my answers")
    seen(page, f"sure-{look}")
    press(page, "Erase my answers")
    seen(page, f"erased-{look}")


def test_a_closed_study_says_so_on_the_telephone(study_link, telephone):
    told("close", "panel")
    page = telephone()
    page.goto(f"{study_link}?participant=9")
    expect(page.get_by_role("heading", level=1)).to_have_text("The study is over")
