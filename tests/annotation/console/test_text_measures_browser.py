"""From Home to two reports with the small model, in a real browser: at most eight actions, no terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.test import Client
from playwright.sync_api import Browser, Page, expect

from annotation.accounts.models import User
from tests.annotation.console.test_text_measures import QUESTIONS, TEXTS
from tests.browsing import fresh, wrong_at_each_width

MOST_ACTIONS = 8
LONG_MS = 60_000


class Visitor:
    """Somebody at Home, whose actions are counted and whose pages are looked at on the way."""

    def __init__(self, page: Page) -> None:
        self.page, self.actions, self.faults = page, 0, list[str]()

    def press(self, role: Any, name: str) -> None:
        self.actions += 1
        self.page.locator("main").get_by_role(role, name=name).click()

    def bring(self, label: str, file: Path) -> None:
        self.actions += 1
        self.page.get_by_label(label).set_input_files(file)

    def choose(self, label: str, value: str) -> None:
        self.actions += 1
        self.page.get_by_label(label).select_option(value)

    def look(self, heading: str) -> None:
        """Wait for a page, and look at it narrow and wide, by day and night."""
        expect(self.page.get_by_role("heading", name=heading, level=1)).to_be_visible()
        self.faults += [f"{heading} {fault}" for fault in wrong_at_each_width(self.page)]


@pytest.fixture
def visitor(browser: Browser, site: str, loop: None) -> Iterator[Visitor]:
    client = Client()
    client.force_login(User.objects.create_user("visitor"))
    session = {"name": site_settings.SESSION_COOKIE_NAME, "value": client.session.session_key, "url": site}
    with fresh(browser, base_url=site) as context:
        context.set_default_timeout(LONG_MS)
        context.add_cookies([session])  # type: ignore[list-item]
        page = context.new_page()
        page.goto("/console/")
        yield Visitor(page)


@pytest.mark.long
def test_home_leads_to_pass_rates_and_to_human_likelihood(visitor: Visitor, tmp_path: Path) -> None:
    questions, texts = tmp_path / "questions.jsonl", tmp_path / "texts.txt"
    questions.write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS))
    texts.write_text("\n".join(TEXTS.values()))
    page = visitor.page
    visitor.press("link", "Run near-negative tests")
    visitor.look("Near-negative tests")
    visitor.choose("Format", "quiz-design")
    visitor.bring("File of annotations or tests", questions)
    visitor.press("button", "Build tests")
    visitor.press("link", "View tests and choose models")
    visitor.look("Tests built")
    visitor.press("button", "Run tests")
    visitor.press("link", "View pass rates")
    visitor.look("Pass rates")
    expect(page.get_by_text("of 24 tests passed")).to_be_visible()
    assert (visitor.actions <= MOST_ACTIONS, visitor.faults) == (True, [])
    visitor.actions = 0
    page.goto("/console/")
    visitor.press("link", "Score human-likelihood")
    visitor.look("Human-likelihood")
    visitor.bring("Texts", texts)
    visitor.press("button", "Score texts")
    visitor.press("link", "View human-likelihood")
    visitor.look("Human-likelihood")
    expect(page.get_by_text("3 texts; model: assay-tiny")).to_be_visible()
    assert (visitor.actions <= MOST_ACTIONS, visitor.faults) == (True, [])
