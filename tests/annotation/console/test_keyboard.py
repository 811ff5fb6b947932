"""A newcomer who has no mouse: from the first link to an exported file by Tab, Enter, Space, arrows and typing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, ElementHandle, Locator, Page, expect

from annotation.accounts import links
from annotation.accounts.models import User
from annotation.models import Membership, Role, Study
from annotation.studies.create import Plan, create
from tests.annotation.console.factories import SOUND
from tests.annotation.console.test_browser import signed_in
from tests.annotation.review.factories import judged
from tests.browsing import fresh, wrong_with

PASSWORD = "quite a long pass phrase"
LONG_MS = 120_000
MOST_STOPS = 400  # of a page; whoever needs more is in a trap

# The element that has the focus: whether one sees it, and which it is.
FOCUSED = """goal => {
  const it = document.activeElement;
  if (!it || it === document.body) { return null; }
  const style = getComputedStyle(it), box = it.getBoundingClientRect();
  it.dataset.stop ??= String(++window.stops || (window.stops = 1));
  return {
    stop: it.dataset.stop,
    told: it.outerHTML.slice(0, 120),
    isGoal: it === goal,
    goalLeft: Boolean(goal) && !goal.isConnected,
    frame: it.tagName === "IFRAME",
    outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    inSight: box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0
      && box.top < innerHeight && box.left < innerWidth,
  };
}"""


class Keys:
    """Somebody at a keyboard. Every stop of Tab is looked at: it must be seen."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.main = page.locator("main")

    def tab(self, key: str = "Tab", goal: ElementHandle | None = None) -> dict[str, Any] | None:
        self.page.keyboard.press(key)
        at: dict[str, Any] | None = self.page.evaluate(FOCUSED, goal)
        if at and not at["frame"]:
            assert at["outline"] >= 2, f"no outline: {at['told']}"
            assert at["inSight"], f"out of sight: {at['told']}"
        return at

    def to(self, goal: Locator) -> Keys:
        """Tab until `goal` has the focus."""
        element = goal.first.element_handle()
        for _ in range(MOST_STOPS):
            at = self.tab(goal=element)
            if at and at["isGoal"]:
                return self
            if at and at["goalLeft"]:  # its part of the page was fetched anew
                element = goal.first.element_handle()
        raise AssertionError(f"{goal} is not reached by Tab")

    def press(self, name: str, *, key: str = "Enter") -> None:
        """Go to the button or link of that name, and press it."""
        self.to(self.main.get_by_role("button", name=name).or_(self.main.get_by_role("link", name=name)))
        self.page.keyboard.press(key)

    def fill(self, label: str, value: str) -> None:
        self.to(self.main.get_by_label(label, exact=True))
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(value)

    def bring(self, label: str, path: Path) -> None:
        """Choose a file: what the system asks then is the system's. It is waited for from the first Tab on: just before
        the key would be too late for a busy browser."""
        with self.page.expect_file_chooser() as asked:
            self.to(self.main.get_by_label(label))
            self.page.keyboard.press("Space")
        asked.value.set_files(path)

    def place(self, name: str, *, among: str = "Pages of Collect") -> None:
        """Go to a page of the study, or to a place of the rail."""
        places = self.page.get_by_role("navigation", name=among, exact=True)
        self.to(places.get_by_role("link", name=name, exact=True))
        self.page.keyboard.press("Enter")

    def round(self) -> int:
        """Tab through the whole page and out of it; the number of stops."""
        seen: set[str] = set()
        for _ in range(MOST_STOPS):
            at = self.tab()
            if at is None or (at["stop"] in seen and not at["frame"]):
                return len(seen)
            seen.add(at["stop"])
        raise AssertionError("Tab does not lead out of the page")


