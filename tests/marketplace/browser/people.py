"""Workers with a real browser, used by keyboard, and the eyes that look for faults."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browsing import faults

MOST_TABS = 80

_FOCUSED = """() => {
  const found = document.activeElement;
  if (!found || found === document.body) return "";
  const labels = [...(found.labels || [])].map(label => label.textContent).join(" ");
  return (found.getAttribute("aria-label") || labels || found.textContent || found.value || found.title || "")
    .replace(/\\s+/g, " ").trim();
}"""


def tab_to(page: Page, name: str) -> None:
    """Press Tab until what has the focus is called `name` (its label, or its text); it must come."""
    seen = []
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        frames = [page, *page.frames[1:]]
        named = [frame.evaluate(_FOCUSED) for frame in frames]
        seen.append(named)
        if name in named:
            return
    raise AssertionError(f"Tab never reaches {name!r}, only {seen}")


def press(page: Page, name: str) -> None:
    """Go to the button or link `name` by keyboard, press Enter, and wait for the page that follows."""
    tab_to(page, name)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def fill(page: Page, name: str, text: str) -> None:
    """Type `text` into the field labelled `name`, by keyboard."""
    tab_to(page, name)
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


def all_faults(page: Page) -> list[str]:
    """What axe finds serious or critical in the page and in each of its frames."""
    return [found for shown in (page, *page.frames[1:]) for found in faults(shown)]
