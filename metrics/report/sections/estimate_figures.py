"""Figures of estimates with their intervals, from the tables of scales, labels, preferences and chosen texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from metrics.figures import forest
from metrics.figures.chart import Chart
from metrics.report.wording import name_criterion
from metrics.tables.record import Cell, Table, as_records
from metrics.types import MODEL, REFERENCE, Estimate

REFERENCES = "references"
MAX_ROWS = 14  # of a figure; the table has all
NO_PREFERENCE = 0.5


def draw_tables(tables: Sequence[Table]) -> tuple[Chart, ...]:
    """The figures of the tables that have any, in their order."""
    of_kind = Counter(table.name.partition("-")[0] for table in tables)
    return tuple(
        chart for table in tables for chart in _of_table(table, named=of_kind[table.name.partition("-")[0]] > 1)
    )


def _of_table(table: Table, *, named: bool) -> Iterator[Chart]:
    """named: whether figures of tables of one criterion name it, as there are several such tables."""
    criterion = f" ({name_criterion(table.name.partition('-')[2])})" if named else ""
    if table.name == "scales":
        yield from _by_criterion(table, "mean", "means", "Mean {} by source", "mean rating, as coded")
    elif table.name == "labels":
        yield from _by_criterion(table, "share", "shares", "Labels of {}", "share of the judgments")
    elif table.name.startswith("chosen-"):
        rows = [(str(row["source"]), str(row["source"]), row["chosen"]) for row in _records(table)]
        yield from _drawn(rows, table.name, f"Chosen texts by source{criterion}", "share of the answers")
    elif table.name.startswith("preferences-"):
        rows = [(f"{row['first']} over {row['second']}", "", row["preferred"]) for row in _records(table)]
        yield from _drawn(
            rows, table.name, f"Preferences{criterion}", "share that prefers the first, ties half", guide=NO_PREFERENCE
        )


def _by_criterion(table: Table, key: str, name: str, title: str, x_title: str) -> Iterator[Chart]:
    """One figure a criterion; shares of all criteria on one scale."""
    groups: dict[str, list[tuple[str, str, Cell]]] = {}
    for row in _records(table):
        label = f"{row['source']}: {row['label']}" if "label" in row else str(row["source"])
        groups.setdefault(str(row["criterion"]), []).append((label, str(row["source"]), row[key]))
    shares = key == "share"
    span = forest.value_range([row for rows in groups.values() for row in _rows(rows)]) if shares and groups else None
    for at, (criterion, rows) in enumerate(groups.items(), 1):
        yield from _drawn(
            rows, f"{name}-{at}", title.format(name_criterion(criterion)), x_title, span=span, shares=shares
        )


def _drawn(
    rows: Sequence[tuple[str, str, Cell]],
    name: str,
    title: str,
    x_title: str,
    *,
    guide: float | None = None,
    span: tuple[float, float] | None = None,
    shares: bool = True,
) -> Iterator[Chart]:
    drawn = _rows(rows)
    if 1 < len(drawn) <= MAX_ROWS:
        counted = "judgments" if shares else "texts"
        yield forest.chart(
            drawn, name=name, title=title, x_title=x_title, shares=shares, guide=guide, counted=counted, span=span
        )


def _rows(rows: Sequence[tuple[str, str, Cell]]) -> list[forest.ForestRow]:
    """Those with a value; of pairs of sources neither side has a look of its own."""
    return [
        forest.ForestRow(name, cell, (REFERENCE if source == REFERENCES else MODEL) if source else None)
        for name, source, cell in rows
        if isinstance(cell, Estimate) and cell.value is not None
    ]


def _records(table: Table) -> Iterator[dict[str, Cell]]:
    return as_records(table.columns, table.rows)
