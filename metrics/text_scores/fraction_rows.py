"""Fp of texts from a table: one text a row, or one token a row with its probability and that of the likeliest token."""

from __future__ import annotations

from statistics import fmean

from metrics.data.csv_files import Row, TableSource, read_rows
from metrics.data.frames import Frame, read_frame

TOKEN = ("probability", "top_probability")


def read_fractions(table: Frame) -> dict[str, float]:
    """Return Fp by text id, in [0, 1], of a DataFrame with `id` and `fp`, or with a row per token and `id`, `TOKEN`.

    The tokens of a text need not follow each other. Raises BadInput: a column is absent, an id occurs twice, or a
    probability is not above 0 and at most that of the likeliest token.
    """
    columns = read_frame(table)[0]
    return _of_tokens(table) if set(TOKEN) & set(columns) and "fp" not in columns else _of_texts(table)


def _of_texts(table: TableSource) -> dict[str, float]:
    values: dict[str, float] = {}
    for row in read_rows(table, ("fp",), needs_id=True):
        name = row.text("id")
        if name in values:
            raise row.error("id", f"the text {name!r} has an Fp in an earlier row")
        value = float(row.number("fp"))
        if not 0 <= value <= 1:
            rule = f"Fp lies between 0 and 1, not at {row.cells['fp']}; divide a percentage by 100"
            raise row.error("fp", rule)
        values[name] = value
    return values


def _of_tokens(table: TableSource) -> dict[str, float]:
    fractions: dict[str, list[float]] = {}
    for row in read_rows(table, TOKEN, needs_id=True):
        fractions.setdefault(row.text("id"), []).append(_fraction(row))
    return {name: fmean(values) for name, values in fractions.items()}


def _fraction(row: Row) -> float:
    probability, top = (row.number(column) for column in TOKEN)
    if not 0 < top <= 1:
        raise row.error("top_probability", "a probability lies above 0 and at most at 1")
    if not 0 <= probability <= top:
        raise row.error("probability", "a token's probability lies between 0 and that of the likeliest token")
    return float(probability / top)
