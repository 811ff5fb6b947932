"""Read CSV strictly: detect and report the delimiter, note every broken row, and read on after it."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from annotation.readers.lines import BOM, Lines, odd_in, without_odd_characters
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.rows import Row, Table

NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes"}
SEP_LINE = re.compile(r'"?sep=(.)"?\s*\Z')
SAMPLE = 25  # lines by which a delimiter is judged
REPAIRS = 20  # broken quotations after which reading ends
MAX_RECORD = 16 * 1024 * 1024
MAX_COLUMNS = 1_000
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
# An article in one cell may be longer than the csv module's 128 KiB.
csv.field_size_limit(MAX_RECORD)


def csv_table(
    lines: Lines, findings: Findings, *, delimiter: str | None, may_miss: frozenset[str], expected: frozenset[str]
) -> Table:
    """Read the header; the rows follow as they are asked for. See `tabular.read_table`."""
    sample = _read_sample(lines)
    _require_content(sample, findings)
    requested = delimiter
    separated = SEP_LINE.match(sample[0])
    if separated:
        next(lines)
        sample = sample[1:]
        delimiter = delimiter or separated[1]
        findings.note(f"The first line says that cells are separated by {_delimiter_name(separated[1])}.")
        _require_content(sample, findings)
    if delimiter is None:
        delimiter = sniff_delimiter(sample, expected)
        findings.note(f"Cells are separated by {_delimiter_name(delimiter)}, as seen from the file.")
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    records = _records(reader, lines, findings)
    first = next(records, None)
    if first is None:
        raise findings.stop(1, "", "the header is blank", Code.EMPTY_FILE) if not findings.total else findings.error()
    line, header, _ = first
    if len(header) > MAX_COLUMNS:
        rule = f"the header names {len(header):,} columns; at most {MAX_COLUMNS:,} are read"
        raise findings.stop(line, "", rule, Code.TOO_MANY_COLUMNS)
    fields = _read_header(line, header, findings)
    if len([name for name in fields if name]) == 1 and not expected.issubset(fields):
        _note_delimiter(line, fields, requested, sniff_delimiter(sample, expected), findings)
    return Table(tuple(name for name in fields if name), _rows(records, delimiter, fields, may_miss, findings))


def _read_sample(lines: Lines) -> list[str]:
    """The first lines, which are then given again."""
    lines.mark()
    sample = [line for line, _ in zip(lines, range(SAMPLE), strict=False)]
    lines.rewind(0)
    return [line.removeprefix(BOM) for line in sample]


def _require_content(sample: list[str], findings: Findings) -> None:
    if not any(line.strip() for line in sample):
        raise findings.stop(1, "", "the file is empty", Code.EMPTY_FILE)
    if sample[0].lstrip().startswith(("[", "{")) and '":' in "".join(sample):
        rule = "the file looks like JSON, not CSV; name it .jsonl and write one object a line"
        raise findings.stop(1, "", rule, Code.JSON_ARRAY)
    if not sample[0].strip():
        raise findings.stop(1, "", "the header is blank", Code.EMPTY_FILE)


def sniff_delimiter(sample: list[str], expected: Collection[str] = ()) -> str:
    """The delimiter that finds most of the expected columns, then most rows as long as the header, then most columns.

    Commas, semicolons, tabs and pipes are tried, and any other sign in the header.
    """
    signs = dict.fromkeys([*NAMES, *(sign for sign in sample[0] if not sign.isalnum() and sign not in '_-." \r\n()')])
    return max(signs, key=lambda sign: _rate_sign(sample, sign, expected) if sign in NAMES or expected else (0, 0.0, 0))


def _rate_sign(sample: list[str], sign: str, expected: Collection[str]) -> tuple[int, float, int]:
    try:
        header, *rows = [record for record in csv.reader(sample, delimiter=sign) if record]
    except (csv.Error, ValueError):
        return 0, 0.0, 0
    known = len({name.strip() for name in header}.intersection(expected))
    even = sum(len(row) == len(header) for row in rows) / len(rows) if rows and len(header) > 1 else 0.0
    if not expected:
        return 0, 0.0, len(header)
    return known, round(even, 1), len(header)


def _delimiter_name(sign: str) -> str:
    return NAMES.get(sign, f"the character {sign!r}")


def _read_header(line: int, header: list[str], findings: Findings) -> tuple[str, ...]:
    """Return the columns' names; "" for one without a name, which is not read."""
    for name in header:
        odd = odd_in(name)
        if odd is not None:
            findings.problem(line, without_odd_characters(name).strip(), odd[1], odd[0])
    fields = tuple(without_odd_characters(name).strip(INVISIBLE + " \t\r\n\xa0") for name in header)
    for position, name in enumerate(fields, start=1):
        if name and name in fields[: position - 1]:
            findings.problem(line, name, "the header names this column twice", Code.DUPLICATED_COLUMN)
    nameless = [str(position) for position, name in enumerate(fields, start=1) if not name]
    if nameless:
        which = f"column {nameless[0]} has" if len(nameless) == 1 else f"the columns {', '.join(nameless)} have"
        findings.warn(line, "", f"{which} no name; ignored", Code.UNNAMED_COLUMN)
    if not any(fields):
        raise findings.stop(line, "", "the header is blank", Code.EMPTY_FILE)
    return fields


