"""A study from elsewhere: names from right to left, signs that LaTeX and HTML read as commands, pictures as letters."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from lxml import html as lxml_html

from metrics.figures import hj_by_source
from metrics.report.build import build_report
from metrics.report.formats.html import html
from metrics.report.formats.isolation import isolate_words
from metrics.report.formats.write import write_report
from metrics.report.result import Report
from tests.metrics.report.latex import ENGINES, compile_tex, needs, overfull, pages
from tests.metrics.report.samples import NOW, study

SIGNS = "50%_#1 & ~^\\{x}"
HEBREW, ARABIC = "\u05de\u05d5\u05d3\u05dc", "\u0646\u0645\u0648\u0630\u062c"
NAMES = (f"{HEBREW} {SIGNS}", f"{ARABIC}-2 \U0001f642 a-very-long-name/with_parts" + "x" * 40)
PAGES = ("study.tex", "paper.tex")


@cache
def report() -> Report:
    records = study({NAMES[0]: (0.4, 0.6), NAMES[1]: (0.2, 0.3)}, texts=12, raters=4)
    facts = replace(records.study, name=f"{HEBREW} <b>{SIGNS}</b>", question=f"{HEBREW} “{{output}}”? {SIGNS} <i>")
    crowd = replace(records.crowd, provider=f"{ARABIC} {SIGNS}", ethics=f"{HEBREW} {SIGNS}", consent=SIGNS)
    texts = tuple(replace(text, body=f"{text.body} {HEBREW} {SIGNS} \U0001f642") for text in records.texts)
    return build_report(replace(records, study=facts, crowd=crowd, texts=texts), k=5)


@pytest.mark.parametrize("engine", ENGINES)
def test_its_latex_compiles_and_the_paper_page_is_one_page(engine: str, tmp_path: Path) -> None:
    needs(engine)
    write_report(report(), tmp_path, now=NOW, formats=("latex",))
    # The long report has the same signs in the same commands: one engine goes over it as well.
    for name in PAGES if engine == "lualatex" else PAGES[1:]:
        log = compile_tex(tmp_path, name, engine)
        assert "Missing character" not in log
        assert name == "study.tex" or (pages(log), [points for points in overfull(log) if points > 1]) == (1, [])


def test_words_from_right_to_left_are_isolated_and_signs_are_shown_as_they_are() -> None:
    page = html(report(), now=NOW)
    tree = lxml_html.document_fromstring(page)
    assert {HEBREW, ARABIC} <= {element.text for element in tree.iter("bdi")}
    for element in tree.iter():
        loose = (element.text if element.tag not in ("bdi", "script", "style", "title", "text") else "", element.tail)
        assert not any(letters in (text or "") for letters in (HEBREW, ARABIC) for text in loose), element.tag
    assert tree.find(".//h1").text_content().strip().startswith(f"{HEBREW} <b>{SIGNS}</b>")


def test_a_page_without_such_words_stays_as_it_is() -> None:
    page = "<p title='x'>HUSE 0.50</p>"
    assert isolate_words(page) == page
    still = f"<title>{HEBREW}</title><svg><text>{HEBREW}</text></svg>"
    assert isolate_words(still) == still


def test_a_row_of_a_long_name_shows_its_value_whole() -> None:
    """In the picture a name may be shortened, and never what is measured of it; in words it is whole."""
    chart = hj_by_source.chart(report().sources)
    labels = [note.text for note in chart.notes]
    assert all(len(label) <= hj_by_source.LETTERS and re.search(r"\], n = 12$", label) for label in labels)
    assert "…" in " ".join(labels)
    assert NAMES[1] in chart.alt
