"""A worker's day by keyboard alone: register, qualify, preview, accept, answer, submit, see decision and bonus."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest
from django.core import mail
from playwright.sync_api import Page

from annotation.marketplace.models import Submission, WorkerAccount
from tests.browsing import PHONE
from tests.marketplace.browser.people import fill, press, tab_to
from tests.marketplace.question_samples import html_question

TASK = """<!doctype html><html lang="en"><head><title>Rate a headline</title></head><body>
<h1>Rate a headline</h1>
<form method="post" action="https://www.mturk.com/mturk/externalSubmit">
<input type="hidden" name="assignmentId" id="assignmentId" value="">
<fieldset><legend>City council keeps the old bridge</legend>
<label><input type="radio" name="rating" value="1"> Not typical</label>
<label><input type="radio" name="rating" value="2"> Typical</label></fieldset>
<label for="why">Why?</label> <textarea id="why" name="why"></textarea>
<button>Submit</button></form>
<script>document.getElementById("assignmentId").value =
  new URLSearchParams(location.search).get("assignmentId");</script></body></html>"""


def register(page: Page, email: str) -> None:
    page.goto("/hits/")
    press(page, "Open an account")
    fill(page, "Your name", "Ann")
    fill(page, "Email address", email)
    fill(page, "Choose a password", "a horse on the bridge")
    tab_to(page, "I have read the terms and agree to them")
    page.keyboard.press("Space")
    press(page, "Register")
    page.goto(re.search(r"http://\S+", mail.outbox[-1].body)[0])
    press(page, "Open my account")


@pytest.mark.parametrize("look", [{}, {"viewport": PHONE}], ids=["at a desk", "on a phone"])
def test_a_whole_day_by_keyboard(lab, stranger, look):
    kind = lab.client.create_qualification_type(
        Name="Reads English", Description="You read newspapers.", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]
    wanted = {"QualificationTypeId": kind, "Comparator": "Exists"}
    lab.hit(Title="Rate a headline", Reward="1.25", QualificationRequirements=[wanted], Question=html_question(TASK))
    page = stranger(timezone_id="Asia/Tokyo", **look)

    register(page, "ann@example.org")
    press(page, "See the tasks")
    assert page.get_by_text("Requires the qualification “Reads English”; you do not have it.").is_visible()
    press(page, "Rate a headline")
    press(page, "Ask for the qualification “Reads English”")
    press(page, "Ask for this qualification")
    assert page.get_by_text("The requester will decide").is_visible()
    request = lab.client.list_qualification_requests(QualificationTypeId=kind)["QualificationRequests"][0]
    lab.client.accept_qualification_request(QualificationRequestId=request["QualificationRequestId"])

    press(page, "Tasks")
    press(page, "Rate a headline")
    press(page, "Accept this task")
    assert page.get_by_text("$1.25").is_visible()
    assert page.locator("#left").is_visible()
    tab_to(page, "Not typical")
    page.keyboard.press("ArrowDown")
    fill(page, "Why?", "It could be true.")
    tab_to(page, "Submit")
    page.keyboard.press("Enter")
    page.wait_for_url("**/done/")
    assert page.get_by_role("heading", name="Thank you, your work is recorded").is_visible()
    answer = Submission.objects.get().answer
    assert "<FreeText>2</FreeText>" in answer
    assert "It could be true." in answer

    worker = WorkerAccount.objects.get()
    work = worker.assignments.get().assignment_id
    lab.client.approve_assignment(AssignmentId=work, RequesterFeedback="Careful work, thank you")
    lab.client.send_bonus(WorkerId=worker.worker_id, AssignmentId=work, BonusAmount="0.40", Reason="For the comment")
    press(page, "Your history")
    assert page.locator(".state").text_content() == "Approved"
    shown = page.locator("time").first
    there = datetime.fromisoformat(shown.get_attribute("datetime")) + timedelta(hours=9)
    assert f"{there.hour % 12 or 12}:{there:%M} {there:%p} GMT+9" in shown.text_content().replace("\u202f", " ")
    for words in ("Careful work, thank you", "For the comment", "$0.40"):
        assert page.get_by_text(words, exact=True).first.is_visible()
    press(page, "Earnings")
    assert page.locator(".sums .main dd").text_content() == "$1.65"


def test_who_wishes_it_goes_on_to_the_next_task_once(lab, sign_in, visitor):
    hits = [lab.hit(Question=html_question(TASK)) for _ in range(3)]
    page = visitor("ann")
    WorkerAccount.objects.update(auto_accept=True)
    task = sign_in("ann").take(hits[0])
    sign_in("ann").hand_in(task)
    page.goto(f"{task.page}done/")
    page.wait_for_url(lambda url: "/hits/work/" in url and task.id not in url)
    worker = WorkerAccount.objects.get()
    assert worker.assignments.filter(state="Accepted").count() == 1
    page.goto(f"{task.page}done/")
    page.wait_for_load_state("networkidle")
    assert task.id in page.url
    assert worker.assignments.filter(state="Accepted").count() == 1
