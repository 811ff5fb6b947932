"""The tools of the browser tests find what they are there to find."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext

from tests.browsing import faults, wrong_by_day_and_night

HIDDEN = "<style>@media (prefers-color-scheme: {}) {{ h1 {{ color: #777; background: #888 }} }}</style>"
SOUND = "<!doctype html><html lang=en><title>Sound</title><main><h1>Sound</h1><p>Nothing wrong here.</p></main>"
PLANTED = SOUND + "<img src='data:,'><input>"


def test_a_sound_page_has_no_faults(browsing: BrowserContext) -> None:
    page = browsing.new_page()
    page.set_content(SOUND)
    assert faults(page) == []


def test_a_planted_fault_is_found_in_the_page(browsing: BrowserContext) -> None:
    page = browsing.new_page()
    page.set_content(PLANTED)
    assert {found.split(":")[0] for found in faults(page)} == {"image-alt", "label"}


def test_a_planted_fault_is_found_inside_a_sandboxed_frame(browsing: BrowserContext) -> None:
    page = browsing.new_page()
    page.set_content(SOUND + f'<iframe title="task" sandbox="allow-scripts" srcdoc="{PLANTED}"></iframe>')
    inner = page.frames[1]
    inner.wait_for_load_state()
    assert {found.split(":")[0] for found in faults(inner)} == {"image-alt", "label"}


@pytest.mark.parametrize(("scheme", "told"), [("light", "color-contrast: h1"), ("dark", "dark: color-contrast: h1")])
def test_words_that_only_one_scheme_hides_are_found(browsing: BrowserContext, scheme: str, told: str) -> None:
    page = browsing.new_page()
    page.set_content(SOUND + HIDDEN.format(scheme))
    assert wrong_by_day_and_night(page) == [told]


def test_a_look_without_a_fault_is_seen_once_and_each_other_is_held_against_the_rules(browsing: BrowserContext) -> None:
    paragraph = "<p class={}>Read this.</p>"
    style = "<style>.pale { color: #ccc } aside .good { color: #ddd }</style>"
    page = browsing.new_page()
    wrong = []
    for body in (
        paragraph.format("good"),
        paragraph.format("pale"),
        f"<aside>{paragraph.format('good')}</aside>",
        paragraph.format("good"),
    ):
        page.set_content(SOUND + style + body)
        wrong.append([fault.split(":")[0] for fault in faults(page)])
    assert wrong == [[], ["color-contrast"], ["color-contrast"], []]
    page.locator("p.good").evaluate("words => words.style.color = '#eee'")
    assert [fault.split(":")[0] for fault in faults(page)] == ["color-contrast"]
