"""python -m tests.screenshots.judging: the pictures of docs/judging.md: the queue, the card of a rater with one label
for all texts, and the rules with what they would do to honest people."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from playwright.sync_api import Page

from tests.browsing import chromium, fresh
from tests.screenshots.shots import replacing
from tests.screenshots.world import ROOT, serving, session

if TYPE_CHECKING:
    from annotation.models import Study

OUT = ROOT / "docs" / "judging"
WINDOW = {"width": 1280, "height": 760}


def open_queue(page: Page, origin: str) -> None:
    page.goto(f"{origin}/console/studies/{reviewed().uuid}/review/people/")


def open_card(page: Page, origin: str) -> None:
    """The card of the rater who is first in the queue."""
    open_queue(page, origin)
    page.locator("tbody a").first.click()


def open_rules(page: Page, origin: str) -> None:
    page.goto(f"{origin}/console/studies/{checked().uuid}/quality/rules/")


# What opens the page of each picture: picture NAME is docs/judging/NAME.png.
PICTURES: Mapping[str, Callable[[Page, str], None]] = MappingProxyType(
    {"queue": open_queue, "card": open_card, "rules": open_rules}
)


def reviewed() -> Study:
    """30 raters with three tasks each, of whom three gave one label throughout."""
    from annotation.models import Study

    return Study.objects.get(name="headlines")


def checked() -> Study:
    """32 people, 8 for each of 80 texts; the check simulated honest people, and results are unblinded."""
    from annotation.models import Study

    return Study.objects.get(name="checked headlines")


def plant() -> None:
    """Make the two studies, with ada as their reviewer."""
    from django.utils import timezone

    from annotation.jobs.queue import ask
    from annotation.jobs.run import run_due
    from annotation.models import Job, Membership
    from annotation.quality.fairness import possible_rules
    from annotation.quality.honest_studies import honest_outcome
    from annotation.quality.rules import Rule, rules_from
    from annotation.review.exclude import fix_rules
    from tests.annotation.review.factories import judged, member

    now = timezone.now()
    hour = {"now": now, "ages": lambda at: timedelta(hours=1), "straight": 3, "texts": 20}
    ada = member(judged(workers=30, hits=3, name="headlines", **hour), "reviewer", "ada")
    study = judged(workers=8, hits=4, hits_each=1, name="checked headlines", **hour)
    type(study).objects.filter(pk=study.pk).update(raters_per_text=8)
    study.refresh_from_db()
    Membership.objects.create(study=study, user=ada, role="editor")
    # One that excludes no honest person, and one that excludes nearly all of them.
    more = [Rule("one_answer"), Rule("competence")]
    fix_rules(study, "with two more", rules_from("default", more), actor=ada, now=now)
    words = [len(body.split()) for body in study.texts.values_list("body", flat=True)]
    outcome = honest_outcome(study, possible_rules(study), words=words)
    Job.objects.create(study=study, kind="preflight", state="done", created_at=now, finished_at=now, outcome=outcome)
    ask(Job.Kind.EXCLUSIONS, by=ada, now=now, study=study)
    run_due()


def main() -> int:
    """Take the pictures."""
    with tempfile.TemporaryDirectory() as name, serving(Path(name)) as origin:
        plant()
        from annotation.accounts.models import User

        cookies = session(User.objects.get(username="ada"), origin)
        with (
            replacing(OUT) as out,
            chromium(os.environ["CHROMIUM"]) as browser,
            fresh(browser, viewport=WINDOW) as context,
        ):
            context.add_cookies(cookies)  # type: ignore[arg-type]
            page = context.new_page()
            for picture, open_page in PICTURES.items():
                open_page(page, origin)
                page.screenshot(path=out / f"{picture}.png")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
