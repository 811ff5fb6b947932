r"""A table for one column of a paper, as a person writes it: booktabs, tabularx, intervals below their values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from metrics.tables import scripts
from metrics.tables.latex import escape
from metrics.tables.record import Column, Row, Table
from metrics.tables.shown import split_cell

LONG, PIECE = 14, 7  # letters of a word that may be broken, and of its pieces, so that no name is too wide
WIDE = 24  # letters of a word in a paragraph that may be broken
LONG_WORDS = re.compile(rf"(\S{{{WIDE + 1},}})")


def column_table(table: Table) -> str:
    r"""A `table` environment as wide as a column: `\input` it; needs booktabs and tabularx. Ends with LF."""
    columns = "".join("r" if column.kind == "count" else "c" for column in table.columns[1:])
    lines = [
        r"\begin{table}[t]",
        r"\centering\small",
        r"\setlength{\tabcolsep}{4pt}",
        rf"\begin{{tabularx}}{{\columnwidth}}{{@{{}}>{{\raggedright\arraybackslash}}X{columns}@{{}}}}",
        r"\toprule",
        " & ".join(escape(column.title) for column in table.columns) + r" \\",
        r"\midrule",
        *(line for row in table.rows for line in _lines(table, row)),
        r"\bottomrule",
        r"\end{tabularx}",
        rf"\caption{{{prose(' '.join([table.title, *table.notes]))}}}",
        rf"\label{{tab:{re.sub(r'[^A-Za-z0-9]+', '-', table.name).strip('-')}}}",
        r"\end{table}",
        "",
    ]
    body = "\n".join(lines)
    return scripts.command_preamble(body) + body


def _lines(table: Table, row: Row) -> Iterator[str]:
    """The values, and below them their intervals."""
    first, *cells = row
    pairs = [split_cell(column, cell) for column, cell in zip(table.columns[1:], cells, strict=True)]
    yield (
        " & ".join([breakable(str(first)), *(_number(column, value) for column, (value, _) in _zipped(table, pairs))])
        + r" \\"
    )
    if any(detail for _, detail in pairs):
        below = [rf"\scriptsize ${_signed(detail)}$" if detail else "" for _, detail in pairs]
        yield " & ".join(["", *below]).strip() + r" \\"


def _zipped(table: Table, pairs: list[tuple[str, str]]) -> Iterator[tuple[Column, tuple[str, str]]]:
    return zip(table.columns[1:], pairs, strict=True)


def _number(column: Column, value: str) -> str:
    return f"${_signed(value)}$" if value.startswith("−") else escape(value)


def _signed(value: str) -> str:
    """A number in mathematics, where a hyphen is a minus sign."""
    return value.replace("−", "-").replace("%", r"\%")


def breakable(name: str) -> str:
    r"""The name with places at which a long word may be broken."""
    return " ".join(escape(word) if len(word) <= LONG else _broken(word) for word in name.split(" "))


def _broken(word: str) -> str:
    parts = [part for part in re.split(r"(?<=[-_/.=:,+])", word) if part]
    pieces = [part[at : at + PIECE] for part in parts for at in range(0, len(part), PIECE)]
    return r"\allowbreak ".join(escape(piece) for piece in pieces)


def prose(text: str) -> str:
    r"""Sentences as LaTeX: quotation marks as ``...'', no command where a letter does."""
    parts = enumerate(re.split(LONG_WORDS, text))  # every second part is a long word
    written = "".join(_broken(part) if at % 2 else escape(part) for at, part in parts)
    for command, sign in ((r"\textquotedblleft{}", "``"), (r"\textquotedblright{}", "''"), ("{[}", "["), ("{]}", "]")):
        written = written.replace(command, sign)
    return written
