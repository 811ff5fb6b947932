"""What a report states is what the rows of the database say, in random studies of every kind and outcome.

`make check_reports` goes over all seeds and plants a lie in each kind of sentence that they have.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
from collections.abc import Iterable

import pytest
from lxml import html

import metrics.report
from metrics.data.sentence import TEMPLATES
from tests.metrics.report.headings import count_not_recorded, empty_headings
from tests.report_checker import lists, made_by
from tests.report_checker.check import differences, sentences
from tests.report_checker.columns import ShownCell, counted_cells
from tests.report_checker.figure_labels import LISTED, figures
from tests.report_checker.figure_labels import differences as differences_of_labels
from tests.report_checker.lies import NUMBER, lies
from tests.report_checker.occurrences import OCCURRENCES
from tests.report_checker.page import Page, words
from tests.report_checker.rare import FIRST_RARE, RARE
from tests.report_checker.recount import Rows
from tests.report_checker.sentences import kind_of, ranged, share_of
from tests.report_checker.shortened import differences_of_latex
from tests.report_checker.studies import FIRST_FURTHER, FIRST_ODD, FIRST_PLANNED, FURTHER, KINDS, ODD, OUTCOMES, draw
from tests.report_checker.tables import Ranged, expected_tables, same
from tests.report_checker.world import Reported, report_of

pytestmark = pytest.mark.django_db

# Of five kinds and six outcomes, one with criteria that are measured otherwise; all seeds where ASSAY_ALL_REPORTS says
# how many.
STORED = (5, 6, 7, 3, 19, 101)
FURTHER_SEEDS = range(FIRST_FURTHER, FIRST_FURTHER + 3 * len(FURTHER))
ODD_SEEDS = range(FIRST_ODD, FIRST_ODD + len(ODD))
PLANNED_SEEDS = range(FIRST_PLANNED, FIRST_PLANNED + 3)
RARE_SEEDS = range(FIRST_RARE, FIRST_RARE + len(RARE))
ALL_SEEDS = (*range(int(os.environ.get("ASSAY_ALL_REPORTS", 100))), *FURTHER_SEEDS, *ODD_SEEDS, *RARE_SEEDS)
SEEDS = ALL_SEEDS if "ASSAY_ALL_REPORTS" in os.environ else STORED


@pytest.mark.parametrize("seed", SEEDS)
def test_each_sentence_of_a_report_is_true_and_a_lie_in_any_is_caught(seed: int) -> None:
    reported = report_of(seed)
    assert not differences(reported.page, reported.study, reported.asked), reported.drawn
    assert undetected(reported) == []
    assert undetected_in_tables(reported) == []
    assert unbound(reported, OCCURRENCES.get(seed, ())) == []
    assert empty_headings(reported.page) == []
    assert count_not_recorded(reported.page) <= 1


def test_lists_that_are_cut_say_how_much_of_them_is_shown() -> None:
    reported = report_of(next(seed for seed, keys in OCCURRENCES.items() if "shortened.rows" in keys))
    rows = Rows(reported.study)
    assert not differences(reported.page, reported.study, reported.asked)
    assert undetected(reported) == []
    assert unbound(reported, OCCURRENCES[reported.drawn.seed]) == []
    assert list(differences_of_latex(reported.latex, rows, reported.asked)) == []
    for lie in ("The first 9 of 20 rows", "The first 8 of 21 rows"):
        assert list(differences_of_latex(reported.latex.replace("The first 8 of 20 rows", lie), rows, reported.asked))


def test_an_open_study_with_all_its_work_is_not_said_to_wait_for_more() -> None:
    open_studies = [changes.get("settings") for _, changes, _ in RARE]
    reported = report_of(FIRST_RARE + open_studies.index((("status", "published"),)))
    assert not differences(reported.page, reported.study, reported.asked)
    assert undetected(reported) == []
    assert "assignments are in, and the study is not closed: further" in reported.page
    assert "Numbers will change" not in reported.page


def test_two_questions_of_one_type_that_exchange_their_names_are_caught() -> None:
    reported = report_of(FIRST_RARE + [changes.get("preset") for _, changes, _ in RARE].index("which-of-k twice"))
    rows, asked = Rows(reported.study), reported.asked
    assert not differences(reported.page, reported.study, asked)
    said = "; ".join(sentence.text for sentence in sentences(Page(reported.page), rows, asked))
    assert all(words in said for words in ("of cases (which machine)", "of cases (dullest text)"))
    assert all(
        words in said
        for words in ("] for dullest text; ", "] for which machine (nominal, each text as chosen or not).")
    )
    one, other = "which machine", "dullest text"
    lied = reported.page.replace(one, "EXCHANGED").replace(other, one).replace("EXCHANGED", other)
    assert differences(lied, reported.study, asked)


def unbound(reported: Reported, keys: Iterable[str]) -> list[str]:
    """Templates that the report does not use, and sentences of them that were not held against the rows."""
    checked = " ".join(
        sentence.text for sentence in sentences(Page(reported.page), Rows(reported.study), reported.asked)
    )
    missing = [key for key in keys if key not in reported.templates]
    return missing + [
        text for key in keys for text in reported.templates.get(key, ()) if text not in checked and key not in missing
    ]


def test_every_template_occurs_in_a_study_that_is_checked() -> None:
    for module in pkgutil.walk_packages(metrics.report.__path__, "metrics.report."):
        importlib.import_module(module.name)
    listed = {key for keys in OCCURRENCES.values() for key in keys}
    # Those of comparisons are in `test_comparisons_say_what_rows_say.py`.
    assert listed == {key for key in TEMPLATES if not key.startswith("comparison.")}
    assert set(OCCURRENCES) <= {*ALL_SEEDS, *STORED}
    assert {key for _, _, keys in RARE for key in keys} <= listed


def undetected(reported: Reported) -> list[str]:
    """Lies planted in the page's sentences that the rows do not contradict."""
    rows = Rows(reported.study)
    missed = []
    for sentence in sentences(Page(reported.page), rows, reported.asked):
        name = sentence.kind.name if sentence.kind else ""
        planted = list(lies(sentence.text, ranged=ranged(rows, name), share=share_of(rows)))
        assert planted, f"no lie can be planted in {sentence.text!r}"
        for lie in planted:
            told = [
                known.expect(rows, match, reported.asked) == match[0]
                for known, match in kind_of(lie)
                if match[0] == lie
            ]
            missed += [lie] if any(told) else []
    return missed


