"""Read a sheet of an Excel workbook (.xlsx), row by row: values as they are stored, never computed."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Collection, Iterator
from contextlib import ExitStack, closing
from datetime import date, time
from pathlib import Path
from typing import Any

from annotation.readers.foreign.paths import cell_of
from annotation.readers.foreign.sheet_rows import MAX_UNPACKED, SheetCell, damaged, sheet_table
from annotation.readers.lines import Progress
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.rows import Table

MAX_STRINGS = 256 * 1024 * 1024  # bytes of the shared strings, which are held in memory
CHUNK = 1 << 20
OVERLAP = 64
MERGED = re.compile(rb'<mergeCell ref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
FORMULA = re.compile(rb"<f[ >/]")


def excel_table(
    path: Path,
    findings: Findings,
    *,
    sheet: str | None = None,
    read: Collection[str] = (),
    progress: Progress | None = None,
) -> Table:
    """The rows of the named sheet, or of the first that has any; see `sheet_rows.sheet_table`."""
    with damaged(findings, "workbook"), ExitStack() as opened:
        archive = opened.enter_context(zipfile.ZipFile(path))
        _check_sizes(archive, findings)
        book = opened.enter_context(closing(_open(path)))
        worksheet = _choose(book, sheet, findings)
        member = worksheet._worksheet_path
        merged, has_formulas = _scan(archive, member)
        formulas = opened.enter_context(closing(_open(path, values=False))) if has_formulas else None
        rows = _rows(worksheet, formulas[worksheet.title] if formulas else None, findings, progress)
        rows_open = opened.pop_all()
    return sheet_table(_close_after(rows, rows_open), findings, merged=merged, read=read)


def _close_after(rows: Iterator[Any], opened: ExitStack) -> Iterator[Any]:
    with opened:
        yield from rows


def sheet_names(path: Path) -> tuple[str, ...]:
    """The names of the sheets; none for a file that cannot be read."""
    try:
        with closing(_open(path)) as book:
            return tuple(book.sheetnames)
    except Exception:  # noqa: BLE001 (whatever is wrong is said by who reads the file)
        return ()


def _check_sizes(archive: zipfile.ZipFile, findings: Findings) -> None:
    sizes = {member.filename: member.file_size for member in archive.infolist()}
    strings = max((size for name, size in sizes.items() if name.lower().endswith("sharedstrings.xml")), default=0)
    if sum(sizes.values()) > MAX_UNPACKED or strings > MAX_STRINGS:
        rule = f"the workbook holds {sum(sizes.values()) // 1_000_000:,} MB unpacked, which is too much; save it as CSV"
        raise findings.stop(None, "", rule, Code.FILE_TOO_LARGE)


def _open(path: Path, *, values: bool = True) -> Any:
    import openpyxl

    return openpyxl.load_workbook(path, read_only=True, data_only=values, keep_links=False)


def _choose(book: Any, sheet: str | None, findings: Findings) -> Any:
    names = [worksheet.title for worksheet in book.worksheets]
    if sheet is not None and sheet not in names:
        rule = f"the workbook has the sheets {', '.join(names)}, not {sheet!r}"
        raise findings.stop(None, "", rule, Code.WHICH_SPLIT)
    for worksheet in book.worksheets:
        worksheet.reset_dimensions()  # a declared size may be wrong by millions of rows
        chosen = sheet == worksheet.title or len(names) == 1
        if chosen or (sheet is None and next(worksheet.iter_rows(max_row=1), None) is not None):
            if len(names) > 1:
                findings.note(f"The sheet {worksheet.title} is read, of {', '.join(names)}.")
            return worksheet
    raise findings.stop(1, "", "the workbook has no sheet with rows", Code.EMPTY_FILE)


def _scan(archive: zipfile.ZipFile, member: str) -> tuple[list[tuple[int, str]], bool]:
    """Return the last row and the name of each merged range, and whether a cell has a formula."""
    merged: dict[str, int] = {}
    has_formulas, rest = False, b""
    with archive.open(member.lstrip("/")) as file:
        while chunk := file.read(CHUNK):
            content = rest + chunk
            has_formulas = has_formulas or FORMULA.search(content) is not None
            for left, top, right, bottom in MERGED.findall(content):
                merged[f"{left.decode()}{top.decode()}:{right.decode()}{bottom.decode()}"] = int(bottom)
            rest = content[-OVERLAP:]
    return [(bottom, name) for name, bottom in merged.items()], has_formulas


def _rows(
    worksheet: Any, computed: Any, findings: Findings, progress: Progress | None
) -> Iterator[tuple[int, list[SheetCell]]]:
    with damaged(findings, "workbook"):
        if computed is not None:
            computed.reset_dimensions()
        formulas = computed.iter_rows() if computed is not None else None
        for number, row in enumerate(worksheet.iter_rows(), start=1):
            sources = next(formulas, ()) if formulas is not None else ()
            yield number, [_cell(cell, sources[at] if at < len(sources) else None) for at, cell in enumerate(row)]
            if progress is not None and number % 500 == 0:
                progress(number, 0)


def _cell(cell: Any, source: Any) -> SheetCell:
    value = cell.value
    formula = source is not None and source.data_type == "f"
    kind = "date" if isinstance(value, date | time) else "formula" if formula and value is None else ""
    return SheetCell(cell_of(value), kind)
