"""The pages of judging with work on them, for the eyes of axe: every state, narrow and wide, light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from annotation.accounts.models import User
from annotation.jobs import queue as jobs
from annotation.jobs.run import run_due
from annotation.models import Intent, Remark, Reply, Study, Submission
from annotation.quality.assess import assess
from annotation.quality.code_explanations import code, edit_codebook
from annotation.quality.codebooks import COMMENTS, CRITERIA
from annotation.quality.rules import Rule
from annotation.review import approve as review
from annotation.review import exclude, reject
from annotation.studies.unblind import unblind
from annotation.workers import hold
from tests.annotation.console.test_browser import looked_at, signed_in
from tests.annotation.review.factories import judged, member
from tests.browsing import fresh

pytestmark = pytest.mark.django_db(transaction=True)
REASON = "One label was given for all of the texts of this HIT."


@pytest.fixture
def study(site: str, settings: Any, tmp_path: Path) -> Study:
    """Sixteen assignments of eight people in every band of deadlines, measured, with explanations."""
    settings.VAR, settings.CHROMIUM = tmp_path, ""
    return judged(
        workers=8,
        hits=2,
        texts=20,
        reasons=True,
        now=timezone.now(),
        ages=lambda at: timedelta(hours=5 * at, minutes=1),
    )


@pytest.fixture
def work(study: Study) -> list[Submission]:
    return list(Submission.objects.filter(hit__study=study).select_related("hit", "worker").order_by("pk"))


@pytest.fixture
def owner(study: Study) -> User:
    return member(study, "owner", "olga", is_superuser=True)


@pytest.fixture
def look(browser: Browser, site: str, owner: User, study: Study) -> Iterator[Callable[..., list[str]]]:
    """What is wrong with a page in any look, once it shows what it should show."""
    with fresh(browser, base_url=site) as context:
        context.add_cookies(signed_in(owner, site))  # type: ignore[arg-type]
        page = context.new_page()

        def looked(
            name: str, *parts: object, shows: str, after: Callable[[Page], None] = lambda page: None
        ) -> list[str]:
            page.goto(reverse(f"console:{name}", args=[study.uuid, *parts]))
            after(page)
            expect(page.locator("main")).to_contain_text(shows)
            return looked_at(page, name)

        yield looked


def rows(*work: Submission) -> Any:
    return Submission.objects.filter(pk__in=[one.pk for one in work])


@pytest.mark.timeout(600)
def test_the_desk_in_every_state_of_a_decision(
    look: Callable[..., list[str]], study: Study, work: list[Submission], owner: User
) -> None:
    ada, now = member(study, "reviewer", "ada"), timezone.now()
    proposed, refused, told, left_out, waiting = work[1:6]
    for one in (proposed, refused, told):
        reject.propose_rejection(study, one, reason=REASON, actor=ada, now=now)
    for one in (told, refused):
        reject.confirm_rejection(study, one, actor=owner, now=now, beyond_guard=True)
    reject.record_reply(study, told, body="I read every one of them.", actor=ada, now=now)
    Reply.objects.create(submission=told, body="Please look again. " * 50, at=now)
    Intent.objects.filter(subject=told.pk).update(state="done", finished_at=now)
    review.approve(study, rows(left_out), actor=owner, now=now, window=timedelta(minutes=10), leave_out="Did not read.")
    wrong = look("review", shows="rejection proposed")
    wrong += look("review-assignment", work[0].market_id, shows="May wrongly flag:")
    wrong += look("review-assignment", proposed.market_id, shows="Confirm rejection")
    wrong += look("review-assignment", refused.market_id, shows="is notified at")
    wrong += look("review-assignment", told.market_id, shows="I read every one of them.")
    wrong += look("review-assignment", told.market_id, shows="Uphold rejection")
    wrong += look(
        "review",
        shows="Reversible until",
        after=lambda page: page.get_by_role("link", name="1", exact=True).click(),
    )
    wrong += look("review-assignment", left_out.market_id, shows="Include in analysis")
    wrong += look("review-assignment", waiting.market_id, shows="You can undo your last decision", after=opened)

    def chosen(page: Page) -> None:
        page.get_by_label("Select all on this page").check()
        page.get_by_role("button", name="Approve and exclude").click()

    wrong += look("review", shows="Reason for exclusion", after=chosen)
    assert wrong == []


def opened(page: Page) -> None:
    """What is folded is looked at, too."""
    page.locator("main summary").first.click()


@pytest.mark.timeout(600)
def test_workers_on_hold_looked_up_and_measured(
    look: Callable[..., list[str]], study: Study, work: list[Submission], owner: User
) -> None:
    now = timezone.now()
    held, other = work[0].worker, work[1].worker
    until = now.date() + timedelta(days=30)
    hold.hold(held, reason="One label throughout.", until=until, actor=owner, now=now)
    hold.look_up(other, reason="A complaint by mail.", actor=owner, now=now)

    def asked(page: Page) -> None:
        page.locator("[name=look-reason]").fill("Another complaint.")
        page.get_by_role("button", name="Show worker ID").click()

    wrong = look("workers", shows=held.pseudonym)
    wrong += look("workers-page", held.pseudonym, shows="Excluded from future studies until")
    wrong += look("workers-page", other.pseudonym, shows="A9REALIDjudged00001", after=asked)
    assert wrong == []


@pytest.mark.timeout(600)
def test_coding_with_something_to_code_to_settle_and_to_agree_on(
    look: Callable[..., list[str]], study: Study, owner: User
) -> None:
    ada, bob, now = member(study, "reviewer", "ada"), member(study, "reviewer", "bob"), timezone.now()
    for purpose, book, picks in (
        ("comments", COMMENTS, ["grammar", "coherence"]),
        ("criteria", CRITERIA, ["mismatch", "null"]),
    ):
        held = edit_codebook(study, purpose, book, actor=owner, now=now)
        for at, remark in enumerate(Remark.objects.order_by("pk")[:12]):
            for coder, pick in ((ada, picks[at % 2]), (bob, picks[at % 3 > 0])):
                code(remark, held, [pick], coder=coder, now=now)
        code(Remark.objects.order_by("pk")[20], held, ["null"], coder=owner, now=now)
    wrong = look("coding", shows="Cohen's kappa", after=opened)
    wrong += look("coding", shows="Differences to resolve (6)")
    assert wrong == []


def main_button_is_in_view(page: Page) -> None:
    """Without scrolling, on a phone and on a desk."""
    for width, height in ((360, 740), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        expect(page.locator("#next-step").get_by_role("button")).to_be_in_viewport(ratio=1)


def ticks_ask_for_measures(page: Page) -> None:
    """Of the rules that are ticked, and of none once no rule is."""
    chosen, box = page.locator("#chosen"), page.get_by_label("One answer", exact=True)
    box.check()
    expect(chosen).to_contain_text("submissions excluded")
    box.uncheck()
    expect(chosen).to_contain_text("Tick rules")
    box.check()
    expect(chosen.get_by_role("table")).to_be_visible()


@pytest.mark.timeout(600)
def test_exclusions_fixed_applied_and_what_they_do(look: Callable[..., list[str]], study: Study, owner: User) -> None:
    now = timezone.now()
    assess(study, now=now)
    stored = exclude.fix_rules(study, "mild", [Rule("one_answer"), Rule("straight_lining")], actor=owner, now=now)
    exclude.apply_rules(stored, actor=owner, now=now)
    exclude.fix_rules(study, "strict", [Rule("one_answer"), Rule("disagreement", 0.5)], actor=owner, now=now)
    unblind(study, actor="olga", now=now)
    jobs.ask("exclusions", by=owner, now=now, study=study)
    run_due()
    wrong = look("quality", shows="mild", after=main_button_is_in_view)
    wrong += look("quality-outcome", shows="No decision on payment is recorded")
    wrong += look("results-exclusions", shows="Below the interval without exclusions", after=ticks_ask_for_measures)
    assert wrong == []
