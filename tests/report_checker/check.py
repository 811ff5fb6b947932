"""Hold a page against the rows: each sentence is of a known kind and says what the rows say, and so does each table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from annotation.models import Study
from tests.report_checker import (
    columns,
    computed_columns,  # noqa: F401 - adds its kinds
    counted_columns,  # noqa: F401 - adds its kinds
    figure_labels,
    figures,  # noqa: F401 - adds its kinds
    lists,
    made_by,
    page_sentences,  # noqa: F401 - adds its kinds
    rare_sentences,  # noqa: F401 - adds its kinds
    shortened,  # noqa: F401 - adds its kinds
    stated_facts,
    table_captions,  # noqa: F401 - adds its kinds
    tables,
)
from tests.report_checker.page import Page
from tests.report_checker.paper_table import paper_cells
from tests.report_checker.recount import Rows
from tests.report_checker.sentences import Asked, Kind, kind_of

# Places whose every sentence must be of a kind; each caption of a figure; of other captions, those with a number.
WHOLE = ("lead", "verdict", "limit", "methods", "warning", "datasheet", "missing", "no warning", "design", "cut")
STATES = re.compile(r"(?<!SHA-)\b\d")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the page with its kind (None: no kind fits) and what the rows say instead ("" where it is true)."""

    place: str
    text: str
    kind: Kind | None
    instead: str


def sentences(page: Page, rows: Rows, asked: Asked) -> Iterator[Sentence]:
    """Each sentence of the page that states something."""
    for shown in page.shown():
        text = shown.text
        if shown.place not in WHOLE:
            if known := [(kind, match) for kind, match in kind_of(text) if match[0] == text]:
                yield _judged(shown.place, text, known, rows, asked)
            elif shown.place == "figure" or (shown.place == "caption" and STATES.search(text)):
                yield Sentence(shown.place, text, None, "a caption of a known kind")
            continue
        while text:
            matches = list(kind_of(text))
            if not matches:
                yield Sentence(shown.place, text, None, "a sentence of a known kind")
                break
            done = _judged(shown.place, text, matches, rows, asked)
            yield done
            text = text[len(done.text) :].lstrip()


def _judged(place: str, text: str, matches: list[tuple[Kind, re.Match[str]]], rows: Rows, asked: Asked) -> Sentence:
    """The first match that the rows confirm, else the first."""
    judged = []
    for known, match in matches:
        expected = known.expect(rows, match, asked)
        instead = "" if expected == match[0] else (expected or "nothing: the rows do not say so")
        judged.append(Sentence(place, match[0], known, instead))
    return next((sentence for sentence in judged if not sentence.instead), judged[0])


def differences(text: str, study: Study, asked: Asked) -> list[str]:
    """What the page says otherwise than the rows, a line each."""
    page, rows = Page(text), Rows(study)
    lines = [
        f"{sentence.place}: {sentence.text!r}\n    rows: {sentence.instead}"
        for sentence in sentences(page, rows, asked)
        if sentence.instead
    ]
    expected = tables.expected_tables(rows, asked)
    expected |= paper_cells(rows, asked.level) if rows.submissions else {}
    lines += [*tables.differences(page, rows), *stated_facts.differences(page, rows, asked)]
    lines += [*figure_labels.differences(page, rows, asked.level), *lists.differences(page, rows, asked)]
    lines += made_by.differences(page, rows, asked)
    return [*lines, *tables.different_cells(page, expected), *columns.differences(page, rows, asked, expected)]
