"""What a study from elsewhere shows: `stranger`. `test_paper` compiles its paper page with those of all kinds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lxml import html as lxml_html

from metrics.figures import hj_by_source
from metrics.figures.texts import ROW_LETTERS
from metrics.report.formats.html import html
from metrics.report.formats.isolation import isolate_words
from metrics.report.formats.write import write_report
from tests.metrics.report.latex import compile_tex, needs, overfull, pages
from tests.metrics.report.samples import NOW
from tests.metrics.report.stranger import ARABIC, HEBREW, NAMES, SIGNS, report


@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_its_long_report_compiles_and_no_sentence_is_wider_than_the_page(engine: str, tmp_path: Path) -> None:
    needs(engine)
    write_report(report(), tmp_path, now=NOW, formats=("latex",))
    log = compile_tex(tmp_path, "study.tex", engine)
    assert "Missing character" not in log
    assert [points for points in overfull(log) if points > 1] == []


def test_its_paper_page_with_codes_for_letters_is_one_page(tmp_path: Path) -> None:
    needs("pdflatex")
    write_report(report(), tmp_path, now=NOW, formats=("latex",))
    log = compile_tex(tmp_path, "paper.tex", "pdflatex")
    assert (pages(log), [points for points in overfull(log) if points > 1]) == (1, [])


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
    assert all(len(label) <= ROW_LETTERS and re.search(r"\], n = 12$", label) for label in labels)
    assert "…" in " ".join(labels)
    assert NAMES[1] in chart.alt
