"""From Home to a template's page that the researcher answers, to a study of it, in a real browser."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from annotation.accounts.models import User
from annotation.models import Study
from tests.annotation.console.test_browser import signed_in
from tests.browsing import DESK, fresh, wrong_by_day_and_night

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


def _picture(page: Page, name: str) -> None:
    """Where PICTURES names a folder: on a phone and a desk, in light and dark."""
    if folder := os.environ.get("PICTURES"):
        for width, scheme in product((360, 1440), ("light", "dark")):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.png", full_page=True)
        page.set_viewport_size(DESK)
        page.emulate_media(color_scheme="light")


def test_a_template_is_tried_from_home_and_becomes_a_study(
    browser: Browser, site: str, settings: object, tmp_path: Path
) -> None:
    settings.HIT_ORIGIN = settings.CONSOLE_ORIGIN = site  # type: ignore[attr-defined]
    settings.HELP_FOLDER = tmp_path  # type: ignore[attr-defined]
    (tmp_path / "tasks").mkdir()
    (tmp_path / "index.html").touch()
    (tmp_path / "tasks" / "preference.html").write_text("<h1>Preference</h1>", encoding="utf-8")
    owner = User.objects.create_superuser("olga")
    with fresh(browser, base_url=site, viewport=DESK) as context:
        context.add_cookies(signed_in(owner, site))  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(reverse("console:studies"))
        page.get_by_role("link", name="More tasks").click()
        headings = page.locator(".starts h3").all_inner_texts()
        assert headings[:5] == [
            "How typical is each text?",
            "Human or machine?",
            "Near-negative tests",
            "Human-likelihood",
            "Which of k is the machine's?",
        ]
        assert wrong_by_day_and_night(page) == []
        _picture(page, "gallery")
        page.get_by_role("link", name="About “Preference between two texts”").first.click()
        expect(page).to_have_url(f"{site}/console/help/tasks/preference.html")
        expect(page.get_by_role("heading", name="Preference")).to_be_visible()
        page.go_back()
        page.get_by_role("link", name="Try it: Translations from 0 to 100").click()
        assert wrong_by_day_and_night(page) == []
        _picture(page, "template")
        task = page.frame_locator("iframe")
        task.get_by_role("button", name="Next").click()
        expect(task.locator(".slider")).to_have_count(2)
        task.get_by_role("button", name="Submit").click()
        expect(task.locator("#problem")).to_be_visible()
        first, second = task.get_by_role("slider").all()
        first.press("ArrowRight")
        second.focus()
        second.press("End")
        _picture(page, "template-answered")
        task.get_by_role("button", name="Submit").click()
        expect(task.get_by_role("heading", name="Your answers")).to_be_visible()
        assert sorted(task.locator("dd").all_inner_texts()) == ["100", "51"]
        expect(task.get_by_text("Nothing was stored.")).to_be_visible()
        _picture(page, "template-tried")
        page.get_by_role("link", name="Create study").click()
        expect(page.get_by_label("Name for one text")).to_have_value("translation")
        page.get_by_label("Name", exact=True).fill("translations")
        page.get_by_role("button", name="Create study").click()
        expect(page).to_have_url(site + reverse("console:texts-add", args=[Study.objects.get().uuid]))
    study = Study.objects.get()
    assert (study.task, study.reward_cents, study.scale.labels.count()) == ("direct_assessment", 250, 101)
