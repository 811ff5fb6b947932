"""The report of the rehearsal, whole and figure by figure."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.screenshots.shots import Shot, World


def _report(world: World) -> str:
    return (world.folder / "report" / "report.html").as_uri()


def _drawn(page: Page) -> None:
    page.wait_for_load_state("networkidle")


SHOTS = [Shot("report", _report, act=_drawn), Shot("figure", _report, act=_drawn, each="figure")]
