"""The page of a seed's study, made once a process."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from annotation.models import Study
from annotation.reports.gather import score
from metrics.report.build import build_report
from metrics.report.formats.html import html
from tests.report_checker.page import Page
from tests.report_checker.sentences import Asked
from tests.report_checker.studies import Draw, draw, rehearse

NOW = datetime(2026, 11, 20, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Reported:
    """A study with its page."""

    drawn: Draw
    study: Study
    asked: Asked
    page: str


def report_of(seed: int) -> Reported:
    """Rehearse the study of a seed and write its page. Needs a database."""
    drawn = draw(seed)
    study = rehearse(drawn)
    page = html(build_report(score(study), k=drawn.k, level=drawn.level, seed=1), now=NOW)
    return Reported(drawn, study, Asked(drawn.k, drawn.level, Page(page)), page)
