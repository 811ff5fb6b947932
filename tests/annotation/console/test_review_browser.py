"""A reviewer at the desk with a keyboard: a mixed queue cleared, a decision taken back, the marketplace untouched."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from annotation.models import Decision, Intent, Study
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
