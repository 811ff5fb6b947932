"""A researcher writes the trainings of a study in a real browser: by hand, with the keyboard, and by a file."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from annotation.accounts.models import User
from annotation.design.arrange_cells import arrange
from annotation.design.presets import CLARK, CellPlan
from annotation.design.wording import from_json
from annotation.models import Study
from annotation.studies.create import Plan, create
from tests.annotation.conftest import NOW
from tests.annotation.console.test_browser import looked_at, signed_in
from tests.browsing import DESK, fresh

pytestmark = pytest.mark.django_db(transaction=True)
FILE = """training,text,source,human,machine,context,explanation
instructions,Look for repeated phrases.,,,,,
examples,The bread was still warm.,human,,,,It is a whole thought.
examples,The bread was the bread.,machine,,,,It repeats itself.
comparison,,,Rain by noon,Rain rain by noon,Weather,{machine} repeats itself.
"""


@pytest.fixture
def trained(site: str) -> Study:
    study = create("trained", mode="rehearsal", plan=Plan(), wording=CLARK.wording, actor="ada", now=NOW)
    arrange(study, CLARK.arms, [CellPlan(arm.training) for arm in CLARK.arms], actor="ada", now=NOW)
    return study


def items(study: Study) -> list[int]:
    training = from_json(study.wordings.latest("version").body).training
    return [len(training.instructions), len(training.examples), len(training.comparison)]


def written_by_hand(page: Page) -> None:
    page.get_by_role("link", name="Add pair").click()
    page.get_by_label("Text by a person").fill("The sea rose.")
    page.get_by_label("Text by a machine").fill("The sea sea rose.")
    page.get_by_label("Explanation").press_sequentially("Look at ")
    page.get_by_role("button", name="Side of the machine's text").press("Enter")
    expect(page.locator("#shown-explanation dd")).to_have_text(["Look at “Second”", "Look at “First”"])
    assert looked_at(page, "pair") == []
    page.get_by_role("button", name="Save and add another").click()
    page.get_by_label("Text by a person").fill("He left early.")
    page.get_by_label("Text by a machine").fill("He left and left.")
    page.get_by_label("Explanation").fill("The second one repeats itself.")
    page.get_by_role("button", name="Save item").click()
    second = page.locator("#comparison-2")
    expect(second).to_contain_text("Write {human} or {machine} in its place")
    second.get_by_role("button", name="Move up").press("Enter")
    expect(page.locator("#comparison-1")).to_contain_text("He left early.")
    page.locator("#comparison-1").get_by_role("button", name="Delete").press("Enter")
    expect(page.locator("#comparison li")).to_have_count(1)
    page.get_by_role("button", name="Undo").press("Enter")
    expect(page.locator("#comparison li")).to_have_count(2)


def brought_by_a_file(page: Page) -> None:
    page.get_by_label("File of training items").set_input_files(
        {"name": "items.csv", "mimeType": "text/csv", "buffer": FILE.encode("utf-8-sig")}
    )
    page.get_by_role("button", name="Import items").click()
    expect(page.locator("#comparison li")).to_have_count(1)


def practiced_in_the_preview(page: Page) -> None:
    """The machine's text is first here, and the page says so once an answer is checked."""
    page.get_by_role("link", name="Preview comparison").click()
    page.get_by_role("navigation", name="Preview").get_by_role("link", name="by the machine").click()
    task = page.frame_locator("iframe")
    task.get_by_role("button", name="Next").click()
    expect(task.locator(".pair .text").first).to_have_text("Rain rain by noon")
    task.get_by_label("First").check()
    task.get_by_role("button", name="Check my answer").click()
    expect(task.locator(".verdict")).to_have_text("Yes. A machine wrote the first one.")
    expect(task.locator(".answer")).to_contain_text("“First” repeats itself.")


def test_trainings_are_written_by_hand_and_brought_by_a_file(browser: Browser, site: str, trained: Study) -> None:
    owner = User.objects.create_superuser("olga")
    with fresh(browser, base_url=site, viewport=DESK) as context:
        context.add_cookies(signed_in(owner, site))  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(reverse("console:design", args=[trained.uuid]))
        page.get_by_role("button", name="Save and edit training items").click()
        expect(page.locator("main")).to_contain_text("Training “comparison” has no items. Add them.")
        written_by_hand(page)
        assert items(trained) == [4, 0, 2]
        brought_by_a_file(page)
        assert items(trained) == [1, 2, 1]
        practiced_in_the_preview(page)