@pytest.fixture
def page(browser: Browser, site: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    # Nobody waits here for the ten minutes in which an approval can be taken back.
    monkeypatch.setattr("annotation.console.views.publish.WINDOW", timedelta(0))
    monkeypatch.setattr("annotation.console.views.review.WINDOW", timedelta(0))
    with fresh(browser, base_url=site) as context:
        context.set_default_timeout(LONG_MS)
        yield context.new_page()


@pytest.mark.timeout(900)
def test_a_newcomer_goes_the_whole_way_by_keyboard(page: Page, loop: None, tmp_path: Path) -> None:
    create("demo", mode="rehearsal", plan=Plan(noun="headline"), actor="ada", now=timezone.now())
    keys = Keys(page)
    page.goto(links.first_owner_link(now=timezone.now()) or "")
    keys.fill("Password", PASSWORD)
    keys.press("Save password", key="Space")
    # The study that is there already, and back by the rail.
    keys.to(page.get_by_role("link", name="demo", exact=True))
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Overview")
    assert keys.round() > 12
    keys.place("Studies", among="Console")
    # The wizard: a design by its paper, a rehearsal.
    keys.press("New study")
    keys.fill("Name", "by-keyboard")
    keys.to(page.get_by_label("How typical is each text? For HUSE"))
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Human or machine?")).to_be_checked()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_label("How typical is each text? For HUSE")).to_be_checked()
    keys.press("Create study")
    (tmp_path / "mine.csv").write_text(SOUND, encoding="utf-8")
    keys.bring("File of texts", tmp_path / "mine.csv")
    keys.press("Check file")
    expect(page.locator("main")).to_contain_text("The file is valid")
    keys.press("Add 20 texts")
    expect(page.locator("main")).to_contain_text("20 texts were added")
    keys.fill("Raters per text", "3")
    with page.expect_response("**/design/price/"):
        keys.fill("Reward per task ($)", "2.00")
    # The bill moved; whoever types is still where they were.
    expect(page.locator("#bill")).to_contain_text("$6.00")
    expect(page.get_by_label("Reward per task ($)")).to_be_focused()
    keys.press("Create tasks and preview")
    expect(page.locator("h1")).to_have_text("Preview")
    assert keys.round() > 20  # through the HIT in its frame, and out again
    keys.press("Continue to publishing")
    expect(page.locator("main")).to_contain_text("What will be created")
    keys.fill("Study name", "wrong")
    keys.press("Publish")
    expect(page.get_by_role("alert")).to_contain_text("Nothing was published")
    keys.fill("Study name", "by-keyboard")
    keys.press("Publish")
    expect(page.locator("#state")).to_contain_text("1 of 1")
    keys.press("Run simulated participants")
    expect(page.locator("#state")).to_contain_text("3 of 3")
    # The queue of people, and from there the submissions: the first by its link, approved.
    keys.place("Review")
    keys.press("Review submissions one by one")
    keys.to(page.locator("tbody a"))
    page.keyboard.press("Enter")
    keys.press("Approve")
    expect(page.locator(".notice.success")).to_contain_text("Approved")
    keys.place("Progress")
    keys.press("Approve all 2")
    keys.press("Approve 2 submissions")
    expect(page.locator("#state")).to_contain_text("$6.00")  # 3 places x $2.00, and no fee
    keys.place("Results", among="Parts of this study")
    keys.press("Unblind results")
    keys.press("Compute results")
    keys.press("View results")
    expect(page.get_by_role("table").first).to_contain_text("HUSE-Q")
    assert page.locator("figure svg").count() >= 2
    assert wrong_with(page) == []
    keys.place("Exports", among="Pages of Results")
    keys.to(page.get_by_role("link", name="ratings.csv"))
    with page.expect_download() as coming:
        page.keyboard.press("Enter")
    assert coming.value.suggested_filename == "by-keyboard-ratings.csv"
    verbs = list(
        dict.fromkeys(Study.objects.get(name="by-keyboard").audit.order_by("number").values_list("verb", flat=True))
    )
    assert verbs[:6] == ["create", "add_texts", "configure", "arrange", "design", "publish"]
    assert verbs[6:8] == ["seal_plan", "approve"]  # the first answer seals the plan
    assert verbs[-2:] == ["unblind", "export"]


def test_the_first_stop_of_a_page_leads_past_the_rail(page: Page, site: str, study: Study) -> None:
    page.context.add_cookies(signed_in(User.objects.create_superuser("owner"), site))  # type: ignore[arg-type]
    page.goto(f"/console/studies/{study.uuid}/texts/")
    keys = Keys(page)
    first = keys.tab()
    assert first
    assert "Skip to the content" in first["told"]
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    after = keys.tab()
    assert after
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


@pytest.mark.django_db(transaction=True)
def test_the_focus_stays_where_it_is_while_a_page_moves(page: Page, site: str) -> None:
    study = judged(workers=2, hits=1, texts=4, name="moving", now=timezone.now())
    owner = User.objects.create_superuser("owner")
    Membership.objects.create(study=study, user=owner, role=Role.OWNER)
    page.context.add_cookies(signed_in(owner, site))  # type: ignore[arg-type]
    page.goto(f"/console/studies/{study.uuid}/progress/")
    link = page.locator("#state").get_by_role("link", name="Approve all 2")
    Keys(page).to(link)
    for _ in range(2):
        with page.expect_response("**/progress/"):
            pass
        expect(page.locator(".htmx-swapping, .htmx-settling")).to_have_count(0)
        expect(link).to_be_focused()
