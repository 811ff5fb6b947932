"""The researcher's pages."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.screenshots.shots import Shot


def _nothing_filled_in(page: Page) -> None:
    page.get_by_role("button", name="Sign in").click()


SHOTS = [
    Shot("console-sign-in", lambda world: f"{world.origin}/console/sign-in/"),
    Shot("console-sign-in-failed", lambda world: f"{world.origin}/console/sign-in/", act=_nothing_filled_in),
    Shot("console-refused", lambda world: f"{world.origin}/console/enter/nothing/"),
    Shot("console-studies", lambda world: f"{world.origin}/console/", "owner"),
    Shot("console-studies-empty", lambda world: f"{world.origin}/console/", "newcomer"),
    Shot("console-overview", lambda world: world.of_study(), "owner"),
    Shot("console-overview-empty", lambda world: world.of_draft(), "owner"),
    Shot("console-running", lambda world: world.of_study("running/"), "owner"),
    Shot("console-running-empty", lambda world: world.of_draft("running/"), "owner"),
    Shot("console-running-compare", lambda world: world.of_study("running/compare/"), "owner"),
    Shot("console-log", lambda world: world.of_study("log/"), "owner"),
]
