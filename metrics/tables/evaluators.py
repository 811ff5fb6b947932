"""Tables 1 and 2 of Clark et al. (2021), completed: human-or-machine accuracy, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.data.sentence import template
from metrics.tables.record import Cell, Column, Table
from metrics.types import Estimate

COLUMNS = (
    Column("model", "Model"),
    Column("domain", "Domain"),
    Column("training", "Training"),
    Column("accuracy", "Accuracy", "share_estimate", n="evaluators", digits=1),
    Column("f1", "F1", "estimate", n="ratings"),
    Column("precision", "Precision", "estimate", n="ratings"),
    Column("recall", "Recall", "estimate", n="ratings"),
    Column("alpha_nominal", "α, binary", "estimate", n="ratings"),
    Column("alpha_ordinal", "α, 4-point", "estimate", n="ratings"),
    Column("human", "% human", "share_estimate", n="ratings", digits=1),
    Column("confident", "% confident", "share_estimate", n="ratings", digits=1),
    Column("evaluators", "Evaluators", "count"),
    Column("ratings", "Ratings", "count"),
)
TITLE = template(
    "tables.evaluators",
    "Human-or-machine judgments by model, domain and training{intervals}. Machine is the positive class. Accuracy is "
    "the mean over evaluators of each evaluator's share of right answers; F1, precision and recall are pooled over "
    "ratings. % human: share of ratings that say human; % confident: share at an end of the scale (Definitely). α: "
    "Krippendorff's alpha, nominal on the binary reading, ordinal on the scale.",
    "ratings.text",
    "options.level",
)


@dataclass(frozen=True, slots=True)
class EvaluatorRow:
    """One cell of the design. Shares are in [0, 1]; an estimate is None where it was not computed.

    evaluators, ratings: how many people gave how many ratings.
    """

    model: str
    domain: str
    training: str
    accuracy: Estimate
    f1: Estimate | None
    precision: Estimate | None
    recall: Estimate | None
    alpha_nominal: Estimate | None
    alpha_ordinal: Estimate | None
    human: Estimate | None
    confident: Estimate | None
    evaluators: int
    ratings: int


def evaluator_table(rows: Sequence[EvaluatorRow], *, name: str = "evaluators", notes: Sequence[str] = ()) -> Table:
    """Return the table, without columns that are empty in every row, and without training where there is only one."""
    columns = tuple(column for column in COLUMNS if _has_values(column, rows))
    levels = sorted(
        {f"{100 * estimate.interval.level:g}%" for row in rows for estimate in _estimates(row) if estimate.interval}
    )
    intervals = f", with {' and '.join(levels)} intervals" if levels else ""
    return Table(
        name=name,
        title=TITLE.fill(intervals=intervals),
        columns=columns,
        rows=tuple(tuple(_cell(row, column) for column in columns) for row in rows),
        notes=tuple(notes),
    )


def _estimates(row: EvaluatorRow) -> list[Estimate]:
    return [cell for column in COLUMNS if isinstance(cell := _cell(row, column), Estimate)]


def _cell(row: EvaluatorRow, column: Column) -> Cell:
    value: Cell = getattr(row, column.key)
    return value


def _has_values(column: Column, rows: Sequence[EvaluatorRow]) -> bool:
    return any(_cell(row, column) not in (None, "") for row in rows)
