"""The report of the rehearsal, whole and figure by figure; reports of other studies; a comparison; a shared report."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

from tests.screenshots.shots import Shot, World


def _report(world: World) -> str:
    return (world.folder / "report" / "report.html").as_uri()


def _of_job(job: str, name: str, world: World) -> str:
    return (Path(world.folder) / "jobs" / world.ids[job] / name).as_uri()


def _drawn(page: Page) -> None:
    page.wait_for_load_state("networkidle")


def _printed(page: Page) -> None:
    _drawn(page)
    page.emulate_media(media="print")


SHOTS = [
    Shot("report", _report, act=_drawn),
    Shot("report-printed", _report, act=_printed),
    Shot("report-running", lambda world: _of_job("job_partial", "report.html", world), act=_drawn),
    Shot("report-evaluators", lambda world: _of_job("job_evaluators", "report.html", world), act=_drawn),
    Shot("report-comparison", lambda world: _of_job("job_comparison", "comparison.html", world), act=_drawn),
    Shot("shared", lambda world: f"{world.origin}/shared/{world.ids['link']}/", act=_drawn),
    Shot("figure", _report, act=_drawn, each="figure"),
]
