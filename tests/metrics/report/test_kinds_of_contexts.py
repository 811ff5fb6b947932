"""Contexts by the verdict of the classifier: each once, under words that its margin fits."""

from __future__ import annotations

from collections import Counter

from metrics.report.sections.huse import EXAMPLES
from metrics.tables.record import as_records
from tests.metrics.report.kinds_of_study import report_of


def test_each_context_is_listed_once_under_words_that_its_margin_fits() -> None:
    (table,) = (table for part in report_of("typicality").sections for table in part.tables if "examples" in table.name)
    rows = list(as_records(table.columns, table.rows))
    assert len({(row["generator"], row["context"]) for row in rows}) == len(rows) > 0
    assert max(Counter((row["generator"], row["kind"]) for row in rows).values()) <= EXAMPLES
    for row in rows:
        kind, margin = str(row["kind"]), float(str(row["margin"]))
        fits = {"distinguished": margin > 0, "mistaken": margin < 0, "undecided": abs(margin) <= 0.5}
        assert fits[kind.split()[0].rstrip(",")], (kind, margin)
