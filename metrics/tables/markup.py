"""HTML: a table as the report shows it, each estimate with its signature to hover or focus."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from metrics.tables.record import ALIGNED_LEFT, Cell, Column, Row, Table
from metrics.tables.shown import split_cell
from metrics.types import Estimate

LONG_TITLE = 12  # letters, beyond which a head is two lines where a screen is narrow, not a tall stack of words
# What is read as one word, in escaped text: short compounds and names of measures; intervals; a day; letters with what
# they equal, or with what follows in brackets; a place for words in quotation marks; the last name of several.
HELD = re.compile(
    r"(?<![\w-])(?:[a-z]{2,10}-[a-z]{1,10}|(?:E\[)?HUSE-[QD]\]?)(?![\w-])|"
    r"\[[^\[\],<]{1,10}, [^\[\],<]{1,10}\]|"
    r"\b\d{1,2} [A-Z][a-z]{2,8} \d{4}\b|"
    r"\b[knp] (?:=|&lt;) [\d.,]*\d|\b(?:p |ICC)\([^()<]{1,10}\)|\bCohen&#(?:x27|39);s d\b|"
    r"&(?:quot|#34);\{\w{1,20}\}&(?:quot|#34);|"
    r"× [^\s<&]{1,16}|"
    # A name without spaces, which may end a line anywhere: its column is no wider than others.
    r"(?P<name>[^\s<>-]{18,})"
)
NUMBER, SECOND = ' class="n"', ' class="second"'


def table_html(table: Table, *, group: bool = False, sortable: bool = False) -> str:
    """Return the table inside a box that scrolls sideways; the caption is its name. Everything is escaped.

    group: rows that share their first cell with the row above are put under one head, and are shown as secondary.
    sortable: marked for a page's script that sorts by a column.
    """
    head = "".join(f'<th scope="col"{_head_class(column)}>{halve_title(column.title)}</th>' for column in table.columns)
    notes = "".join(f'<p class="quiet">{hold_words(note)}</p>' for note in table.notes)
    label, sorts = escape(table.name.replace("-", " ")), " data-sortable" if sortable else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table class="main"{sorts}>'
        f"<caption>{hold_words(table.title)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(_rows(table, group))}</tbody></table></div>{notes}"
    )


def hold_words(text: str) -> str:
    """The text, escaped, what is read as one word each on one line; a long name is marked as one that may be broken.

    >>> hold_words("HUSE-Q < 1")
    '<span class="whole">HUSE-Q</span> &lt; 1'
    """
    return HELD.sub(lambda held: f'<span class="{"name" if held["name"] else "whole"}">{held[0]}</span>', escape(text))


def halve_title(title: str) -> str:
    """The head of a column, escaped; a long one in two halves, each of which a narrow screen shows on one line.

    >>> halve_title("Mean under the null")
    '<span class="half">Mean under</span> <span class="half">the null</span>'
    """
    words = title.split(" ")
    if len(title) <= LONG_TITLE or len(words) == 1:
        return hold_words(title)
    pairs = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
    halves = min(pairs, key=lambda pair: max(map(len, pair)))
    return " ".join(f'<span class="half">{hold_words(half)}</span>' for half in halves)


def _head_class(column: Column) -> str:
    return "" if column.kind in ALIGNED_LEFT else NUMBER


def _rows(table: Table, group: bool) -> Iterator[str]:
    firsts = [row[0] for row in table.rows]
    for at, row in enumerate(table.rows):
        again = group and at > 0 and firsts[at] == firsts[at - 1]
        together = 1
        while group and at + together < len(firsts) and firsts[at + together] == firsts[at]:
            together += 1
        cells = [_data(table, row, column, cell) for column, cell in zip(table.columns[1:], row[1:], strict=True)]
        span = f' rowspan="{together}"' if together > 1 else ""
        # HTML closes a cell and a row where the next begins: with thousands of cells the end tags are much of a page.
        head = f'<th scope="row{"group" if together > 1 else ""}"{span}>'
        first = "" if again else f"{head}{_inner(table, row, table.columns[0], row[0])}"
        yield f"<tr{SECOND if again else ''}>{first}{''.join(cells)}"


def _data(table: Table, row: Row, column: Column, cell: Cell) -> str:
    return f"<td{'' if column.kind in ALIGNED_LEFT else NUMBER}>{_inner(table, row, column, cell)}"


def _inner(table: Table, row: Row, column: Column, cell: Cell) -> str:
    value, detail = split_cell(column, cell, n=table.needs_n(row, column))
    if not isinstance(cell, Estimate):
        return hold_words(value)
    # The number of units is a line of its own: a table with many estimates is not wider than a page.
    lines = escape(detail).replace("] (", "]\n(")
    span = f' <span class="ci">{lines}</span>' if detail else ""
    signature = escape(cell.signature)
    return f'<span class="est" tabindex="0" aria-description="{signature}"><b>{escape(value)}</b>{span}</span>'
