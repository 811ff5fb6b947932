"""python -m tests.screenshots.judging: the pictures of docs/judging.md that need no simulation: the queue, and the card
of a rater with one label for all texts."""

from __future__ import annotations

import os
import tempfile
from datetime import timedelta
from pathlib import Path

from tests.browsing import chromium, fresh
from tests.screenshots.world import ROOT, serving, session

OUT = ROOT / "docs" / "judging"
WINDOW = {"width": 1280, "height": 760}
RATERS, STRAIGHT = 30, 3


def main() -> int:
    """Take the pictures."""
    with tempfile.TemporaryDirectory() as name, serving(Path(name)) as origin:
        from django.utils import timezone

        from tests.annotation.review.factories import judged, member

        study = judged(
            workers=RATERS,
            hits=3,
            texts=20,
            name="headlines",
            straight=STRAIGHT,
            now=timezone.now(),
            ages=lambda at: timedelta(hours=1),
        )
        cookies = session(member(study, "reviewer", "ada"), origin)
        with chromium(os.environ["CHROMIUM"]) as browser, fresh(browser, viewport=WINDOW) as context:
            context.add_cookies(cookies)  # type: ignore[arg-type]
            page = context.new_page()
            page.goto(f"{origin}/console/studies/{study.uuid}/review/people/")
            page.screenshot(path=OUT / "queue.png")
            page.locator("tbody a").first.click()
            page.screenshot(path=OUT / "card.png")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
