"""The form of a task text with its preview: followed while it is edited, at both widths, answered, its time stored."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, expect

from annotation.accounts.models import User
from annotation.design.presets import PRESETS, preset_settings
from annotation.design.preview_time import preview_time_of
from annotation.models import Study
from annotation.studies.create import Plan, create
from tests.annotation.console.conftest import NOW
from tests.annotation.console.test_browser import signed_in
from tests.browsing import DESK, fresh, wrong_by_day_and_night

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


def test_the_preview_follows_the_form_and_can_be_answered(browser: Browser, site: str, settings: object) -> None:
    settings.HIT_ORIGIN = settings.CONSOLE_ORIGIN = site  # type: ignore[attr-defined]
    preset = PRESETS["direct-assessment"]
    plan = Plan(**preset_settings(preset, "USD"))  # type: ignore[arg-type]
    owner = User.objects.create_superuser("olga")
    study = create("builder", mode="rehearsal", plan=plan, wording=preset.wording, owner=owner, actor="olga", now=NOW)
    with fresh(browser, base_url=site, viewport=DESK) as context:
        context.add_cookies(signed_in(owner, site))  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(reverse("console:design-wording", args=[study.uuid]))
        task = page.frame_locator("#look iframe")
        expect(task.locator("#answers")).to_be_attached()
        assert page.locator("#look iframe").evaluate("frame => frame.getBoundingClientRect().width") <= 362
        page.get_by_label("Question", exact=True).fill("How kind is this text?")
        page.get_by_label("Scale", exact=True).fill("Unkind | 0\nKind | 10")
        # Two changes can come as two pages: the page to answer has both.
        expect(task.locator(".question").first).to_have_text("How kind is this text?")
        expect(task.locator("input[type=range]").first).to_have_attribute("max", "10")
        assert wrong_by_day_and_night(page) == []
        if folder := os.environ.get("PICTURES"):
            page.screenshot(path=Path(folder) / "builder.png")
        task.get_by_role("button", name="Next").click()
        for slider in task.get_by_role("slider").all():
            slider.press("End")
        task.get_by_role("button", name="Submit").click()
        expect(task.get_by_text("Nothing was stored.")).to_be_visible()
        assert set(task.locator("dd").all_inner_texts()) == {"10"}
        expect(task.get_by_text("per hour")).to_be_visible()
        assert preview_time_of(study) is None
        page.get_by_role("button", name="Use my time for the study").click()
        expect(page.locator("#look")).to_contain_text("Time stored")
        page.locator("#look-width").get_by_label("desktop").check()
        expect(page.locator("#look iframe.desk")).to_be_visible()
        page.get_by_label("Question", exact=True).fill("")
        expect(page.locator("#look")).to_contain_text("A field is empty or invalid")
    assert Study.objects.get().wordings.count() == 1
    stored = preview_time_of(study)
    assert stored is not None
    assert stored.actor == "olga"
