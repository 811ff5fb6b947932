"""Contexts by the verdict of the classifier: each once, under words that its margin fits."""

from __future__ import annotations

from collections import Counter

from metrics.report.sections.huse import EXAMPLES, KINDS
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


def test_every_pair_of_a_generator_is_in_a_row_of_the_table_of_verdicts() -> None:
    (table,) = (table for part in report_of("typicality").sections for table in part.tables if "verdicts" in table.name)
    rows = list(as_records(table.columns, table.rows))
    of_verdict: Counter[str] = Counter()
    for row in rows:
        if row["verdict"] != "all":
            of_verdict[str(row["generator"])] += int(str(row["pairs"]))
    assert of_verdict == {row["generator"]: row["pairs"] for row in rows if row["verdict"] == "all"}


def test_no_context_is_said_to_be_the_most_clear() -> None:
    kinds = {words for _, words, _ in KINDS}
    assert not [words for words in kinds if "most" in words]
