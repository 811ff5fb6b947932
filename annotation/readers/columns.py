"""Columns matched by name: ours, or those that a small mapping file gives them."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast

from annotation.readers.lines import Progress
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.records import Source
from annotation.readers.tabular import FileForm, Row, Table, read_table, require_columns

SOURCES: dict[str, Source] = {"reference": "reference", "model": "model"}


@dataclass(frozen=True, slots=True)
class Names:
    """What a file calls our columns, and which words it has for the two sources."""

    columns: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=lambda: SOURCES)

    def of(self, column: str) -> str:
        return self.columns.get(column, column)


def load_names(path: Path | None, known: Collection[str]) -> Names:
    """Read `[columns]` (our name = the file's name) and `[sources]` (the file's word = reference or model)."""
    if path is None:
        return Names()
    findings = Findings(path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise findings.stop(None, "", f"the mapping cannot be read ({error.strerror})", Code.BAD_MAPPING) from None
    except ValueError as error:
        raise findings.stop(None, "", f"the mapping is not TOML in UTF-8: {error}", Code.BAD_MAPPING) from None
    for name in sorted(set(data) - {"columns", "sources"}):
        findings.problem(None, name, "is not a key that a mapping of texts has", Code.BAD_MAPPING)
    columns, sources = data.get("columns", {}), data.get("sources", {})
    if not isinstance(columns, dict) or not isinstance(sources, dict):
        raise findings.stop(None, "columns", "columns and sources must be tables", Code.BAD_MAPPING)
    _check_names(columns, sources, known, findings)
    findings.raise_if_any()
    return Names(columns, cast(dict[str, Source], sources) or SOURCES)


def named_by(columns: Mapping[str, str], sources: Mapping[str, str], known: Collection[str], base: Names) -> Names:
    """`base` with columns and words for sources given one by one; raises FileProblems where one cannot be."""
    findings = Findings(Path("--column and --source"))
    _check_names(columns, sources, known, findings)
    findings.raise_if_any()
    # Words that are given replace our own two only when a file's words were not given before.
    before = {} if base.sources is SOURCES else base.sources
    words = {**before, **cast(dict[str, Source], sources)} or SOURCES
    return Names({**base.columns, **columns}, words)


def _check_names(
    columns: Mapping[str, Any], sources: Mapping[str, Any], known: Collection[str], findings: Findings
) -> None:
    for column, file_column in columns.items():
        if column not in known or not isinstance(file_column, str):
            rule = f"must be one of {', '.join(known)}, and give a column's name"
            findings.problem(None, f"columns.{column}", rule, Code.BAD_MAPPING)
    for word, source in sources.items():
        if source not in SOURCES:
            findings.problem(None, f"sources.{word}", "must be reference or model", Code.BAD_MAPPING)


class Cells(NamedTuple):
    """One row, read by our names. `row` is its line."""

    row: int
    names: Names
    cells: Mapping[str, str]

    def name(self, column: str) -> str:
        """What the file calls the column, for messages."""
        return self.names.of(column)

    def has(self, column: str) -> bool:
        """Whether the row has a cell of this column."""
        return self.names.of(column) in self.cells

    def get(self, column: str) -> str:
        """The cell, "" where the file has no such column."""
        return self.cells.get(self.names.of(column), "")


def read_cells(
    path: Path,
    findings: Findings,
    names: Names,
    *,
    needed: Collection[str],
    known: Collection[str],
    form: FileForm | None = None,
    progress: Progress | None = None,
) -> Iterator[Cells]:
    """Return the rows of a file under our names; warn of columns that are not read."""
    read = {names.of(column): None for column in known}
    table = read_table(path, findings, form=form, expected=read, progress=progress)
    if table.fields:
        require_columns(table.fields, {names.of(column): column for column in needed}, findings)
        for column, file_column in names.columns.items():
            if file_column not in table.fields and column not in needed:
                rule = f"this column is missing from the header; the mapping names it for {column!r}"
                findings.problem(1, file_column, rule, Code.MISSING_COLUMN, column=column)
        for name in table.fields:
            if name not in read:
                findings.warn(1, name, "is not a column that Assay reads; it is ignored", Code.UNKNOWN_COLUMN)
        findings.raise_if_any()
    return _rows(table, findings, names, needed, frozenset(read))


def _rows(
    table: Table, findings: Findings, names: Names, needed: Collection[str], read: frozenset[str]
) -> Iterator[Cells]:
    strange: set[str] = set()
    for row in table.rows:
        if table.fields:
            yield Cells(row.line, names, row.cells)
            continue
        for name in row.cells.keys() - read - strange:
            strange.add(name)
            findings.warn(row.line, name, "is not a member that Assay reads; it is ignored", Code.UNKNOWN_COLUMN)
        if _has_members(row, findings, names, needed):
            yield Cells(row.line, names, row.cells)


def _has_members(row: Row, findings: Findings, names: Names, needed: Collection[str]) -> bool:
    missing = {names.of(column): column for column in needed if names.of(column) not in row.cells}
    for name, column in missing.items():
        rule = "this member is missing from the object"
        findings.problem(row.line, name, rule, Code.MISSING_COLUMN, column=column)
    return not missing
