"""Every page of the worker site for the eyes of axe: narrow and wide, light and dark, full, empty and failing."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from annotation.accounts.models import User
from annotation.marketplace.assignments import rejection_replies as replies
from annotation.marketplace.core import clock
from annotation.marketplace.models import Assignment, WorkerAccount
from annotation.marketplace.workers import payouts
from annotation.marketplace.workers.payouts import Mark
from tests.browsing import DESK, sideways, wrong_by_day_and_night
from tests.marketplace.question_samples import html_question

LONG = "Say how typical these headlines are: " + "Donaudampfschifffahrtsgesellschaftskapitän " * 2
TASK = "<!doctype html><html lang=en><title>Task</title><h1>Rate this</h1><form><button>Submit</button></form></html>"
# WCAG 1.4.10: 1280 pixels at 400 %.
ZOOMED = {"viewport": {"width": 320, "height": 256}}

STRANGERS = ["sign-in/", "sign-in/link/", "forgotten/", "register/", "terms/", "enter/nothing/", "gone/"]
EMPTY = ["", "?q=zebra", "history/", "history/?state=Approved", "earnings/", "qualifications/", "messages/", "welcome/"]


@pytest.fixture
def full(lab: Any, sign_in: Any) -> list[str]:
    """The pages of a worker, Ann, who has done, earned and been told much."""
    ann = sign_in("ann", email="ann@example.org", locale="US-CA", payee="IBAN 1")
    found = {
        name: lab.client.create_qualification_type(Name=name, Description="d " * 90, QualificationTypeStatus="Active")
        for name in ("held", "taken back", "asked", "to be asked for")
    }
    ids = {name: made["QualificationType"]["QualificationTypeId"] for name, made in found.items()}
    for name in ("held", "taken back"):
        lab.client.associate_qualification_with_worker(
            QualificationTypeId=ids[name], WorkerId=ann.worker_id, SendNotification=False
        )
    lab.client.disassociate_qualification_from_worker(QualificationTypeId=ids["taken back"], WorkerId=ann.worker_id)
    ann.post(f"/hits/qualifications/{ids['asked']}/", f"/hits/qualifications/{ids['asked']}/ask/")
    wanted = {"QualificationTypeId": ids["to be asked for"], "Comparator": "Exists"}
    question = html_question(TASK)
    hits = [lab.hit(Title=LONG[:128], Description="d " * 200, Question=question) for _ in range(5)]
    closed_to_her = lab.hit(Title="For others", QualificationRequirements=[wanted], Question=question)
    approved, rejected, waits = (ann.do(hit) for hit in hits[:3])
    lab.client.approve_assignment(AssignmentId=approved, RequesterFeedback="Well done")
    payouts.make_batch(now=clock.now())
    sent = WorkerAccount.objects.get().payouts.get()
    payouts.settle([Mark(1, sent.payout_id, "paid", "REFERENCE-WITHOUT-A-BREAK-0123456789")], now=clock.now())
    lab.client.send_bonus(WorkerId=ann.worker_id, AssignmentId=approved, BonusAmount="0.75", Reason="For comments")
    lab.client.reject_assignment(AssignmentId=rejected, RequesterFeedback="Too fast\n\nWrite to us.")
    answered = ann.do(lab.hit(Title="Answered", Question=question))
    lab.client.reject_assignment(AssignmentId=answered, RequesterFeedback="One answer throughout.")
    User.objects.filter(username="lab").update(email="lab@example.org")
    replies.send(Assignment.objects.get(assignment_id=answered), "I read it. " * 80, now=clock.now())
    lab.client.notify_workers(Subject="Hello", MessageText="Thank you.\n\nBye", WorkerIds=[ann.worker_id])
    held = ann.take(hits[3])
    return [
        "", "?q=Donau&pay=wrong", "history/", "earnings/", "qualifications/", "requesters/", "messages/", "account/",
        "account/?said=saved", "account/password/", "account/address/", "account/delete/",
        f"groups/{hits[0]['HITGroupId']}/", f"{hits[4]['HITId']}/", f"{closed_to_her['HITId']}/",
        f"qualifications/{ids['to be asked for']}/", f"qualifications/{ids['held']}/", f"work/{held.id}/",
        f"work/{held.id}/return/", *(f"work/{done}/done/" for done in (approved, rejected, answered, waits)),
    ]  # fmt: skip


def faulty(page: Page, paths: list[str]) -> dict[str, list[str]]:
    """What is wrong with each page of the worker site, light and dark."""
    found = {}
    for path in paths:
        page.goto(f"/hits/{path}")
        found[path] = wrong_by_day_and_night(page)
    return {path: wrong for path, wrong in found.items() if wrong}


def test_the_pages_of_strangers_have_no_faults(site, stranger, look):
    assert faulty(stranger(**look), STRANGERS) == {}


def test_forms_that_failed_have_no_faults_and_the_summary_has_the_focus(site, stranger, look):
    page = stranger(**look)
    for path, button in {"sign-in/": "Sign in", "register/": "Register", "forgotten/": "Send the mail"}.items():
        page.goto(f"/hits/{path}")
        page.get_by_role("button", name=button).click()
        assert page.title().startswith("Error:")
        assert wrong_by_day_and_night(page) == []
        assert page.evaluate("document.activeElement.getAttribute('role')") == "alert"


def test_an_answer_that_failed_has_no_faults_and_keeps_what_was_typed(full, visitor, look):
    page = visitor("ann", look)
    rejected = next(path for path in full if "done" in path and _asks(page, path))
    page.goto(f"/hits/{rejected}")
    page.locator("textarea").evaluate("found => found.removeAttribute('maxlength')")
    page.get_by_label("Your answer to the requester").fill("x" * 1001)
    page.get_by_role("button", name="Send the answer").click()
    page.get_by_role("alert").wait_for()
    assert page.title().startswith("Error:")
    assert page.get_by_label("Your answer to the requester").input_value() == "x" * 1001
    assert wrong_by_day_and_night(page) == []


def _asks(page: Page, path: str) -> bool:
    page.goto(f"/hits/{path}")
    return page.get_by_role("button", name="Send the answer").count() == 1


def test_pages_with_nothing_on_them_have_no_faults(visitor, look):
    assert faulty(visitor("new", look), EMPTY) == {}


def test_pages_with_much_on_them_have_no_faults(full, visitor, look):
    assert faulty(visitor("ann", look), full) == {}


def test_at_400_percent_nobody_scrolls_sideways(full, visitor):
    page = visitor("ann", ZOOMED)
    wide = {}
    for path in full:
        page.goto(f"/hits/{path}")
        wide[path] = sideways(page)
    assert {path: by for path, by in wide.items() if by} == {}


def test_pages_are_right_in_languages_that_run_from_right_to_left(full, visitor, settings):
    settings.LANGUAGES = [("en", "English"), ("ar", "Arabic")]
    page = visitor("ann", {"locale": "ar", "viewport": {"width": 360, "height": 740}})
    for path in full:
        page.goto(f"/hits/{path}")
        assert page.locator("html").get_attribute("dir") == "rtl"
        assert (path, sideways(page)) == (path, 0)


def test_a_page_calls_itself_by_no_language_that_it_does_not_speak(visitor):
    page = visitor("ann", {"locale": "ar"})
    assert page.locator("html").get_attribute("lang") == "en"


def targets_too_small(page: Page) -> list[str]:
    """Things to press under 44 pixels high that do not stand in running text (WCAG 2.5.5 excepts those)."""
    return page.evaluate("""() => [...document.querySelectorAll("a, button, select, summary, input:not([type=hidden])")]
      .filter(found => found.offsetParent && !found.closest("p:not(.steps):not(.more), .skip, .problems, .unseen"))
      .filter(found => !found.matches("input[type=checkbox], input[type=radio]") && !found.matches(".unseen"))
      .filter(found => found.getBoundingClientRect().height < 43.5)
      .map(found => found.outerHTML.slice(0, 120))""")


def test_things_to_press_are_44_pixels_high(full, visitor):
    page = visitor("ann", {"viewport": {"width": 360, "height": 740}})
    for path in full:
        page.goto(f"/hits/{path}")
        assert (path, targets_too_small(page)) == (path, [])


def test_the_first_tab_leads_past_the_navigation(visitor):
    page = visitor("ann", {"viewport": DESK})
    page.keyboard.press("Tab")
    assert page.locator(":focus").text_content() == "Skip to the content"
    assert page.locator(":focus").bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_what_has_the_focus_is_seen(visitor):
    page = visitor("ann")
    for _ in range(6):
        page.keyboard.press("Tab")
        style = page.locator(":focus").evaluate("found => getComputedStyle(found).outline")
        assert "3px" in style
        assert "solid" in style
