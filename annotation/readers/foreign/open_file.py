"""Open any file that holds a table: text, workbook, Parquet, JSON or a folder of the `datasets` library."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Iterator
from itertools import chain, islice
from pathlib import Path

from annotation.readers.arrow_folder import dataset_rows
from annotation.readers.csv_table import csv_table
from annotation.readers.foreign import excel, json_records, open_document
from annotation.readers.foreign.encodings import guess_encoding
from annotation.readers.foreign.parquet import parquet_table
from annotation.readers.json_lines import json_rows
from annotation.readers.lines import Lines, Progress
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.rows import Row, Table
from annotation.readers.tabular import FileForm

HEAD = 4096
ODS = b"application/vnd.oasis.opendocument.spreadsheet"
IMPORT_ID = '{"ImportId"'  # what Qualtrics writes into the third row of its header


def container_of(path: Path) -> str:
    """Return which reader a file is for: datasets, excel, opendocument, parquet, json, json lines or csv."""
    if path.is_dir():
        return "datasets"
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head.startswith(b"PK\x03\x04"):
        return _zipped(path)
    if head.startswith(b"PAR1"):
        return "parquet"
    start = head.removeprefix(json_records.BOM).lstrip()
    if start.startswith(b"["):
        return "json"
    if start.startswith(b"{"):
        return "json lines" if _is_lines(path) else "json"
    return "csv"


def _zipped(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            if "xl/workbook.xml" in names:
                return "excel"
            if "mimetype" in names and archive.getinfo("mimetype").file_size < HEAD and archive.read("mimetype") == ODS:
                return "opendocument"
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError):
        return "excel" if path.suffix.lower() in (".xlsx", ".xlsm") else "csv"
    return "csv"


def _is_lines(path: Path) -> bool:
    """Whether the first line is an object by itself, and does not hold the records as a list of its own."""
    with path.open("rb") as file:
        line, rest = file.readline(1 << 20).strip(), file.read(HEAD).lstrip()
    if rest:
        return line.endswith(b"}") and rest.startswith(b"{")
    return line.endswith(b"}") and b"[{" not in line.replace(b" ", b"")


def open_table(
    path: Path,
    findings: Findings,
    *,
    form: FileForm | None = None,
    read: Collection[str] = (),
    progress: Progress | None = None,
) -> Table:
    """Open the file by what it holds; nested values come under their paths.

    form: encoding and delimiter of a text file, `split`: of a folder, or the sheet of a workbook; guessed where None.
    read: the columns that are read, by which a CSV's delimiter is known and a sheet's dates are judged; ("",): none.
    Raises FileProblems for a fault that ends all reading; lesser ones go to `findings`.
    """
    form = form or FileForm()
    try:
        container = container_of(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise findings.stop(None, "", f"the file cannot be read ({reason})", Code.CANNOT_READ) from None
    if container == "datasets":
        return dataset_rows(path, findings, split=form.split, progress=progress, nested=True)
    if container == "excel":
        return excel.excel_table(path, findings, sheet=form.split, read=read, progress=progress)
    if container == "opendocument":
        return open_document.open_document_table(path, findings, sheet=form.split, read=read, progress=progress)
    if container == "parquet":
        return parquet_table(path, findings, progress=progress)
    if container == "json":
        return json_records.json_table(path, findings, progress=progress)
    return _text_table(path, findings, form, container, read, progress)


def _text_table(
    path: Path, findings: Findings, form: FileForm, container: str, read: Collection[str], progress: Progress | None
) -> Table:
    encoding = form.encoding or guess_encoding(path)
    lines = Lines(path, findings, encoding=encoding, progress=progress)
    if form.encoding is None and encoding is not None:
        findings.notes[-1:] = [f"The letters are probably {encoding}; choose another encoding where they look wrong."]
    if container == "json lines":
        return Table((), _close_after(json_rows(lines, findings, nested=True), lines))
    try:
        table = csv_table(
            lines,
            findings,
            delimiter=form.delimiter,
            may_miss=frozenset(("Approve", "Reject")),
            expected=frozenset(read) - {""},
        )
    except BaseException:
        lines.close()
        raise
    return Table(table.fields, _close_after(_without_import_ids(table.rows), lines))


def _without_import_ids(rows: Iterator[Row]) -> Iterator[Row]:
    """Leave out the second and third row of a header by Qualtrics: the questions' texts and its own ids."""
    first = list(islice(rows, 2))
    if len(first) == 2 and next(iter(first[1].cells.values()), "").startswith(IMPORT_ID):
        return rows
    return chain(first, rows)


def _close_after(rows: Iterator[Row], lines: Lines) -> Iterator[Row]:
    try:
        yield from rows
        lines.finish()
    finally:
        lines.close()


def sheets_of(path: Path) -> tuple[str, ...]:
    """The sheets of a workbook or the splits of a folder that can be chosen; none where there is no choice."""
    container = container_of(path)
    names = {"excel": excel.sheet_names, "opendocument": open_document.sheet_names}.get(container)
    available = names(path) if names else ()
    return available if len(available) > 1 else ()
