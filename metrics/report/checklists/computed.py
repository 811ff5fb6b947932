"""What a report has computed, read from its tables: its lists say no more than that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metrics.report.section import Section
from metrics.tables.record import Table
from metrics.types import Estimate, HuseResult

# Sections whose numbers are of texts or of the work, and not of what raters answered.
NOT_OF_ANSWERS = frozenset(("assignment", "explanations", "nnd", "automatic"))
ALPHA, ICC = "Krippendorff's alpha", "intraclass correlations"
# By the beginning of a table's name, the column with its values and what they are called.
STATISTICS = (
    ("scales", "mean", "means of ratings"),
    ("labels", "share", "shares of labels"),
    ("chosen-", "chosen", "shares of texts chosen"),
    ("preferences-", "preferred", "shares of preferences"),
    ("strengths-", "log_strength", "Bradley-Terry strengths"),
    ("evaluators", "accuracy", "accuracy of evaluators"),
    ("answer-comparisons", "difference", "differences between sources"),
    ("agreement", "alpha_", ALPHA),
    ("evaluators", "alpha_", ALPHA),
    ("icc-", "icc", ICC),
    ("criteria", "over_all", "correlations of criteria"),
    ("nnd", "rate", "pass rates of near-negative tests"),
    ("automatic", "h", "automatic human-likelihood"),
)
# By the beginning of the caption: what was fitted depends on the ratings.
MODELS = (("Mixed model", "mixed models"), ("Least squares", "least squares with a cluster bootstrap"))
AGREEMENTS = (ALPHA, ICC)


@dataclass(frozen=True, slots=True)
class Computed:
    """statistics: names of what has a value. is_tested: whether an answer of raters was tested, with a p-value."""

    statistics: tuple[str, ...] = ()
    is_tested: bool = False
    has_intervals: bool = False

    @property
    def agreement(self) -> tuple[str, ...]:
        """Measures of how far raters agree."""
        return tuple(name for name in self.statistics if name in AGREEMENTS)


def list_computed(sections: Sequence[Section], huse: Sequence[HuseResult] = ()) -> Computed:
    """huse: the results of each generator."""
    tables = [(section.key, table) for section in sections for table in section.tables]
    measured = [estimate for result in huse for estimate in (result.huse, result.huse_q, result.huse_d)]
    names = ["HUSE", "means of ratings"] if any(estimate.value is not None for estimate in measured) else []
    names += [name for start, key, name in STATISTICS if any(_has(table, start, key) for _, table in tables)]
    names += [words for start, words in MODELS if any(_is_model(table, start) for _, table in tables)]
    is_tested = any(_is_tested(table) for key, table in tables if key not in NOT_OF_ANSWERS)
    names += ["tests with p-values"] if is_tested else []
    cells = [cell for _, table in tables for row in table.rows for cell in row if isinstance(cell, Estimate)]
    return Computed(
        tuple(dict.fromkeys(names)),
        is_tested,
        any(estimate.interval is not None for estimate in (*measured, *cells)),
    )


def _has(table: Table, start: str, key: str) -> bool:
    """Whether the table is of that kind, and the column has a value."""
    is_kind = table.name.startswith(start) if start.endswith("-") else table.name == start
    return is_kind and any(True for _ in _values(table, key))


def _is_model(table: Table, start: str) -> bool:
    return "mixed" in table.name and table.title.startswith(start)


def _is_tested(table: Table) -> bool:
    keys = [column.key for column in table.columns if column.kind == "p" or column.key == "p"]
    return any(True for key in keys for _ in _values(table, key))


def _values(table: Table, key: str) -> Iterator[object]:
    at = [place for place, column in enumerate(table.columns) if _is_column(column.key, key)]
    for row in table.rows:
        for place in at:
            cell = row[place]
            if (cell.value if isinstance(cell, Estimate) else cell) is not None:
                yield cell


def _is_column(name: str, key: str) -> bool:
    return name.startswith(key) if key.endswith("_") else name == key
