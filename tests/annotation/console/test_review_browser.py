"""A reviewer at the desk with a keyboard: a mixed queue cleared, a decision taken back, the marketplace untouched."""

from __future__ import annotations

import os
from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from annotation.accounts.models import User
from annotation.models import AuditEvent, Decision, Intent, Membership, Rejection, Study
from tests.annotation.review.factories import judged, member
from tests.browsing import fresh

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(site: str) -> Study:
    """Four assignments, the first worker's two along one line, handed in just now."""
    begun = timezone.now()
    return judged(workers=2, hits=2, texts=10, now=begun, ages=lambda at: timedelta(minutes=at + 1))


@pytest.fixture
def page(browser: Browser, site: str, study: Study):
    client = Client()
    client.force_login(member(study, "reviewer", "ada"))
    cookie = {"name": settings.SESSION_COOKIE_NAME, "value": client.session.session_key, "url": site}
    with fresh(browser, base_url=site, timezone_id="Asia/Kolkata") as context:
        context.add_cookies([cookie])  # type: ignore[list-item]
        yield context.new_page()


def press(page: Page, key: str) -> None:
    """A key that leads to another page, which is there when this returns."""
    with page.expect_navigation():
        page.keyboard.press(key)


def verdicts() -> list[tuple[str, str]]:
    return list(Decision.objects.order_by("at", "pk").values_list("matter", "verdict"))


def test_a_mixed_queue_is_cleared_by_keyboard_and_a_decision_taken_back(page: Page, study: Study) -> None:
    page.goto(f"/console/studies/{study.uuid}/review/")
    expect(page.locator("tbody .raised").first).to_have_text("One answer")
    # Deadlines are in the reader's own zone, with its name; the time in UTC is in the page for programs.
    due = page.locator("tbody time").first
    in_utc = datetime.fromisoformat(due.get_attribute("datetime") or "")
    assert in_utc.utcoffset() == timedelta(0)
    there = in_utc + timedelta(hours=5, minutes=30)
    expect(due).to_have_text(f"{there:%Y-%m-%d %H:%M} GMT+5:30")
    expect(due).to_have_attribute("title", f"{in_utc:%Y-%m-%d %H:%M} UTC")
    press(page, "Enter")
    # The most suspicious first: approved, but left out, with a reason.
    page.keyboard.press("x")
    page.keyboard.type("One label for all ten texts.")
    page.keyboard.press("Tab")
    press(page, "Enter")
    expect(page.locator(".undo")).to_contain_text("You can undo your last decision")
    press(page, "a")
    expect(page.locator(".notice.success")).to_contain_text("Approved")
    # The last one was a slip: it comes back, and is decided once more at the end.
    press(page, "u")
    expect(page.locator(".notice.success")).to_contain_text("Nothing was sent to the marketplace")
    assert Decision.objects.filter(matter="payment").count() == 1
    for _ in range(3):
        press(page, "a")
        expect(page.locator(".notice.success")).to_contain_text("Approved")
    expect(page.locator("h2")).to_contain_text("No submissions to review")
    assert sorted(verdicts()) == [("analysis", "exclude"), *[("payment", "approve")] * 4]
    # Nothing has left: every intent still waits for its window, and nobody has called the marketplace.
    waiting = Intent.objects.exclude(state="dropped")
    assert {(one.state, one.attempts, one.not_before > timezone.now()) for one in waiting} == {("waiting", 0, True)}


def test_a_key_held_down_decides_once(page: Page, study: Study) -> None:
    page.goto(f"/console/studies/{study.uuid}/review/")
    press(page, "Enter")
    with page.expect_navigation():
        page.keyboard.down("a")
    expect(page.locator(".notice.success")).to_contain_text("Approved")
    for _ in range(5):
        page.keyboard.down("a")  # as a keyboard repeats it, on the page that has come meanwhile
    page.keyboard.up("a")
    page.reload()
    assert verdicts() == [("payment", "approve")]


def test_the_keys_can_be_turned_off(page: Page, study: Study) -> None:
    page.goto(f"/console/studies/{study.uuid}/review/")
    press(page, "Enter")
    page.get_by_label("Turn off keyboard shortcuts").check()
    page.locator("h1").click()
    page.keyboard.press("a")
    assert not Decision.objects.exists()
    page.reload()
    expect(page.get_by_label("Turn off keyboard shortcuts")).to_be_checked()


@pytest.mark.long
def test_a_mixed_crowd_is_decided_by_keyboard_and_ten_decisions_taken_back(page: Page, site: str) -> None:
    """The straight-liners come first, each with a sentence that says why; then everybody else is paid and kept.

    `make people` does it with a hundred people.
    """
    people = int(os.environ.get("ASSAY_REVIEWED_PEOPLE", "24"))
    bad = people // 8
    crowd = judged(
        workers=people,
        hits=1,
        texts=10,
        name="crowd",
        straight=bad,
        now=timezone.now(),
        ages=lambda at: timedelta(hours=1),
    )
    Membership.objects.create(study=crowd, user=User.objects.get(username="ada"), role="reviewer")
    page.goto(f"/console/studies/{crowd.uuid}/review/people/")
    first = page.locator("tbody tr").nth(1)
    expect(first).to_contain_text("One label over and over")
    press(page, "Enter")
    for _ in range(bad):
        assert "One label over and over" in page.locator("p.lead").inner_text()
        press(page, "x")
    for _ in range(people - bad - 2):
        press(page, "a")
    # One is looked at closer, and proposed for rejection from the card.
    press(page, "l")
    press(page, "p")
    page.keyboard.press("r")
    page.get_by_label("Reason (the worker will read it)").fill("The answers do not fit the texts at all.")
    page.get_by_role("button", name="Propose rejection of 1 submission").click()
    expect(page.locator(".notice.success")).to_contain_text("A second reviewer must confirm it")
    press(page, "a")
    expect(page.locator("h2")).to_contain_text("No raters to review")
    of_crowd = Decision.objects.filter(submission__hit__study=crowd)
    assert of_crowd.filter(matter="payment", verdict="approve").count() == people - 1
    assert of_crowd.filter(matter="analysis", verdict="exclude").count() == bad
    assert Rejection.objects.filter(submission__hit__study=crowd).count() == 1
    # The last ten, one after the other: a decision, the proposal, eight decisions more.
    for _ in range(10):
        press(page, "u")
    assert of_crowd.filter(matter="payment").count() == people - 10
    assert not Rejection.objects.filter(submission__hit__study=crowd).exists()
    expect(page.locator(".verdicts")).to_contain_text("Pay and keep")
    log = list(AuditEvent.objects.filter(study=crowd).values_list("verb", flat=True))
    assert (log.count("approve"), log.count("propose_rejection")) == (people - 1, 1)
    assert log.count("undo") + log.count("drop_proposal") == 10
