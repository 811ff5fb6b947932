"""Items and ratings from CSV files and DataFrames, read strictly: what breaks a rule is named by file, row and column.

The row is the line of a file, and counts from 1 in a DataFrame.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from metrics.data.criterion_names import TYPICAL
from metrics.data.frames import NAME as FRAME
from metrics.data.frames import Frame, read_frame
from metrics.data.human_judgment import sum_ratings
from metrics.data.items import LARGEST, LOG_PROB_TOLERANCE, LONGEST
from metrics.data.name_forms import NameForms, is_same_letters, state_other_form
from metrics.data.text_files import read_text
from metrics.errors import BadInput, join_names
from metrics.types import MODEL, REFERENCE, Item, Rating, Source

ITEM_COLUMNS = ("hj", "log_prob", "length", "source")
RATING_COLUMNS = ("item", "rater", "value")
QUALITY_COLUMNS = ("hj", "source")
TableSource = Path | Frame
# The clean file of the HUSE release (Hashimoto et al. 2019); its label is True for a model's text.
RELEASE = {
    "HumanJudgement": "hj",
    "ModelProbability": "log_prob",
    "Label": "source",
    "LengthOfUtterance": "length",
}
RELEASE_JUDGED = {"HumanJudgement": "hj", "Label": "source"}
RELEASE_SOURCES: dict[str, Source] = {"True": MODEL, "False": REFERENCE}
EXPORTED_COLUMNS = ("label", "hit", "position")  # of a report's ratings.csv, besides RATING_COLUMNS
NO_NAMES: Mapping[str, str] = {}
DELIMITERS = (",", ";", "\t")
LONGEST_FIELD = 131072
CHOOSE = "; choose a condition by --condition"
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
LONGEST_NUMBER = 100
MINUS_INFINITY = {"-inf", "-infinity"}


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of one row by column name, blanks around them removed; `line` is where the row begins in the file."""

    file: str
    line: int
    cells: dict[str, str]

    def error(self, column: str, rule: str) -> BadInput:
        """An error at this row. A row of a DataFrame is counted, whatever its index says."""
        rule += " (rows are counted from 1)" if self.file == FRAME else ""
        return BadInput(rule, where=self.file, row=self.line, column=column)

    def text(self, column: str) -> str:
        """A cell that must hold something."""
        if not self.cells[column]:
            raise self.error(column, "the cell is blank; fill it in or delete the row")
        return self.cells[column]

    def name(self, column: str, forms: NameForms) -> str:
        """A cell that must hold a name, in the Unicode form in which the earlier rows have it."""
        name = self.text(column)
        if rule := forms.rule(name, self.line):
            raise self.error(column, rule)
        return name

    def number(self, column: str) -> Fraction:
        """A finite decimal, exactly as written."""
        text = self.text(column)
        if len(text) > LONGEST_NUMBER or not NUMBER.fullmatch(text):
            shown = text if len(text) <= 20 else text[:20] + "..."
            remedy = (
                "write a point for the comma"
                if re.fullmatch(r"[-+]?\d*,\d+", text)
                else "write digits, as in 3.5, or delete the row"
            )
            raise self.error(column, f"{shown!r} is not a finite decimal number; {remedy}")
        value = Fraction(text)
        if abs(value) > LARGEST:
            raise self.error(column, "numbers must lie between -1e100 and 1e100")
        return value


def read_items(
    path: TableSource, ratings: TableSource | None = None, *, generator: str = "", condition: str = ""
) -> list[Item]:
    """Items from a CSV or DataFrame with `log_prob`, `length`, `source` and either `hj` or a second CSV of ratings.

    Optional columns: `id` (needed with ratings; else the row's number), `context`. With ratings, HJ and the
    number of raters come from them, and an item without any has no HJ. The columns of the HUSE release's clean file go
    by their own names. generator: of several in a column `generator`, as in an exported `items.csv`. Raises BadInput.
    """
    required = ITEM_COLUMNS if ratings is None else ITEM_COLUMNS[1:]
    rows = _of_generator(read_rows(path, required, needs_id=ratings is not None, names=RELEASE), generator)
    ids = _ids(rows)
    if ratings is None:
        return [_item(row, name, row.number("hj"), 0) for row, name in zip(rows, ids, strict=True)]
    sums = {entry.item: entry for entry in sum_ratings(read_ratings(ratings, ids, condition=condition), ids)}
    totals = [(sums[name].total / sums[name].count if sums[name].count else None, sums[name].count) for name in ids]
    return [_item(row, name, hj, count) for row, name, (hj, count) in zip(rows, ids, totals, strict=True)]


