"""Judgments (rater, item, truth, rating) from CSV files and DataFrames: an error names file, row, column and rule."""

from __future__ import annotations

from collections.abc import Sequence

from metrics.data.csv_files import Row, TableSource, read_rows
from metrics.data.evaluator_judgments import HIGHEST, HUMAN, LOWEST, MACHINE, EvaluatorJudgment, Repeats, Truth
from metrics.data.name_forms import NameForms

COLUMNS = ("rater", "item", "truth", "rating")
CONDITION = "condition"
SCALE = {str(rating): rating for rating in range(LOWEST, HIGHEST + 1)}


def read_judgments(
    path: TableSource, by: Sequence[str] | None = None, *, repeats: Repeats = "error"
) -> tuple[list[EvaluatorJudgment], tuple[str, ...]]:
    """Judgments from a CSV or DataFrame with `rater`, `item`, `truth` (human, machine), `rating` (1 to 4), and factors.

    by: the columns that make the condition; None: the column `condition` where there is one. An item has one truth;
    a rater judges an item once in a condition, unless repeats is `keep`. Raises BadInput.
    """
    rows = read_rows(path, (*COLUMNS, *(by or ())))
    factors = tuple(dict.fromkeys(by)) if by else (CONDITION,) if CONDITION in rows[0].cells else ()
    truths: dict[str, tuple[str, int]] = {}
    seen: dict[tuple[str, ...], int] = {}
    judgments = []
    raters, items = NameForms(), NameForms()
    for row in rows:
        row.name("rater", raters)
        row.name("item", items)
        judged = _judged(row, factors)
        first, line = truths.setdefault(judged.item, (judged.truth, row.line))
        if first != judged.truth:
            raise row.error("truth", f"item {judged.item!r} was called {first!r} in row {line}")
        if repeats == "error":
            _once(row, judged, factors, seen)
        judgments.append(judged)
    return judgments, factors


def _once(row: Row, judged: EvaluatorJudgment, factors: Sequence[str], seen: dict[tuple[str, ...], int]) -> None:
    key = (judged.rater, judged.item, *(judged.factors[factor] for factor in factors))
    line = seen.setdefault(key, row.line)
    if line != row.line:
        rule = f"rater {judged.rater!r} has already judged item {judged.item!r} in row {line}; keep one of the two rows"
        raise row.error("rater", rule)


def _judged(row: Row, factors: Sequence[str]) -> EvaluatorJudgment:
    named = {factor: row.text(factor) for factor in factors}
    return EvaluatorJudgment(row.text("rater"), row.text("item"), _truth(row), _rating(row), named)


def _truth(row: Row) -> Truth:
    truth = row.text("truth")
    if truth == HUMAN:
        return HUMAN
    if truth == MACHINE:
        return MACHINE
    raise row.error("truth", f"the truth must be 'human' or 'machine', not {truth!r}")


def _rating(row: Row) -> int:
    """A rating as it is mostly written, or any other decimal of the same value (`3.0`)."""
    if (plain := SCALE.get(row.cells["rating"])) is not None:
        return plain
    value = row.number("rating")
    if value.denominator != 1 or not LOWEST <= value <= HIGHEST:
        rule = f"the rating must be a whole number from {LOWEST} to {HIGHEST}, not {row.cells['rating'][:20]}"
        raise row.error("rating", rule)
    return value.numerator
