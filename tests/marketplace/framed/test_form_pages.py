"""QuestionForms and qualification tests in a real browser: by keyboard, with axe, narrow and dark."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from annotation.marketplace.models import QualificationGrant, Submission
from tests.browsing import LOOKS, faults
from tests.marketplace.forms import TIC_TAC_TOE, free_text, question, question_form, selection
from tests.marketplace.framed.desk import Desk, state
from tests.marketplace.qualifications.test_qualification_tests import made

EVERYTHING = question_form(
    "<Overview><Title>Everything</Title><List><ListItem>one</ListItem></List></Overview>",
    question("radio", selection("abc", "<StyleSuggestion>radiobutton</StyleSuggestion>", "<OtherSelection/>")),
    question("boxes", selection("abc", "<MaxSelectionCount>2</MaxSelectionCount>"), required=True),
    question("list", selection("abc", "<StyleSuggestion>dropdown</StyleSuggestion>")),
    question("number", free_text('<IsNumeric minValue="1" maxValue="9"/>')),
    question("lines", "<FreeTextAnswer><NumberOfLinesSuggestion>4</NumberOfLinesSuggestion></FreeTextAnswer>"),
)


@pytest.mark.parametrize("look", LOOKS.values(), ids=list(LOOKS))
def test_axe_finds_nothing_in_page_and_frame_also_with_faults(lab, sit_down: Callable[..., Desk], look: dict) -> None:
    ann = sit_down("ann", **look)
    frame = ann.accept(lab.hit(Question=EVERYTHING))
    assert (faults(ann.page), faults(frame)) == ([], [])
    frame.get_by_label("What?").nth(3).fill("twelve")
    frame.get_by_role("button", name="Submit").click()
    expect(frame.get_by_role("alert")).to_contain_text("Please choose an answer.")
    expect(frame.get_by_role("alert")).to_be_focused()
    assert (faults(ann.page), faults(frame)) == ([], [])
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert (ann.page.evaluate(wide), frame.evaluate(wide)) == (0, 0)
    # Nothing that was typed is gone.
    assert frame.locator("input[name=number]").input_value() == "twelve"
    assert state() == "Accepted"


def test_a_form_is_filled_in_by_keyboard_after_a_mistake(lab, ann: Desk) -> None:
    frame = ann.accept(lab.hit(Question=TIC_TAC_TOE))
    frame.locator("input[name=nextmove]").focus()
    ann.page.keyboard.press("Control+A")
    ann.page.keyboard.type("B3")
    ann.page.keyboard.press("Enter")
    alert = frame.get_by_role("alert")
    expect(alert).to_be_focused()
    ann.page.keyboard.press("Tab")
    ann.page.keyboard.press("Enter")
    # The link of the fault leads to the first choice.
    ann.page.keyboard.press("Space")
    ann.page.keyboard.press("ArrowDown")
    ann.page.keyboard.press("Enter")
    ann.recorded()
    answer = Submission.objects.get().answer
    assert "<FreeText>B3</FreeText>" in answer
    assert "<SelectionIdentifier>unsure</SelectionIdentifier>" in answer


def test_a_form_keeps_its_draft(lab, ann: Desk) -> None:
    frame = ann.accept(lab.hit(Question=TIC_TAC_TOE))
    with ann.page.expect_response("**/draft?*"):
        frame.get_by_label("Not likely").check()
    ann.page.reload()
    expect(ann.frame().get_by_label("Not likely")).to_be_checked()


def test_without_script_a_form_is_corrected_and_recorded(lab, sit_down: Callable[..., Desk]) -> None:
    ann = sit_down("ann", java_script_enabled=False)
    hit = lab.hit(Question=TIC_TAC_TOE)
    ann.page.goto(f"/hits/{hit['HITId']}/")
    ann.page.get_by_role("button", name="Accept this task").click()
    task = ann.page.frame_locator("iframe#task")
    task.locator("input[name=nextmove]").fill("B3")
    task.get_by_role("button", name="Submit").click()
    expect(task.get_by_text("Please choose an answer.").first).to_be_visible()
    expect(task.locator("input[name=nextmove]")).to_have_value("B3")
    task.get_by_label("Likely", exact=True).check()
    task.get_by_role("button", name="Submit").click()
    expect(task.get_by_role("heading", name="Your answers are recorded")).to_be_visible()
    ann.page.get_by_role("link", name=re.compile("Continue")).click()
    ann.recorded()


def test_a_qualification_test_is_taken_and_graded(lab, ann: Desk) -> None:
    type_id = made(lab)
    ann.page.goto(f"/hits/qualifications/{type_id}/")
    assert faults(ann.page) == []
    ann.page.get_by_role("button", name="Begin the test").click()
    frame = ann.frame()
    assert (faults(ann.page), faults(frame)) == ([], [])
    frame.locator("#q1").get_by_label("Choice D").check()
    frame.locator("#q2").get_by_label("Choice A").check()
    ann.context.set_offline(True)
    frame.get_by_role("button", name="Submit").click()
    expect(ann.page.get_by_text("kept in this browser")).to_be_visible()
    ann.context.set_offline(False)
    expect(
        ann.page.get_by_text("You passed the test: this qualification was granted to you, with a score of 15.")
    ).to_be_visible()
    assert QualificationGrant.objects.get().value == 15