def read_judged(
    path: TableSource, ratings: TableSource | None = None, *, generator: str = "", condition: str = ""
) -> list[Item]:
    """Items without log p, which HUSE-Q does not need: `source`, and `hj` or a CSV of ratings; else as `read_items`."""
    required = QUALITY_COLUMNS if ratings is None else QUALITY_COLUMNS[1:]
    rows = _of_generator(read_rows(path, required, needs_id=ratings is not None, names=RELEASE_JUDGED), generator)
    ids = _ids(rows)
    if ratings is None:
        judged: list[tuple[Fraction | None, int]] = [(row.number("hj"), 0) for row in rows]
    else:
        sums = {entry.item: entry for entry in sum_ratings(read_ratings(ratings, ids, condition=condition), ids)}
        judged = [(sums[name].total / sums[name].count if sums[name].count else None, sums[name].count) for name in ids]
    return [
        Item(name, _source(row), hj, None, 1, row.text("context") if "context" in row.cells else None, count)
        for row, name, (hj, count) in zip(rows, ids, judged, strict=True)
    ]


def is_judged_alone(path: Path) -> bool:
    """Whether a CSV of items has neither log p nor lengths, which belong to it; False for a file that is none."""
    try:
        return (
            not {"log_prob", "length", *(RELEASE.keys() - RELEASE_JUDGED.keys())} & read_rows(path, ())[0].cells.keys()
        )
    except BadInput:
        return False


def _of_generator(rows: list[Row], name: str) -> list[Row]:
    """Rows of one generator and its references, where a column says whose they are."""
    if "generator" not in rows[0].cells:
        if name:
            raise rows[0].error("generator", "there is no such column, and --generator names one of it")
        return rows
    names = list(dict.fromkeys(row.cells["generator"] for row in rows if row.cells["generator"]))
    if len(names) < 2 and name in ("", *names):  # a blank cell, as references have it, is of the only one
        return rows
    if not name:
        rule = f"choose one of {join_names(names)}"
        rule += ": keep its rows and those of its references" if rows[0].file == FRAME else " by --generator"
        raise rows[0].error("generator", rule)
    chosen = [row for row in rows if row.cells["generator"] == name]
    if not chosen:
        raise rows[0].error("generator", f"there are {join_names(names)}, not {name!r}")
    return chosen


def read_hits(path: Path) -> dict[str, str] | None:
    """The HIT of each item, by id, from the column `hit` of a CSV of items; None without one. Raises BadInput."""
    rows = read_rows(path, ())
    if "hit" not in rows[0].cells:
        return None
    return {name: row.text("hit") for name, row in zip(_ids(rows), rows, strict=True)}


def read_ratings(
    path: TableSource, ids: Sequence[str] | None = None, *, minimum: int | None = None, condition: str = ""
) -> list[Rating]:
    """Ratings from a CSV or DataFrame with `item`, `rater`, `value`; each rater once an item. Raises BadInput.

    ids: the items there are (None: any). least: no value may lie below it. With ids, the `ratings.csv` that a report
    exports may hold ratings of further generators' texts, and by further criteria than typicality: they are not used.
    condition: of several in a column `condition`, in each of which a rater may rate an item.
    """
    known, seen = None if ids is None else set(ids), dict[tuple[str, str], int]()
    ratings, items, raters = [], NameForms(), NameForms()
    rows = of_condition(read_rows(path, RATING_COLUMNS), condition)
    exported = known is not None and set(EXPORTED_COLUMNS) <= rows[0].cells.keys()
    for row in rows:
        if exported and row.cells.get("criterion", TYPICAL) != TYPICAL:
            continue
        item, rater = row.name("item", items), row.name("rater", raters)
        if known is not None and item not in known:
            if not item.isascii() and any(is_same_letters(item, name) for name in known):
                raise row.error("item", state_other_form(item))
            if exported:
                continue
            raise row.error("item", f"no item has the id {item!r}")
        if (item, rater) in seen:
            rule = f"rater {rater!r} has already rated item {item!r} in row {seen[item, rater]}"
            by_condition = "condition" in row.cells and row.file != FRAME
            rule += CHOOSE if by_condition else "; keep one of the two rows"
            raise row.error("rater", rule)
        seen[item, rater] = row.line
        value = row.number("value")
        if minimum is not None and value < minimum:
            raise row.error("value", f"values must be at least {minimum} here")
        ratings.append(Rating(item, rater, value))
    return ratings


def of_condition(rows: list[Row], name: str) -> list[Row]:
    """Rows of one condition by the column `condition`; all, where none is named. Raises BadInput."""
    if not name:
        return rows
    if "condition" not in rows[0].cells:
        raise rows[0].error("condition", "there is no such column, and --condition names one of it")
    chosen = [row for row in rows if row.cells["condition"] == name]
    if not chosen:
        names = dict.fromkeys(row.cells["condition"] for row in rows)
        raise rows[0].error("condition", f"there are {join_names(names)}, not {name!r}")
    return chosen


