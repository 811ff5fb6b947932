"""Answers arrive once and are never lost, whatever happens to the connection, the page or the session."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Route, expect

from annotation.marketplace.core import clock
from annotation.marketplace.models import Submission, WorkerSession
from annotation.marketplace.workers.open_accounts import Record, open_worker
from annotation.marketplace.workers.sessions import new_link
from tests.browsing import FLAGS, PHONE
from tests.marketplace.framed.desk import Desk, connected, enter, fields, raw, state, task
from tests.marketplace.question_samples import html_question

SUBMIT = "**/mturk/externalSubmit"
KEPT = "Your answers are kept in this browser"


@pytest.fixture
def hit(lab) -> dict:
    return lab.hit(Question=html_question(task()))


def fill_in(frame, why: str = "clear") -> None:
    frame.get_by_label("Why?").fill(why)
    frame.get_by_label("good").check()


def test_answers_are_handed_in_by_keyboard_alone(hit, ann: Desk) -> None:
    ann.accept(hit)
    for _ in range(20):
        ann.page.keyboard.press("Tab")
        if connected(ann.page).evaluate("document.activeElement.name") == "why":
            break
    ann.page.keyboard.type("by keys")
    ann.page.keyboard.press("Tab")
    ann.page.keyboard.press("Space")
    ann.page.keyboard.press("ArrowDown")
    ann.page.keyboard.press("Tab")
    ann.page.keyboard.press("Enter")
    ann.recorded()
    # The button that was pressed belongs to the form's fields, in their order.
    assert raw()[1:] == [["why", "by keys"], ["rating", "2"], ["button", "pressed"]]
    # Back leads to no second submission: the page says that the work is recorded.
    ann.page.go_back()
    ann.recorded()
    ann.page.go_forward()
    ann.recorded()
    assert Submission.objects.count() == 1


@pytest.mark.parametrize("window", [{}, {"viewport": PHONE}], ids=["desk", "phone"])
def test_a_lost_connection_is_waited_for(hit, sit_down: Callable[..., Desk], window: dict) -> None:
    ann = sit_down("ann", **window)
    frame = ann.accept(hit)
    fill_in(frame)
    ann.context.set_offline(True)
    frame.get_by_role("button", name="Submit").click()
    expect(ann.page.get_by_text(KEPT)).to_be_visible()
    assert ann.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert state() == "Accepted"
    ann.context.set_offline(False)
    ann.recorded()
    assert fields() == {"why": "clear", "rating": "2", "button": "pressed"}
    assert Submission.objects.count() == 1


def test_a_task_that_said_hello_twice_is_still_heard(hit, ann: Desk) -> None:
    """On a slow machine the welcome comes after the second hello."""
    frame = ann.accept(hit)
    load = ann.page.locator("#main").get_attribute("data-load")
    hello = "load => parent.postMessage({type: 'assay:hello', load}, '*', [new MessageChannel().port2])"
    frame.evaluate(hello, load)
    fill_in(frame)
    frame.get_by_role("button", name="Submit").click()
    ann.recorded()
    assert fields()["why"] == "clear"


def test_a_server_in_trouble_is_asked_again(hit, ann: Desk) -> None:
    frame = ann.accept(hit)
    fill_in(frame)
    answers = [{"status": 502, "body": "<h1>Bad gateway</h1>"}]
    full = {"status": 503, "json": {"reason": "unstored", "title": "", "text": "", "same": False, "faults": {}}}
    ann.context.route(SUBMIT, lambda route: route.fulfill(**(answers.pop() if answers else full)))
    frame.get_by_role("button", name="Submit").click()
    expect(ann.page.get_by_text("The site cannot store anything at the moment. " + KEPT)).to_be_visible()
    assert (answers, state()) == ([], "Accepted")
    ann.context.unroute_all()
    ann.recorded()
    assert fields()["why"] == "clear"


def test_an_answer_whose_confirmation_is_lost_is_not_recorded_twice(hit, ann: Desk) -> None:
    frame = ann.accept(hit)
    fill_in(frame)
    answers: list[int] = []

    def cut(route: Route) -> None:
        answer = route.fetch()
        answers.append(answer.status)
        if len(answers) == 1:
            route.abort()
        else:
            route.fulfill(response=answer)

    ann.context.route(SUBMIT, cut)
    frame.get_by_role("button", name="Submit").click()
    ann.recorded()
    assert answers == [200, 409]
    assert Submission.objects.count() == 1


def test_a_reload_in_between_loses_nothing(hit, ann: Desk) -> None:
    frame = ann.accept(hit)
    fill_in(frame)
    ann.context.route(SUBMIT, lambda route: route.abort())
    frame.get_by_role("button", name="Submit").click()
    expect(ann.page.get_by_text(KEPT)).to_be_visible()
    ann.page.reload()
    expect(ann.page.get_by_text(KEPT)).to_be_visible()
    assert state() == "Accepted"
    ann.context.unroute_all()
    ann.page.get_by_role("button", name="Try now").click()
    ann.recorded()
    assert fields()["why"] == "clear"


def test_the_list_of_tasks_hands_in_what_a_closed_page_left(hit, ann: Desk) -> None:
    frame = ann.accept(hit)
    fill_in(frame)
    ann.context.route(SUBMIT, lambda route: route.abort())
    frame.get_by_role("button", name="Submit").click()
    expect(ann.page.get_by_text(KEPT)).to_be_visible()
    ann.page.close()
    ann.context.unroute_all()
    page = ann.context.new_page()
    page.goto("/hits/")
    expect(page.get_by_text("are recorded")).to_be_visible()
    assert fields()["why"] == "clear"


def test_a_restarted_browser_hands_in_what_it_kept(hit, site, browser: Browser, tmp_path: Path) -> None:
    worker = open_worker("ann", worker_id=None, record=Record(), now=clock.now())
    start: dict[str, Any] = {
        "executable_path": os.environ["CHROMIUM"],
        "args": FLAGS,
        "chromium_sandbox": False,
        "base_url": site,
    }
    first = browser.browser_type.launch_persistent_context(str(tmp_path), **start)
    page = first.new_page()
    enter(page, new_link(worker, now=timezone.now()))
    desk = Desk(worker.worker_id, first, page)
    frame = desk.accept(hit)
    fill_in(frame, "before the restart")
    first.route(SUBMIT, lambda route: route.abort())
    frame.get_by_role("button", name="Submit").click()
    expect(page.get_by_text(KEPT)).to_be_visible()
    first.close()
    again = browser.browser_type.launch_persistent_context(str(tmp_path), **start)
    page = again.new_page()
    page.goto("/hits/")
    expect(page.get_by_text("are recorded")).to_be_visible()
    again.close()
    assert fields()["why"] == "before the restart"


def test_a_session_that_ends_during_the_work_loses_nothing(hit, ann: Desk) -> None:
    frame = ann.accept(hit)
    fill_in(frame)
    WorkerSession.objects.all().delete()
    frame.get_by_role("button", name="Submit").click()
    ann.page.wait_for_url("**/hits/sign-in/**")
    recorded = ann.page.get_by_text("Your answers are recorded: nothing is lost. Sign in to continue.")
    expect(recorded).to_be_visible()
    # Back to the task, forward, and reload: each says so without the session.
    ann.page.go_back()
    ann.page.wait_for_url(re.compile(r"/hits/sign-in/\?next=%2Fhits%2Fwork%2F\w+%2F$"))
    expect(recorded).to_be_visible()
    ann.page.reload()
    expect(recorded).to_be_visible()
    ann.page.go_forward()
    ann.page.wait_for_url(re.compile("done%2F$"))
    expect(recorded).to_be_visible()
    assert state() == "Submitted"
    assert Submission.objects.count() == 1
    assert fields()["why"] == "clear"


def test_after_the_deadline_the_answer_stays_to_be_copied(hit, ann: Desk, pass_time) -> None:
    frame = ann.accept(hit)
    fill_in(frame, "too late")
    crowd = '[{"secret_condition":{"a":true,"b":false},"q":{"label":"yes"},"why":"so"}]'
    hidden = f"<input type=hidden name=taskAnswers value='{crowd}'>"
    frame.evaluate("html => document.forms[0].insertAdjacentHTML('beforeend', html)", hidden)
    ann.context.route(SUBMIT, lambda route: route.abort())
    frame.get_by_role("button", name="Submit").click()
    expect(ann.page.get_by_text(KEPT)).to_be_visible()
    pass_time(601)
    ann.context.unroute_all()
    ann.page.get_by_role("button", name="Try now").click()
    expect(ann.page.get_by_role("heading", name="The time for this task is over")).to_be_visible()
    # What was entered, without the names of the fields.
    assert ann.page.get_by_label("Your answers").input_value() == "too late\n2\npressed\na\nyes\nso"
    ann.page.goto("/hits/")
    assert "too late" in ann.page.get_by_label("Your answers").input_value()
    ann.page.get_by_role("button", name="Discard").click()
    expect(ann.page.get_by_label("Your answers")).to_have_count(0)
    ann.page.reload()
    expect(ann.page.get_by_label("Your answers")).to_have_count(0)
    assert Submission.objects.count() == 0


def test_another_tab_with_other_answers_is_told(hit, ann: Desk) -> None:
    first = ann.accept(hit)
    tab = ann.context.new_page()
    tab.goto(ann.page.url)
    second = connected(tab)
    fill_in(first, "first")
    first.get_by_role("button", name="Submit").click()
    ann.recorded()
    fill_in(second, "second")
    second.get_by_role("button", name="Submit").click()
    expect(tab.get_by_role("heading", name="Already submitted")).to_be_visible()
    assert "second" in tab.get_by_label("Your answers").input_value()
    assert fields()["why"] == "first"


def test_a_returned_task_tells_a_stale_tab(hit, ann: Desk) -> None:
    frame = ann.accept(hit)
    stale = ann.context.new_page()
    stale.goto(ann.page.url)
    frame = connected(stale)
    ann.page.get_by_role("link", name="Return this task").click()
    ann.page.get_by_role("button", name="Yes, return it").click()
    ann.page.wait_for_url("**/hits/")
    fill_in(frame)
    frame.get_by_role("button", name="Submit").click()
    expect(stale.get_by_role("heading", name="This task was returned")).to_be_visible()
    assert Submission.objects.count() == 0


def test_a_preview_takes_no_answers(hit, ann: Desk) -> None:
    ann.page.goto(f"/hits/{hit['HITId']}/")
    frame = connected(ann.page)
    fill_in(frame, "typed early")
    frame.get_by_role("button", name="Submit").click()
    expect(ann.page.get_by_role("alert")).to_contain_text("accept the task first")
    assert frame.get_by_label("Why?").input_value() == "typed early"
    assert Submission.objects.count() == 0


def test_another_worker_on_the_same_computer_sees_nothing_of_it(hit, ann: Desk, sit_down, site) -> None:
    frame = ann.accept(hit)
    fill_in(frame, "private words")
    ann.context.route(SUBMIT, lambda route: route.abort())
    frame.get_by_role("button", name="Submit").click()
    expect(ann.page.get_by_text(KEPT)).to_be_visible()
    ann.context.unroute_all()
    bob = open_worker("bob", worker_id=None, record=Record(), now=clock.now())
    enter(ann.page, new_link(bob, now=timezone.now()))
    ann.page.wait_for_timeout(1500)
    assert "private words" not in ann.page.content()
    assert fields()["why"] == "private words"
    left = ann.page.evaluate(
        "new Promise(go => { indexedDB.open('assay').onsuccess = e => { e.target.result.transaction('answers')"
        ".objectStore('answers').getAll().onsuccess = f => go(f.target.result.length); }; })"
    )
    assert left == 0