def undetected_in_tables(reported: Reported) -> list[ShownCell]:
    """Cells of counted columns in which a lie about the number (or the word) is not caught."""
    page, missed = Page(reported.page), []
    for cell in counted_cells(page, Rows(reported.study), reported.asked, {}):
        if isinstance(cell, ShownCell) and cell.value is not None and reported.asked.without != "ratings":
            # Limits that are listed as uncounted are part of no lie.
            said = cell.said if isinstance(cell.value, Ranged | str) else LIMITS.sub("", cell.said)
            planted = lies(said) if NUMBER.search(said) or re.search("[a-z]{4}", said) else [f"{said}?"]
            missed += [cell for lie in planted if same(lie, cell.value)]
    return missed


LIMITS = re.compile(r" \[.+?\]")


def test_a_limit_of_huse_its_q_or_its_d_that_is_moved_in_a_table_is_caught() -> None:
    reported = report_of(STORED[0])
    pages, known = Page(reported.page).tables(), expected_tables(Rows(reported.study), reported.asked)
    for caption in ("HUSE, HUSE-Q (judgment alone), HUSE-D", "HUSE, HUSE-Q (judgment alone) and HUSE-D"):
        table = next(table for title, table in pages.items() if title.startswith(caption))
        for key, values in known[caption].items():
            row = next(row for row in table if tuple(row[: len(key)]) == key)
            for said, value in zip(row[len(key) :], values, strict=False):
                assert same(said, value)
                planted = list(lies(said))
                assert len(planted) == 3, "the value and both limits"
                assert not any(same(lie, value) for lie in planted)


