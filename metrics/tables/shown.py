"""What a reader sees in a cell: rounded, a true minus sign, a dash where there is nothing."""

from __future__ import annotations

from metrics.data.number_format import DASH, SMALLEST_P, number
from metrics.tables.record import Cell, Column
from metrics.tables.record import name_criterion as name_criterion
from metrics.types import Estimate


def format_cell(column: Column, cell: Cell, *, n: bool = False) -> str:
    """The cell as one line: `0.53 [0.41, 0.65]`, `57.9%`, `< 0.001`; with `(n = 200)` where `n` asks for it."""
    value, span = split_cell(column, cell, n=n)
    return f"{value} {span}" if span else value


def split_cell(column: Column, cell: Cell, *, n: bool = False) -> tuple[str, str]:
    """Return the value and its detail (interval and n), "" for nothing."""
    if cell is None:
        return DASH, ""
    if isinstance(cell, Estimate):
        return _estimate(column, cell, n)
    if isinstance(cell, str):
        return name_criterion(cell) if column.kind == "name" else cell, ""
    if column.kind == "count":
        return str(cell), ""
    if column.kind == "share":
        return format_share(float(cell), column.digits), ""
    if column.kind == "p":
        return p_value(float(cell)), ""
    return number(float(cell), column.digits), ""


def format_share(value: float, digits: int) -> str:
    """A share as a percentage; one that is neither none nor all is never rounded to that: `< 0.01%`, `> 99.99%`."""
    rounded, step = number(100 * value, digits), 10**-digits
    if value > 0 and rounded == number(0, digits):
        return f"< {number(step, digits)}%"
    if value < 1 and rounded == number(100, digits):
        return f"> {number(100 - step, digits)}%"
    return f"{rounded}%"


def p_value(value: float) -> str:
    """A p-value to three places; smaller ones as `< 0.001`."""
    return f"< {SMALLEST_P}" if value < SMALLEST_P else number(value, 3)


def _estimate(column: Column, cell: Estimate, n: bool) -> tuple[str, str]:
    as_share = column.kind == "share_estimate"
    if cell.value is None:
        value = DASH
    else:
        unit = "" if not as_share else " pp" if column.points else "%"
        value = number(100 * cell.value if as_share else cell.value, column.digits) + unit
    details = []
    if cell.interval is not None:
        scale = 100 if as_share else 1
        low, high = number(scale * cell.interval.low, column.digits), number(scale * cell.interval.high, column.digits)
        details.append(f"[{low}, {high}]")
    if n:
        details.append(f"(n = {cell.n})")
    return value, " ".join(details)
