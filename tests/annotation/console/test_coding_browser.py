"""Two people code explanations with a keyboard, change their minds, differ, and settle it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from annotation.models import Coding, Flag, Study
from annotation.quality.code_explanations import edit_codebook
from annotation.quality.codebooks import COMMENTS, CRITERIA
from tests.annotation.console.test_browser import signed_in
from tests.annotation.console.test_review_browser import press
from tests.annotation.review.factories import judged, member
from tests.browsing import fresh

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(site: str) -> Study:
    """Three explanations of one worker, each waiting for two coders."""
    made = judged(workers=1, hits=1, texts=3, reasons=True)
    edit_codebook(made, "criteria", CRITERIA, actor=member(made, "editor", "eve"), now=timezone.now())
    return made


@pytest.fixture
def at_the_sheet(browser: Browser, site: str, study: Study) -> Iterator[Callable[[str], Page]]:
    """Somebody in a browser of their own, on the page of the codes."""
    with ExitStack() as contexts:

        def entered(name: str) -> Page:
            context = contexts.enter_context(fresh(browser, base_url=site))
            context.add_cookies(signed_in(member(study, "reviewer", name), site))  # type: ignore[arg-type]
            page = context.new_page()
            page.goto(f"/console/studies/{study.uuid}/coding/")
            return page

        yield entered


def given(name: str) -> list[list[str]]:
    rows = Coding.objects.filter(coder__username=name, adjudicated=False).order_by("remark")
    return list(rows.values_list("codes", flat=True))


def code(page: Page, *sheets: str) -> None:
    """A sheet after the other: its keys, then Enter."""
    for keys in sheets:
        for key in keys:
            page.keyboard.press(key)
        press(page, "Enter")


def test_two_people_code_by_keyboard_and_one_settles(at_the_sheet: Callable[[str], Page], study: Study) -> None:
    ada = at_the_sheet("ada")
    # Whether an explanation fits its answer cannot be said without the answer.
    expect(ada.locator("blockquote").first).to_contain_text("Answer: 3")
    expect(ada.get_by_text("3 left for you")).to_be_visible()
    code(ada, "1", "12", "")
    expect(ada.get_by_text("No explanations left for you to code.").last).to_be_visible()
    assert given("ada") == [["mismatch"], ["mismatch", "instructions"], ["null"]]
    # The last was a slip: it comes back with its codes, and is given others.
    press(ada, "u")
    expect(ada.get_by_label("null")).to_be_checked()
    code(ada, "43")
    assert given("ada")[2] == ["uninterpretable"]
    bob = at_the_sheet("bob")
    expect(bob.locator("body")).not_to_contain_text("ada")
    code(bob, "1", "1", "3")
    expect(bob.get_by_text("Differences to resolve (1)")).to_be_visible()
    # What both gave is ticked already; one more key and it is settled.
    expect(bob.get_by_label("mismatch")).to_be_checked()
    code(bob, "2")
    expect(bob.get_by_text("Differences to resolve")).to_have_count(0)
    assert Coding.objects.get(adjudicated=True).codes == ["mismatch", "instructions"]
    assert set(Flag.objects.filter(kind__in=["mismatch", "instructions", "uninterpretable"]).values_list("kind")) == {
        ("mismatch",), ("instructions",), ("uninterpretable",),
    }  # fmt: skip


def test_the_sheets_of_two_codebooks_do_not_share_keys(at_the_sheet: Callable[[str], Page], study: Study) -> None:
    """Ten codes of the papers' codebook on the digits; the other sheet waits until nothing is left above."""
    edit_codebook(study, "comments", COMMENTS, actor=study.memberships.get().user, now=timezone.now())
    ada = at_the_sheet("ada")
    expect(ada.locator("[data-key='1']")).to_have_count(1)
    code(ada, "19", "0", "5")
    assert given("ada") == [["grammar", "writer intent and expression"], ["null"], ["factuality"]]
    assert set(Coding.objects.values_list("codebook__purpose", flat=True)) == {"comments"}
    code(ada, "1")
    assert set(Coding.objects.values_list("codebook__purpose", flat=True)) == {"comments", "criteria"}


def test_enter_on_a_link_follows_the_link(at_the_sheet: Callable[[str], Page], study: Study) -> None:
    ada = at_the_sheet("ada")
    ada.get_by_role("link", name="Quality", exact=True).first.focus()
    press(ada, "Enter")
    expect(ada.locator("h1")).to_have_text("Quality")
    assert not Coding.objects.exists()
