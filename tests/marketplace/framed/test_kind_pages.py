"""The page of each kind of task at a worker's: by keyboard alone on a phone in German, dark and light, and offline.

Two kinds in `make test`, all of them in `make kinds`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Frame, expect

from annotation.design.kinds import BUILT_IN
from annotation.design.presets import PRESETS
from annotation.design.task_kind import TaskKind
from annotation.hits.template_preview import template_page
from annotation.marketplace.models import Submission
from tests.browsing import DESK, PHONE, faults, sideways
from tests.marketplace.framed.desk import Desk, connected, fields
from tests.marketplace.question_samples import html_question

EVERY = bool(os.environ.get("ASSAY_ALL_KINDS"))
IN_EVERY_RUN = ("direct_assessment", "which_machine")
SHOWN = [kind for kind in BUILT_IN if EVERY or kind.name in IN_EVERY_RUN]
MAX_KEYS = 250
# What has the focus, and whether its question has an answer.
FOCUS = """() => {
  const at = document.activeElement, line = at.closest("fieldset");
  const answered = at.type === "radio" ? !!document.querySelector(`input[name="${at.name}"]:checked`)
    : at.type === "checkbox" ? !!line.querySelector("input[type=checkbox]:checked") : !!at.value;
  return {tag: at.tagName, type: at.type || "", id: at.id, answered};
}"""
ANSWERS = """() => [...document.querySelectorAll("#lines input:not([type=hidden]), #lines textarea")]
  .map(at => ["radio", "checkbox"].includes(at.type) ? at.checked : at.value).join("|")"""


def answer_by_keyboard(desk: Desk) -> None:
    """Answer every question by keys, up to the button that submits, which has the focus then."""
    keyboard, frame = desk.page.keyboard, connected(desk.page)
    typed: set[str] = set()
    for _ in range(MAX_KEYS):
        keyboard.press("Tab")
        at = frame.evaluate(FOCUS)
        if at["id"] == "send":
            return
        if at["id"] == "next":
            keyboard.press("Enter")
        elif at["type"] in ("radio", "checkbox") and not at["answered"]:
            keyboard.press("Space")
        elif at["type"] == "range":
            keyboard.press("End")
        elif at["tag"] == "TEXTAREA" and at["id"] not in typed:
            typed.add(at["id"])
            keyboard.type("It reads as people speak.")
    raise AssertionError(f"The keyboard does not reach the button after {MAX_KEYS} keys.")


def speak(desk: Desk, language: str) -> None:
    """Read the site in that language, as its menu stores it."""
    cookie = {"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": desk.page.url}
    desk.context.add_cookies([cookie])  # type: ignore[list-item]
    desk.page.reload()


def wrong_in(desk: Desk, frame: Frame, name: str) -> list[str]:
    """What axe says of the page and of the frame, in light and in dark, and whether either is too wide."""
    wrong = []
    for scheme in ("light", "dark"):
        desk.page.emulate_media(color_scheme=scheme)
        for shown in (desk.page, frame):
            wrong += [f"{scheme}: {fault}" for fault in faults(shown, looks_alone=scheme != "light")]
        if folder := os.environ.get("PICTURES"):
            desk.page.screenshot(path=Path(folder) / f"worker-{name}-{scheme}.png", full_page=True)
    inside = frame.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return wrong + [f"{pixels} pixels too wide" for pixels in (sideways(desk.page), inside) if pixels]


@pytest.mark.parametrize("kind", SHOWN, ids=lambda kind: kind.name)
def test_the_page_of_a_kind_is_answered_by_keyboard_and_loses_nothing(
    kind: TaskKind, lab: Any, sit_down: Callable[..., Desk]
) -> None:
    hit = lab.hit(Question=html_question(template_page(PRESETS[kind.presets[0]])))
    ann = sit_down("ann", viewport=PHONE)
    ann.accept(hit)
    speak(ann, "de")
    assert ann.page.locator("html").get_attribute("lang") == "de"
    wrong = wrong_in(ann, connected(ann.page), f"{kind.name}-360-german")
    speak(ann, "en")
    frame = connected(ann.page)
    answer_by_keyboard(ann)
    wrong += wrong_in(ann, frame, f"{kind.name}-360-answered")
    assert wrong == []
    answered = frame.evaluate(ANSWERS)
    ann.page.reload()
    frame = connected(ann.page)
    frame.wait_for_function(f"answered => ({ANSWERS})() === answered", arg=answered)
    if EVERY:
        ann.page.set_viewport_size(DESK)  # type: ignore[arg-type]
        assert wrong_in(ann, frame, f"{kind.name}-1280") == []
        ann.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    answer_by_keyboard(ann)
    ann.context.set_offline(True)
    ann.page.keyboard.press("Enter")
    expect(ann.page.get_by_text("Your answers are kept in this browser")).to_be_visible()
    assert Submission.objects.count() == 0
    ann.context.set_offline(False)
    ann.recorded()
    assert len([name for name in fields() if name.startswith(("rating-", "label-"))]) > 0
    ann.page.go_back()
    ann.recorded()
    assert Submission.objects.count() == 1
