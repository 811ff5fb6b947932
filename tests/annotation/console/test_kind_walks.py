"""From a card of the gallery to an answerable page, and to the rehearsed report: each kind of task, in a browser.

Two kinds in `make test`, all of them in `make kinds`.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, expect

from annotation.accounts.models import User
from annotation.design.kinds import BUILT_IN
from annotation.design.presets import FIRST, PRESETS
from annotation.design.task_kind import TaskKind
from annotation.models import Study
from tests.annotation.console.researcher import Researcher
from tests.annotation.console.test_browser import signed_in
from tests.browsing import fresh

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]
# The bounds of the work order: card to a page that can be answered, card to the report.
MAX_TO_PREVIEW, MAX_TO_REPORT, MAX_SECONDS = 3, 12, 120
IN_EVERY_RUN = ("direct_assessment", "error_labels")
EVERY = bool(os.environ.get("ASSAY_ALL_KINDS"))
LONG_MS = 180_000 if EVERY else 60_000
WALKED = [kind for kind in BUILT_IN if EVERY or kind.name in IN_EVERY_RUN]


def _card_name(kind: TaskKind) -> str:
    """What the links of the card name."""
    return kind.heading if kind.presets[0] in FIRST else PRESETS[kind.presets[0]].label


def _begin(kind: TaskKind) -> str:
    """What the card's link to a rehearsal is called."""
    return f"{'Rehearse it first' if kind.presets[0] in FIRST else 'Create study'}: {_card_name(kind)}"


@pytest.fixture
def researcher(browser: Browser, site: str, loop: None, settings: object) -> object:
    settings.HIT_ORIGIN = site  # type: ignore[attr-defined]
    owner = User.objects.create_superuser("olga")
    with fresh(browser, base_url=site) as context:
        context.set_default_timeout(LONG_MS)
        context.add_cookies(signed_in(owner, site))  # type: ignore[arg-type]
        yield Researcher(context.new_page())


@pytest.mark.parametrize("kind", WALKED, ids=lambda kind: kind.name)
def test_a_card_leads_to_a_page_to_answer_and_to_a_rehearsed_report(kind: TaskKind, researcher: Researcher) -> None:
    page = researcher.page
    page.goto(reverse("console:studies-gallery"))
    researcher.press(f"Try it: {_card_name(kind)}")
    expect(page.frame_locator("iframe").locator("#answers")).to_be_attached()
    assert researcher.actions <= MAX_TO_PREVIEW
    page.goto(reverse("console:studies-gallery"))
    researcher.actions, began = 0, time.monotonic()
    researcher.press(_begin(kind))
    researcher.press("Create study")
    researcher.press("Use sample texts")
    researcher.press("Create tasks and preview")
    expect(page.frame_locator("iframe").locator("#answers")).to_be_attached()
    researcher.press("Continue to publishing")
    study = Study.objects.get()
    expect(page.get_by_role("heading", name="What will be created")).to_be_visible()
    researcher.fill("Study name", study.name)
    researcher.press("Publish (up to")
    researcher.press("Run simulated participants")
    places = sum(study.hits.values_list("max_assignments", flat=True))
    waiting = page.locator("#state div", has=page.get_by_text("To review", exact=True)).locator("dd")
    expect(waiting).to_have_text(f"{places:,}", timeout=LONG_MS)
    researcher.press("View results")
    researcher.press("Unblind results")
    researcher.press("Compute results")
    researcher.press("Open full report")
    expect(page.get_by_role("heading", level=1)).to_contain_text(study.name)
    assert researcher.actions <= MAX_TO_REPORT
    took = time.monotonic() - began
    if EVERY:
        print(f"{kind.name}: {researcher.actions} actions, {took:.0f} s, {places} tasks")
        if folder := os.environ.get("PICTURES"):
            page.screenshot(path=Path(folder) / f"report-{kind.name}.png", full_page=True)
