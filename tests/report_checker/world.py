"""The page of a seed's study, made once a process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch

from annotation.models import Study
from annotation.reports.gather import score
from metrics.data.sentence import Sentence
from metrics.report.build import build_report
from metrics.report.build import report_of as report_of_snapshot
from metrics.report.formats import html as of_page
from metrics.report.formats.csv import main_table
from metrics.report.formats.figures import headline
from metrics.report.formats.html import html
from metrics.report.formats.latex import latex
from metrics.report.paper.table import paper_table
from metrics.report.prose.methods import describe_scales
from metrics.report.prose.page_sentences import page_sentences
from metrics.report.prose.shortened import count_further_days, count_texts_shown, shorten_table
from metrics.report.records import ReportInput
from metrics.report.result import Report
from metrics.report.snapshot import Header, Snapshot, content_of, sha256_of
from tests.report_checker.page import Page
from tests.report_checker.rare import SECTION
from tests.report_checker.sentences import Asked
from tests.report_checker.studies import Draw, draw, rehearse

NOW = datetime(2026, 11, 20, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Reported:
    """A study with its page and its LaTeX. templates: by key, the sentences that are filled from a template."""

    drawn: Draw
    study: Study
    asked: Asked
    page: str
    latex: str
    templates: dict[str, set[str]]


def report_of(seed: int) -> Reported:
    """Rehearse the study of a seed and write its page. Needs a database."""
    drawn = draw(seed)
    study = rehearse(drawn)
    report = report_without(score(study), drawn)
    with shown(drawn):
        page, source, keys = html(report, now=NOW), latex(report, has_figures=False), keys_of(report)
    return Reported(drawn, study, Asked(drawn.k, drawn.level, Page(page), drawn.without), page, source, keys)


LIMITS = (
    "metrics.report.formats.html.SHOWN_ROWS",
    "metrics.report.formats.html.SHOWN_TEXTS",
    "metrics.report.formats.html.SHOWN_DAYS",
    "metrics.report.paper.table.MAX_ROWS",
)


@contextmanager
def shown(drawn: Draw) -> Iterator[None]:
    """While the limits of lists are those of the draw, where it has some; LaTeX has those of the page."""
    limits = {**dict(zip(LIMITS, drawn.shown, strict=False)), **dict(zip((LATEX,), drawn.shown, strict=False))}
    with ExitStack() as stack:
        for name, limit in limits.items():
            stack.enter_context(patch(name, limit))
        yield


LATEX = "metrics.report.formats.latex.MAX_ROWS"


def report_without(report_input: ReportInput, drawn: Draw) -> Report:
    """The report; of a snapshot that another release or package wrote, where the draw says what that is without.

    `quality`: no words on what was done about quality; `ratings`: means of texts alone; `section`: a section of a
    package that is not installed here.
    """
    options: dict[str, Any] = {"k": drawn.k, "level": drawn.level, "seed": 1}
    if drawn.without == "quality":
        report_input = replace(report_input, quality=None)
    if drawn.without == "ratings":
        generators = tuple(
            replace(one, items=tuple(replace(item, ratings=0) for item in one.items)) for one in report_input.generators
        )
        report_input = replace(report_input, ratings=(), generators=generators)
    if drawn.without == "section":
        content = content_of(report_input)
        header = Header(drawn.name, 1, NOW, "ada", "report", sha256_of(content), sections=(SECTION,))
        return report_of_snapshot(Snapshot(header, content), **options)
    return build_report(report_input, **options)


def sentences_of_cuts(report: Report) -> list[str]:
    """What the page says of the lists that it shows in part."""
    tables = [table for section in (report.items, *report.sections) for table in section.tables]
    notes = [note for table in tables for note in shorten_table(table, of_page.SHOWN_ROWS, "report.json").notes[-1:]]
    notes += [count_texts_shown(of_page.SHOWN_TEXTS, len(report.input.texts), "items.csv")]
    return [*notes, count_further_days(len(report.days) - of_page.SHOWN_DAYS)]


def keys_of(report: Report) -> dict[str, set[str]]:
    """By template, the sentences that the page takes from it."""
    sentences: dict[str, set[str]] = {}
    table = paper_table(report.generators, report.sections)
    waiting: list[Any] = [report, describe_scales(report.input), table, headline(report), page_sentences(report)]
    waiting += sentences_of_cuts(report)
    waiting += [replace(main_table(report), notes=())] if report.generators else []  # the page shows no notes of it
    seen: set[int] = set()
    while waiting:
        part = waiting.pop()
        if isinstance(part, Sentence):
            sentences.setdefault(part.key, set()).add(" ".join(part.split()))
        elif not isinstance(part, str | bytes) and id(part) not in seen:
            seen.add(id(part))
            if is_dataclass(part):
                waiting += [getattr(part, field.name) for field in fields(part)]
            elif isinstance(part, Mapping):
                waiting += part.values()
            elif isinstance(part, tuple | list):
                waiting += part
    return sentences
