"""Read a sheet of an OpenDocument spreadsheet (.ods), row by row."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from annotation.readers.csv_table import MAX_COLUMNS
from annotation.readers.foreign.sheet_rows import MAX_UNPACKED, SheetCell, damaged, sheet_table
from annotation.readers.lines import Progress
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.rows import Table

NAMES = "urn:oasis:names:tc:opendocument:xmlns"
TABLE, OFFICE, TEXT = f"{{{NAMES}:table:1.0}}", f"{{{NAMES}:office:1.0}}", f"{{{NAMES}:text:1.0}}"
MAX_REPEATED = 100_000
BLANK = SheetCell("")


def open_document_table(
    path: Path,
    findings: Findings,
    *,
    sheet: str | None = None,
    read: Collection[str] = (),
    progress: Progress | None = None,
) -> Table:
    """The rows of the named sheet, or of the first that has any; see `sheet_rows.sheet_table`."""
    names = sheet_names(path)
    if sheet is not None and sheet not in names:
        rule = f"the file has the sheets {', '.join(names)}, not {sheet!r}"
        raise findings.stop(None, "", rule, Code.WHICH_SPLIT)
    if len(names) > 1:
        findings.note(f"The sheet {sheet or names[0]} is read, of {', '.join(names)}.")
    rows = _rows(path, sheet or (names[0] if names else ""), findings, progress)
    return sheet_table(rows, findings, read=read)


def sheet_names(path: Path) -> tuple[str, ...]:
    """The names of the sheets; none for a file that cannot be read."""
    try:
        return tuple(
            str(element.get(f"{TABLE}name", ""))
            for event, element in _parse(path, tags=(f"{TABLE}table", f"{TABLE}table-row"))
            if event == "start" and element.tag == f"{TABLE}table"
        )
    except Exception:  # noqa: BLE001 (whatever is wrong is said by who reads the file)
        return ()


def _parse(path: Path, *, tags: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    from lxml import etree

    with zipfile.ZipFile(path) as archive, archive.open("content.xml") as content:
        if archive.getinfo("content.xml").file_size > MAX_UNPACKED:
            raise ValueError("its content is larger than 2 GB")
        for event, element in etree.iterparse(
            content, events=("start", "end"), tag=tags, resolve_entities=False, no_network=True, load_dtd=False
        ):
            yield event, element
            if event == "end":
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]


def _rows(
    path: Path, sheet: str, findings: Findings, progress: Progress | None
) -> Iterator[tuple[int, list[SheetCell]]]:
    number = 0
    with damaged(findings, "spreadsheet"):
        for element in _rows_of_sheet(path, sheet):
            cells = _cells(element, number + 1, findings)
            repeated = int(element.get(f"{TABLE}number-rows-repeated", "1"))
            if any(cell.text or cell.kind for cell in cells):
                for at in range(min(repeated, MAX_REPEATED)):
                    yield number + 1 + at, cells
            number += repeated
            if progress is not None and number % 500 == 0:
                progress(number, 0)


def _rows_of_sheet(path: Path, sheet: str) -> Iterator[Any]:
    inside = False
    for event, element in _parse(path, tags=(f"{TABLE}table", f"{TABLE}table-row")):
        if element.tag == f"{TABLE}table":
            if inside and event == "end":
                return
            inside = event == "start" and element.get(f"{TABLE}name", "") == sheet
        elif inside and event == "end":
            yield element


def _cells(row: Any, number: int, findings: Findings) -> list[SheetCell]:
    cells: list[SheetCell] = []
    for element in row:
        if element.tag not in (f"{TABLE}table-cell", f"{TABLE}covered-table-cell"):
            continue
        if any(int(element.get(f"{TABLE}number-{way}-spanned", "1")) > 1 for way in ("rows", "columns")):
            rule = f"a cell of this row is merged with others ({_text(element)[:40]!r}): only the first holds a value"
            findings.problem(number, "", rule, Code.MERGED_CELLS)
        repeated = int(element.get(f"{TABLE}number-columns-repeated", "1"))
        cells += [_cell(element)] * min(repeated, MAX_COLUMNS + 1)
    while cells and not cells[-1].text and not cells[-1].kind:
        cells.pop()
    return cells


def _cell(element: Any) -> SheetCell:
    kind = element.get(f"{OFFICE}value-type", "")
    if kind in ("date", "time"):
        return SheetCell(element.get(f"{OFFICE}date-value") or element.get(f"{OFFICE}time-value") or "", "date")
    if kind in ("float", "percentage", "currency"):
        value = element.get(f"{OFFICE}value", "")
        return SheetCell(value.removesuffix(".0"))
    if kind == "boolean":
        return SheetCell(element.get(f"{OFFICE}boolean-value", ""))
    text = _text(element)
    return (
        SheetCell(text, "formula" if element.get(f"{TABLE}formula") and not text else "")
        if text or kind
        else (SheetCell("", "formula") if element.get(f"{TABLE}formula") else BLANK)
    )


def _text(element: Any) -> str:
    return "\n".join(_inline(paragraph) for paragraph in element if paragraph.tag == f"{TEXT}p")


def _inline(element: Any) -> str:
    parts = [element.text or ""]
    for part in element:
        if part.tag == f"{TEXT}s":
            parts.append(" " * min(int(part.get(f"{TEXT}c", "1")), 10_000))
        elif part.tag == f"{TEXT}tab":
            parts.append("\t")
        elif part.tag == f"{TEXT}line-break":
            parts.append("\n")
        elif part.tag != f"{OFFICE}annotation":
            parts.append(_inline(part))
        parts.append(part.tail or "")
    return "".join(parts)