def test_the_sealed_plan_of_a_report_is_that_of_the_rows() -> None:
    stated = set()
    for seed in PLANNED_SEEDS:
        reported = report_of(seed)
        page, rows = Page(reported.page), Rows(reported.study)
        assert not differences(reported.page, reported.study, reported.asked), reported.drawn
        assert undetected(reported) == []
        stated |= {sentence.kind.name for sentence in sentences(page, rows, reported.asked) if sentence.kind}
    assert stated >= {"plan_sealed", "plan_amended", "plan_unamended", "plan_followed", "plan_not_followed"}


def test_seeds_draw_every_kind_and_outcome() -> None:
    drawn = [draw(seed) for seed in range(100)]
    assert {one.kind for one in drawn} == set(KINDS)
    assert {one.outcome for one in drawn} == set(OUTCOMES)
    assert {one.kind for one in map(draw, STORED)} == set(KINDS)
    assert len({one.outcome for one in map(draw, STORED)}) == len(STORED)


def test_a_label_of_a_figure_that_is_changed_is_caught() -> None:
    reported = report_of(STORED[0])
    rows, labels = Rows(reported.study), {}
    for figure in figures(Page(reported.page)):
        for text in (figure.marks[:1] + figure.labels[:1]) if not figure.name.startswith(tuple(LISTED)) else ():
            if re.search(r"HJ \d|n = \d|\(\d|% \d", text):
                labels[figure.name.rstrip("-123456789"), text in figure.labels] = text
    assert len(labels) > 5
    for text in labels.values():
        lie = re.sub(r"\d(?= \[|\D*$)", lambda digit: str((int(digit[0]) + 5) % 10), text, count=1)
        assert lie != text
        lied = reported.page.replace(f">{text}<", f">{lie}<")
        assert lied != reported.page, text
        assert list(differences_of_labels(Page(lied), rows, reported.asked.level)), lie


LISTS = (
    "//table[@class='texts']//td",
    "//table[@class='signatures']//code/text()/..",
    "//details[contains(@class, 'stated')]//li",
    "//*[contains(@class, 'page-text')]",
    "//dt[.='Settings']/../dd",
    "//dt[.='Versions']/../dd",
    "//dt[.='Size of a task']/../dd",
    "//dt[.='Where and when evaluators worked']/../dd",
)


def test_a_digit_that_is_changed_in_a_list_of_the_page_is_caught() -> None:
    reported = report_of(STORED[2])
    rows, asked = Rows(reported.study), reported.asked
    for path in LISTS:
        page = Page(reported.page)
        nodes = [node for place in page.tree.xpath(path) for node in place.xpath(".//text()") if re.search(r"\d", node)]
        lied = 0
        for node in nodes[:6]:
            lie = re.sub(r"\d(?=\D*$)", lambda digit: str((int(digit[0]) + 5) % 10), node, count=1)
            owner, which = node.getparent(), "tail" if node.is_tail else "text"
            setattr(owner, which, lie)
            lied += 1
            found = [*lists.differences(page, rows, asked), *made_by.differences(page, rows, asked)]
            setattr(owner, which, str(node))
            assert found, f"{path}: {lie}"
        assert lied, path


def test_a_fact_or_a_cell_of_the_paper_table_that_is_changed_is_caught() -> None:
    reported = report_of(STORED[2])
    places = [
        *Page(reported.page).tree.xpath("//dl[@class='key-facts']//dd"),
        *Page(reported.page).tree.xpath("//section[@id='paper']//td"),
    ]
    stated = {text for text in map(words, places) if re.match(r"[\d.]+(?!.*\(n = )", text)}
    assert len(stated) > 4
    for text in stated:
        (lie,) = (*lies(text),)[:1]
        tree = Page(reported.page).tree
        for place in tree.xpath("//dl[@class='key-facts']//dd | //section[@id='paper']//td"):
            if words(place) == text:
                place.clear()
                place.text = lie
        page = html.tostring(tree, encoding="unicode")
        assert differences(page, reported.study, reported.asked), lie
