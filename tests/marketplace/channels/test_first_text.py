"""How far it is to the first text on a telephone: pages, steps and pixels."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotation.design.kinds import HUMAN_OR_MACHINE, TYPICALITY, default_wording
from annotation.hits.render import ShownLine, ShownText, hit_page
from tests.browsing import PHONE, fresh, sideways
from tests.marketplace.channels.guests import channel, tasks, written
from tests.marketplace.channels.test_browser import CONSENT, task_frame
from tests.marketplace.question_samples import html_question

LINES = [ShownLine(n, ShownText(f"The committee met for the {n}th time, and nothing was decided.")) for n in range(25)]
MAX_SCREENS = 3
# Where the first text begins within the window, at the sketch's size of a telephone.
MAX_TOP = PHONE["height"]


@pytest.fixture
def telephone(browser, site):
    with fresh(browser, base_url=site, viewport=PHONE, has_touch=True, is_mobile=True) as context:
        yield context.new_page()


def top_of_first_text(page: Page) -> float:
    """Pixels from the top of the window to the first text that is seen; 10,000 where none is."""
    texts = [text for text in task_frame(page).locator(".text").all() if text.is_visible()]
    box = texts[0].bounding_box() if texts else None
    return box["y"] if box else 10_000


@pytest.mark.parametrize("kind", [TYPICALITY.name, HUMAN_OR_MACHINE.name])
def test_the_first_text_is_on_the_first_screen_of_the_work_page(kind, lab, telephone, tmp_path):
    question = html_question(hit_page(default_wording(kind), LINES if kind == TYPICALITY.name else LINES[:5], seed=1))
    tasks(lab, 2, Question=question)
    link = channel("class", "--consent", written(tmp_path, "consent.txt", CONSENT))
    telephone.goto(link)
    screens = 1
    with telephone.expect_navigation():
        telephone.get_by_role("button", name="I agree and start").tap()
    while top_of_first_text(telephone) > MAX_TOP:
        screens += 1
        assert screens <= MAX_SCREENS
        task_frame(telephone).locator("#next").tap()
    assert top_of_first_text(telephone) <= 300
    assert sideways(telephone) == 0
    # One line with the count, the pay and the time; all the rest of the telephone is the task's.
    frame = telephone.locator("#task").bounding_box()
    assert frame is not None
    assert frame["y"] <= 48
    assert frame["y"] + frame["height"] == PHONE["height"]
    expect(telephone.get_by_text("Task 1 of 2")).to_be_visible()
    assert telephone.evaluate("document.documentElement.scrollHeight") == PHONE["height"]
