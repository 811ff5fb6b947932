"""Each sentence of a page on which studies are compared says what their rows say, and a lie in it is caught."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from annotation.reports.gather import score
from metrics.data.sentence import Sentence
from metrics.report.comparison.compare import StudyComparison, compare_studies
from metrics.report.formats.write_comparison import html
from tests.report_checker.compared import CHECKED, Studies, untrue
from tests.report_checker.lies import lies
from tests.report_checker.page import Page, words
from tests.report_checker.rare import BOTH
from tests.report_checker.recount import Rows
from tests.report_checker.studies import Draw, draw, rehearse
from tests.report_checker.world import NOW

pytestmark = pytest.mark.django_db

SMALL: dict[str, Any] = {**BOTH, "texts": 8, "raters": 5, "level": 0.95, "generators": ("alpha",), "ways": ()}
# Two draws each; what is said of them, together every template of CHECKED.
PAIRS: tuple[tuple[Draw, Draw], ...] = (
    (
        replace(draw(0), **{**SMALL, "seed": 400, "mode": "live", "currency": "EUR"}),
        replace(draw(0), **{**SMALL, "seed": 401, "mode": "rehearsal", "texts": 9, "generators": ("alpha", "beta")}),
    ),
    (
        replace(draw(1), **{**SMALL, "seed": 402, "texts": 4, "arms": ("none",), "per_hit": 9, "currency": "USD"}),
        replace(draw(1), **{**SMALL, "seed": 403, "texts": 4, "arms": ("none",), "per_hit": 9, "currency": "JPY"}),
    ),
)
K, LEVEL = 3, 0.9


def said(compared: StudyComparison) -> list[Sentence]:
    """Every sentence of the comparison that is filled from a template."""
    notes = [note for section in compared.sections for table in section.tables for note in table.notes]
    sentences = (*compared.verdicts, *compared.limits, *compared.methods, *notes)
    every = [*sentences, *(warn.sentence for warn in compared.warnings)]
    return [sentence for sentence in every if isinstance(sentence, Sentence) and sentence.key in CHECKED]


def test_each_sentence_of_a_comparison_is_true_and_a_lie_in_any_is_caught() -> None:
    keys = set()
    for pair in PAIRS:
        studies = [rehearse(drawn) for drawn in pair]
        compared = compare_studies([score(study) for study in studies], k=K, level=LEVEL)
        page = Page(html(compared, now=NOW, files={}))
        rows = Studies({study.name: Rows(study) for study in studies}, K, LEVEL, page)
        shown = words(page.tree)
        for sentence in said(compared):
            text = " ".join(sentence.split())
            assert text in shown
            assert not untrue(text, rows), text
            assert not [lie for lie in lies(text) if not untrue(lie, rows)]
            keys.add(sentence.key)
    assert keys == CHECKED
