"""Candidates of a table: a CSV file or DataFrame with one candidate a row."""

from __future__ import annotations

from metrics.data.csv_files import Row, TableSource, read_rows
from metrics.data.name_forms import NameForms
from metrics.errors import BadInput
from metrics.nnd.orders import Numbers, Order
from metrics.nnd.records import Candidate

REQUIRED = ("context_id", "candidate")
WORSE = "worse"


def read_candidates(path: TableSource, order: Order) -> list[Candidate]:
    """Return the candidates of a table with `context_id`, `candidate` and `label`.

    For an order of numbers `quality`, a number, takes the place of `label`.
    Further columns: `id` (else the row's line number), `context` (the text), `category` (of the error; else the
    label, and for numbers `worse`), `system`, `part`. Blanks around a cell are not part of the text. Raises BadInput.
    """
    by_number = isinstance(order, Numbers)
    seen: dict[str, int] = {}
    candidates = []
    ids, contexts = NameForms(), NameForms()
    for row in read_rows(path, (*REQUIRED, "quality" if by_number else "label")):
        candidate = _candidate(row, by_number)
        if "id" in row.cells:
            row.name("id", ids)
        row.name("context_id", contexts)
        if candidate.id in seen:
            raise row.error("id", f"the id {candidate.id!r} was used in row {seen[candidate.id]} already")
        seen[candidate.id] = row.line
        _compare_with_itself(order, candidate, row)
        candidates.append(candidate)
    return candidates


def _candidate(row: Row, by_number: bool) -> Candidate:
    category = row.cells.get("category", "")
    label = row.cells.get("label", "") if by_number else row.text("label")
    return Candidate(
        id=row.text("id") if "id" in row.cells else str(row.line),
        context_id=row.text("context_id"),
        context=row.text("context") if "context" in row.cells else None,
        text=row.text("candidate"),
        label=label or WORSE,
        quality=row.number("quality") if by_number else None,
        marks=(category,) if category else (),
        part=row.cells.get("part", ""),
        system=row.cells.get("system", ""),
    )


def _compare_with_itself(order: Order, candidate: Candidate, row: Row) -> None:
    """Name the row of a label the order does not know, before any pair is made."""
    try:
        order.compare(candidate, candidate)
    except BadInput as error:
        raise row.error(error.column or "label", error.rule) from None