def read_rows(
    path: TableSource, required: Sequence[str], *, needs_id: bool = False, names: Mapping[str, str] = NO_NAMES
) -> list[Row]:
    """Rows of a CSV: UTF-8 (BOM or not), any column order, comma (or semicolon, tab), blank lines skipped.

    Or of a DataFrame, with its index where that has a name. names: columns of a file by another tool, and what they are
    called here; used where the file has all of them.
    """
    if not isinstance(path, Path):
        return _frame_rows(path, (*required, "id") if needs_id else required)
    text, name = read_text(path, "CSV"), path.name
    lines = _split(text, name)
    header_line, header = next(lines, (1, []))
    columns = [column.strip() for column in header]
    if names and set(names) <= set(columns):
        columns = [names.get(column, column) for column in columns]
    if not any(columns):
        raise BadInput("the file is empty, and a header line was expected", where=name)
    _check_header(columns, (*required, "id") if needs_id else required, name, header_line)
    rows = []
    for line, cells in lines:
        if len(cells) != len(columns):
            rule = f"the row has {len(cells)} cell(s) and the header has {len(columns)}"
            raise BadInput(rule, where=name, row=line, column=_first_unpaired(columns, cells))
        rows.append(Row(name, line, {c: cell.strip() for c, cell in zip(columns, cells, strict=True)}))
    if not rows:
        raise BadInput("the file has a header and no row below it", where=name)
    return rows


def _frame_rows(frame: Frame, required: Sequence[str]) -> list[Row]:
    columns, table = read_frame(frame)
    _check_header(columns, required, FRAME, None)
    if not table:
        raise BadInput("the table has no row; pass one with a row per text or rating", where=FRAME)
    return [
        Row(FRAME, number, {column: cell.strip() for column, cell in zip(columns, cells, strict=True)})
        for number, cells in enumerate(table, 1)
    ]


def _split(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Cells of each row that is not blank, with the line it begins on."""
    first = text.lstrip("\r\n").split("\n", 1)[0]
    delimiter = next((d for d in DELIMITERS if d in first), ",")
    csv.field_size_limit(max(LONGEST_FIELD, csv.field_size_limit()))  # of the process: others may need more
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    begin = 1
    try:
        for cells in reader:
            if max(map(len, cells), default=0) > LONGEST_FIELD:
                raise csv.Error("field larger than we take")
            if any(cell.strip() for cell in cells):
                yield begin, cells
            begin = reader.line_num + 1
    except csv.Error as error:
        if "field larger" in str(error):
            rule = f"a cell holds more than {LONGEST_FIELD} characters, or a quotation mark is never closed"
        else:
            rule = "a quotation mark is not closed, or text follows a closed one"
        raise BadInput(rule, where=name, row=begin) from None


def _check_header(columns: list[str], required: Sequence[str], name: str, line: int | None) -> None:
    twice = sorted(column for column, times in Counter(columns).items() if column and times > 1)
    if twice:
        raise BadInput("the column occurs more than once", where=name, row=line, column=join_names(twice))
    absent = [column for column in required if column not in columns]
    if absent:
        shown = join_names(column if len(column) <= 30 else column[:30] + "..." for column in columns) or "no columns"
        rule = f"the column is missing ({'there are' if line is None else 'the header has'} {shown})"
        meant = {column.strip().lower(): column for column in columns}
        renamed = [f"rename {meant[column]!r} to {column!r}" for column in absent if column in meant]
        rule += f"; {join_names(renamed)}" if renamed else ""
        raise BadInput(rule, where=name, row=line, column=join_names(absent))


def _first_unpaired(columns: list[str], cells: list[str]) -> str:
    return columns[len(cells)] if len(cells) < len(columns) else f"{len(columns) + 1}"


def _ids(rows: Sequence[Row]) -> list[str]:
    """Ids of the rows, each once; without a column `id`, line numbers."""
    if "id" not in rows[0].cells:
        return [str(row.line) for row in rows]
    seen: dict[str, int] = {}
    forms = NameForms()
    for row in rows:
        name = row.name("id", forms)
        if name in seen:
            rule = f"the id {name!r} was used in row {seen[name]} already; each row needs an id that no other has"
            raise row.error("id", rule)
        seen[name] = row.line
    return list(seen)


def _item(row: Row, name: str, hj: Fraction | None, ratings: int) -> Item:
    context = row.text("context") if "context" in row.cells else None
    return Item(name, _source(row), hj, _log_prob(row), _length(row), context, ratings)


def _source(row: Row) -> Source:
    source = row.text("source")
    if source == REFERENCE:
        return REFERENCE
    if source == MODEL:
        return MODEL
    if source in RELEASE_SOURCES:
        return RELEASE_SOURCES[source]
    raise row.error("source", f"the source must be 'reference' or 'model', not {source!r}")


def _log_prob(row: Row) -> float:
    if row.text("log_prob").lower() in MINUS_INFINITY:
        return -math.inf
    value = float(row.number("log_prob"))
    if value > LOG_PROB_TOLERANCE:
        raise row.error("log_prob", "a log-probability cannot be above 0; if this is a loss, change its sign")
    return value


def _length(row: Row) -> int:
    value = row.number("length")
    if value.denominator != 1 or not 1 <= value <= LONGEST:
        rule = f"the length must be a whole number from 1 to 1e9, not {row.cells['length'][:20]}"
        raise row.error("length", rule)
    return value.numerator