def _note_delimiter(line: int, fields: tuple[str, ...], requested: str | None, better: str, findings: Findings) -> None:
    header = next(name for name in fields if name)
    cut = f" when cut at {_delimiter_name(requested)}" if requested else ""
    hint = f"; {_delimiter_name(better)} would cut it" if better in header else ""
    rule = f"the header is one column, {header[:60]!r}{cut}{hint}"
    findings.problem(line, "", rule, Code.WRONG_DELIMITER)


Record = tuple[int, list[str], bool]


def _records(reader: Any, lines: Lines, findings: Findings) -> Iterator[Record]:
    """Yield the records, each with its first line and whether it is odd; note and skip broken ones."""
    repairs = 0
    while True:
        lines.mark()
        line = lines.number + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            repairs += 1
            if repairs > REPAIRS:
                rule = f"{REPAIRS} quotations are broken already; reading ends here"
                raise findings.stop(line, "", rule, Code.UNTERMINATED_QUOTE) from None
            _note_broken_quotation(line, str(error), len(lines.taken), findings)
            lines.rewind(1)
            continue
        if not record or (len(record) == 1 and not record[0].strip()):
            continue
        yield line, record, lines.odd


def _note_broken_quotation(line: int, error: str, line_count: int, findings: Findings) -> None:
    if line_count > 1 or "end of data" in error or "larger than" in error:
        findings.problem(line, "", "a quotation mark is opened and not closed", Code.UNTERMINATED_QUOTE)
    else:
        rule = "a quotation mark inside a quoted cell is not doubled"
        findings.problem(line, "", rule, Code.STRAY_QUOTE)


def _rows(
    records: Iterator[Record],
    delimiter: str,
    fields: tuple[str, ...],
    may_miss: frozenset[str],
    findings: Findings,
) -> Iterator[Row]:
    count, wide, named = 0, len(fields), all(fields)
    for line, record, odd in records:
        if odd:
            record = _clean_cells(line, record, fields, findings)
        if len(record) != wide:
            count += 1
            if not _fits_header(line, record, delimiter, fields, may_miss, findings):
                continue
            record = [*record, *([""] * (wide - len(record)))]
        cells = dict(zip(fields, record, strict=True))
        if not named:
            cells.pop("", None)
        if not (named and record[0].strip()) and not any(cell.strip() for cell in cells.values()):
            findings.warn(line, "", "a row of blank cells; it is skipped", Code.BLANK_ROW)
            continue
        count += 1
        yield Row(line, cells)
    if not count:
        findings.problem(None, "", "the file holds a header and no rows", Code.NO_ROWS)


def _clean_cells(line: int, record: list[str], fields: tuple[str, ...], findings: Findings) -> list[str]:
    for at, cell in enumerate(record):
        odd = odd_in(cell)
        if odd is not None:
            findings.problem(line, fields[at] if at < len(fields) else "", odd[1], odd[0])
    return [without_odd_characters(cell) for cell in record]


def _fits_header(
    line: int, record: list[str], delimiter: str, fields: tuple[str, ...], may_miss: frozenset[str], findings: Findings
) -> bool:
    """Whether a row of another length than the header's is allowed; note it where not."""
    wide = len(fields)
    if len(record) > wide:
        rule = f"{len(record)} cells where the header names {wide} columns"
        findings.problem(line, "", rule, Code.LONG_ROW)
        return False
    missing = fields[len(record) :]
    if may_miss.issuperset(missing):
        return True
    other = next(
        (sign for sign in NAMES if sign != delimiter and len(record) == 1 and _is_cut_by(record[0], sign, wide)), None
    )
    if other is not None:
        rule = f"one cell where the header names {wide} columns; it is separated by {_delimiter_name(other)}"
        findings.problem(line, "", rule, Code.WRONG_DELIMITER)
        return False
    rule = f"{len(record)} cells where the header names {wide} columns; this one is the first missing"
    findings.problem(line, missing[0], rule, Code.SHORT_ROW)
    return False


def _is_cut_by(cell: str, sign: str, wide: int) -> bool:
    return Counter(cell)[sign] >= max(1, wide - 1)
