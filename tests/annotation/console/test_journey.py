"""A finished batch in a real browser: from the first link to the full report."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from annotation.accounts import links
from tests.browsing import fresh

LONG_MS = 120_000  # a report takes seconds on a machine that has nothing else to do
PASSWORD = "quite a long pass phrase"


@pytest.fixture
def page(browser: Browser, site: str, loop: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    # Nobody waits here for the ten minutes in which an approval can be taken back.
    monkeypatch.setattr("annotation.console.views.publish.WINDOW", timedelta(0))
    with fresh(browser, base_url=site) as context:
        context.set_default_timeout(LONG_MS)
        yield context.new_page()


def press(page: Page, name: str) -> None:
    page.locator("main").get_by_role("button", name=name).or_(
        page.locator("main").get_by_role("link", name=name)
    ).first.click()


def enter(page: Page) -> None:
    page.goto(links.first_owner_link(now=timezone.now()) or "")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    press(page, "Save password")


@pytest.mark.needs_data
def test_a_finished_batch_is_a_report_in_fifteen_actions(page: Page, data_dir: Path) -> None:
    actions = 0

    def act(deed: Any, *args: Any) -> None:
        nonlocal actions
        actions += 1
        deed(*args)

    act(page.goto, links.first_owner_link(now=timezone.now()) or "")
    act(page.get_by_label("Password", exact=True).fill, PASSWORD)
    act(press, page, "Save password")
    act(press, page, "Import a finished batch")
    act(page.get_by_label("Study name").fill, "huse")
    act(page.get_by_label("Batch results (CSV)").set_input_files, data_dir / "huse" / "summarization_batch_results.csv")
    act(press, page, "Import batch")
    act(press, page, "View results")
    act(press, page, "Compute results")
    act(press, page, "View results")
    # reference-results.md: HUSE 0.53, HUSE-Q 0.60 and HUSE-D 0.93 in exact arithmetic on the released batch.
    for value in ("0.530", "0.600", "0.930"):
        expect(page.get_by_role("table")).to_contain_text(value)
    act(press, page, "Open full report")
    expect(page.get_by_role("heading", level=1)).to_contain_text("huse")
    assert actions <= 15
