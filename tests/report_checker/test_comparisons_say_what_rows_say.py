"""Each sentence of a page on which studies are compared says what their rows say, and a lie in it is caught."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from lxml import html as lxml_html

from annotation.reports.gather import score
from metrics.data.sentence import TEMPLATES, Sentence
from metrics.report.comparison.compare import StudyComparison, compare_studies
from metrics.report.formats.write_comparison import html
from tests.report_checker.compared import (
    ACCURACIES,
    ALL_PAIRS,
    COMMON,
    CORRELATIONS,
    JUDGED,
    OWN,
    PAIRS,
    RATED,
    SCORES,
    SPAN,
    UPHELD,
    Studies,
    limits,
    other_cells,
    untrue,
)
from tests.report_checker.differences import TITLES
from tests.report_checker.lies import lies
from tests.report_checker.page import Page, words
from tests.report_checker.rare import BOTH
from tests.report_checker.recount import Rows
from tests.report_checker.sentences import two
from tests.report_checker.studies import Draw, draw, rehearse
from tests.report_checker.world import NOW

pytestmark = pytest.mark.django_db

SMALL: dict[str, Any] = {**BOTH, "texts": 8, "raters": 5, "level": 0.95, "generators": ("alpha",), "ways": ()}
FEW: dict[str, Any] = {**SMALL, "raters": 3}
WHO: dict[str, Any] = {**SMALL, "texts": 4, "arms": ("none",), "per_hit": 9}
PICKED: dict[str, Any] = {**SMALL, "texts": 6, "raters": 3, "mode": "rehearsal", "contexts": True}
STUDIES: dict[str, Draw] = {
    "paid": replace(draw(0), **{**SMALL, "seed": 400, "mode": "live", "currency": "EUR"}),
    "two": replace(draw(0), **{**SMALL, "seed": 401, "mode": "rehearsal", "texts": 9, "generators": ("alpha", "beta")}),
    "who": replace(draw(1), **{**WHO, "seed": 402, "currency": "USD"}),
    "who else": replace(draw(1), **{**WHO, "seed": 403, "currency": "JPY"}),
    "who third": replace(draw(1), **{**WHO, "seed": 411}),
    "who alone": replace(draw(1), **{**WHO, "seed": 412, "outcome": "of one rater"}),
    "again": replace(
        draw(0), **{**SMALL, "seed": 404, "raters": 6, "people": 400, "unit": "char", "contexts": False, "mode": "live"}
    ),
    "three": replace(draw(0), **{**SMALL, "seed": 405, "generators": ("alpha", "beta", "gamma")}),
    "few": replace(draw(0), **{**FEW, "seed": 406, "generators": ("alpha", "beta")}),
    "other words": replace(draw(0), **{**FEW, "seed": 407, "scale": (1, "!")}),
    "liked": replace(draw(2), **{**SMALL, "seed": 408, "texts": 4, "scale": (1, "!")}),
    "picked": replace(draw(105), **{**PICKED, "seed": 409}),
    "picked again": replace(draw(105), **{**PICKED, "seed": 410}),
}
# What is compared; what is said of them, together every template of a comparison.
K, LEVEL = 3, 0.9
MANY = 11  # neighbours, more than half of the texts, so that there are no intervals
COMPARED: tuple[tuple[int, tuple[str, ...]], ...] = (
    (K, ("paid", "again")),
    (K, ("paid", "two", "three")),
    (K, ("who", "who else")),
    (K, ("who", "who else", "who third")),
    (K, ("who", "who alone")),
    (K, ("few", "other words")),
    (MANY, ("few", "other words")),
    (K, ("who", "few")),
    (K, ("who", "liked")),
    (K, ("picked", "picked again")),
)
TEMPLATES_OF_COMPARISONS = {key for key in TEMPLATES if key.startswith("comparison.")}


def said(compared: StudyComparison) -> list[Sentence]:
    """Every sentence of the comparison that is filled from a template."""
    notes = [note for section in compared.sections for table in section.tables for note in table.notes]
    sentences = (*compared.verdicts, *compared.limits, *compared.methods, *notes)
    every = [*sentences, *(warn.sentence for warn in compared.warnings)]
    return [sentence for sentence in every if isinstance(sentence, Sentence)]


def test_each_sentence_of_a_comparison_is_true_and_a_lie_in_any_is_caught() -> None:
    studies = {name: rehearse(drawn) for name, drawn in STUDIES.items()}
    inputs = {name: score(study) for name, study in studies.items()}
    keys, changed = set(), set()
    for k, names in COMPARED:
        compared = compare_studies([inputs[name] for name in names], k=k, level=LEVEL, seed=1)
        page = html(compared, now=NOW, files={})
        rows = Studies({studies[name].name: Rows(studies[name]) for name in names}, k, LEVEL, Page(page))
        shown = words(rows.page.tree)
        assert list(other_cells(rows)) == []
        stated = rows.page.tree.xpath("//h3[.='What cannot be concluded']/following-sibling::ul[1]/li")
        assert [words(limit) for limit in stated] == limits(rows)
        summary = words(rows.page.tree.get_element_by_id("summary")).partition("What cannot be concluded")[0]
        assert ("Intervals are at 90%." in summary) == bool(re.search(SPAN, summary))
        assert any(title == "Who rated, and for what pay." for title, _ in rows.page.captioned()) == any(
            cells[0].count("Wage per hour") for _, cells in rows.page.captioned()
        )
        for sentence in said(compared):
            text = " ".join(sentence.split())
            assert text in shown
            assert not untrue(text, rows), text
            assert not [lie for lie in lies(text, ranged=SPAN) if not untrue(lie, rows)]
            keys.add(sentence.key)
        for place, other in changed_cells(page):
            rows.page = Page(other)
            assert list(other_cells(rows)), place
            changed.add(place)
    assert keys == TEMPLATES_OF_COMPARISONS
    assert changed == {(caption, head) for caption, head, _ in CHANGES}


# By the caption of its table and its head, a cell of results and how it is changed: a wider interval, a limit that is
# moved alone, another value, another finding.
Change = Callable[[str], str]
ESTIMATES: dict[str, Change] = {
    PAIRS: lambda cell: widened(cell),
    OWN: lambda cell: widened(cell),
    COMMON: lambda cell: moved(cell),
}
CHANGES: tuple[tuple[str, str, Change], ...] = (
    *((caption, head, change) for caption, change in ESTIMATES.items() for head in TITLES),
    (JUDGED, "Ratings per text", lambda cell: f"{cell}0"),
    (JUDGED, "Model texts", lambda cell: f"{cell}0"),
    (RATED, "Excluded", lambda cell: f"{cell}1"),
    (RATED, "Wage per hour", lambda cell: f"{cell}1"),
    (ACCURACIES, "Right", lambda cell: cell.replace("[", "[1")),
    ("Studies against each other", "p", lambda cell: cell[:-1] + str((int(cell[-1]) + 5) % 10)),
    (ALL_PAIRS, "p, all pairs", lambda cell: cell[:-1] + str((int(cell[-1]) + 5) % 10)),
    (SCORES, "CV*, %", lambda cell: f"{float(cell) + 9:.2f}"),
    (CORRELATIONS, "Pearson", lambda cell: cell[:-1] + str((int(cell[-1]) + 5) % 10)),
    (CORRELATIONS, "Spearman", lambda cell: cell[:-1] + str((int(cell[-1]) + 5) % 10)),
    (UPHELD, "In the repetition", lambda cell: "worse" if cell == "undecided" else "undecided"),
    (UPHELD, "Upheld", lambda cell: "no" if cell == "yes" else "yes"),
)


def widened(cell: str) -> str:
    """An estimate with an interval that is twice as wide, around the same value."""
    value, _, limits = cell.partition(" ")
    low, high = two(limits)
    return f"{value} [{low - (high - low) / 2:.2f}, {high + (high - low) / 2:.2f}]".replace("-", "−")


def moved(cell: str) -> str:
    """An estimate whose upper limit is a third of the interval higher."""
    value, _, limits = cell.partition(" ")
    low, high = two(limits)
    return f"{value} [{low:.2f}, {high + (high - low) / 3:.2f}]".replace("-", "−")


def changed_cells(page: str) -> Iterator[tuple[tuple[str, str], str]]:
    """The page with one cell changed: of each of these places, the first that has a number or a word."""
    for caption, head, change in CHANGES:
        tree = lxml_html.fromstring(page)
        for table in tree.iter("table"):
            if not (table.findtext("caption") or "").startswith(caption):
                continue
            heads = [words(cell) for cell in table.find(".//tr")]
            cell = table.find(".//tbody/tr")[heads.index(head)] if head in heads else None
            if (
                cell is not None
                and words(cell) not in ("", "not defined")
                and (head not in TITLES or "[" in words(cell))
            ):
                shown = words(cell)
                for inner in list(cell):
                    cell.remove(inner)
                cell.text = change(shown)
                yield (caption, head), lxml_html.tostring(tree, encoding="unicode")
                break
