"""Strict, streaming readers of tables: rows of named cells, each with its line in the file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from annotation.readers.arrow_folder import dataset_rows
from annotation.readers.csv_table import csv_table
from annotation.readers.json_lines import json_rows
from annotation.readers.lines import Lines, Progress
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.rows import Row, Table

__all__ = ["DELIMITERS", "FileForm", "Row", "Table", "read_table", "require_columns", "sha256_of"]

DELIMITERS: Mapping[str, str] = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
JSON_ENDINGS = frozenset({".jsonl", ".ndjson", ".json"})


@dataclass(frozen=True, slots=True)
class FileForm:
    """How a file is to be read where that is not seen from it.

    delimiter: one character. encoding: a codec's name. split: of a datasets folder with several.
    """

    delimiter: str | None = None
    encoding: str | None = None
    split: str | None = None


def sha256_of(path: Path) -> str:
    """SHA-256 in hexadecimal: of a file's bytes; of a folder's files, by name and content."""
    if path.is_dir():
        digests = [
            f"{file.relative_to(path).as_posix()} {sha256_of(file)}\n" for file in path.rglob("*") if file.is_file()
        ]
        return hashlib.sha256("".join(sorted(digests)).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_table(
    path: Path,
    findings: Findings,
    *,
    form: FileForm | None = None,
    delimiter: str | None = None,
    may_miss: Collection[str] = (),
    expected: Collection[str] = (),
    progress: Progress | None = None,
) -> Table:
    """Open a CSV, by the ending .jsonl, .ndjson or .json a JSON Lines file, or a folder a datasets library saved.

    delimiter: of a CSV; seen from the file when None. may_miss: columns that may be missing at the end of a short row.
    expected: the columns that are read, by which the right delimiter is known.
    Raises FileProblems for a fault that ends all reading; lesser ones go to `findings`.
    """
    form = form or FileForm(delimiter)
    if os.path.isdir(path):  # noqa: PTH112 (a name that no file can have is no folder, rather than an error)
        return dataset_rows(path, findings, split=form.split, read=expected, progress=progress)
    if form.split is not None:
        findings.note(f"The split {form.split} was asked for; a file has none.")
    lines = Lines(path, findings, encoding=form.encoding, progress=progress)
    if path.suffix.lower() in JSON_ENDINGS:
        return Table((), _close_after(json_rows(lines, findings, expected), lines))
    try:
        table = csv_table(
            lines, findings, delimiter=form.delimiter, may_miss=frozenset(may_miss), expected=frozenset(expected)
        )
    except BaseException:
        lines.close()
        raise
    return Table(table.fields, _close_after(table.rows, lines))


def _close_after(rows: Iterator[Row], lines: Lines) -> Iterator[Row]:
    try:
        yield from rows
        lines.finish()
    finally:
        lines.close()


def require_columns(fields: Collection[str], needed: Mapping[str, str], findings: Findings) -> None:
    """Note every needed column that the header does not have, and a column that may be meant.

    needed: the file's names, each with the name of the column that it is read as.
    """
    plain = {_letters_and_digits(name): name for name in fields}
    for name, column in needed.items():
        if name not in fields:
            like = plain.get(_letters_and_digits(name))
            few = f" (it names only {', '.join(fields)!r}; is the delimiter right?)" if len(fields) == 1 else ""
            meant = f" (is {like!r} meant?)" if like else ""
            rule = f"this column is missing from the header{few or meant}"
            findings.problem(1, name, rule, Code.MISSING_COLUMN, column=column)


def _letters_and_digits(name: str) -> str:
    return "".join(mark for mark in name.casefold() if mark.isalnum())
