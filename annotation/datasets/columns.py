"""Columns matched by name: ours, or those that a small mapping file gives them."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from annotation.datasets.problems import Findings
from annotation.datasets.records import Source
from annotation.datasets.tabular import Row, Table, read_table, require_columns

SOURCES: dict[str, Source] = {"reference": "reference", "model": "model"}


@dataclass(frozen=True, slots=True)
class Names:
    """What a file calls our columns, and which words it has for the two sources."""

    columns: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=lambda: SOURCES)

    def of(self, ours: str) -> str:
        return self.columns.get(ours, ours)


def load_names(path: Path | None, known: Collection[str]) -> Names:
    """Read `[columns]` (our name = the file's name) and `[sources]` (the file's word = reference or model)."""
    if path is None:
        return Names()
    findings = Findings(path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise findings.stop(None, "", f"the mapping cannot be read ({error.strerror})") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise findings.stop(None, "", f"the mapping is not TOML in UTF-8: {error}") from None
    for name in sorted(set(data) - {"columns", "sources"}):
        findings.problem(None, name, "is not a key that a mapping of texts has")
    columns, sources = data.get("columns", {}), data.get("sources", {})
    if not isinstance(columns, dict) or not isinstance(sources, dict):
        raise findings.stop(None, "columns", "columns and sources must be tables")
    for ours, theirs in columns.items():
        if ours not in known or not isinstance(theirs, str):
            findings.problem(None, f"columns.{ours}", f"must be one of {', '.join(known)}, and give a column's name")
    for word, source in sources.items():
        if source not in SOURCES:
            findings.problem(None, f"sources.{word}", "must be reference or model")
    findings.raise_if_any()
    return Names(columns, cast(dict[str, Source], sources) or SOURCES)


@dataclass(frozen=True, slots=True)
class Cells:
    """One row, read by our names. `row` is its line."""

    row: int
    names: Names
    cells: Mapping[str, str]

    def name(self, ours: str) -> str:
        """What the file calls the column, for messages."""
        return self.names.of(ours)

    def get(self, ours: str) -> str:
        """The cell, "" where the file has no such column."""
        return self.cells.get(self.names.of(ours), "")


def read_cells(
    path: Path,
    findings: Findings,
    names: Names,
    *,
    needed: Collection[str],
    known: Collection[str],
    delimiter: str | None = None,
) -> Iterator[Cells]:
    """The rows of a CSV or JSON Lines file under our names; columns that nobody reads are warned of."""
    table = read_table(path, findings, delimiter=delimiter)
    if table.fields:
        require_columns(table.fields, [names.of(one) for one in needed], findings)
        read = {names.of(one) for one in known}
        for name in table.fields:
            if name not in read:
                findings.warn(1, name, "is not a column we read; it is ignored")
        findings.raise_if_any()
    return _rows(table, findings, names, needed)


def _rows(table: Table, findings: Findings, names: Names, needed: Collection[str]) -> Iterator[Cells]:
    for row in table.rows:
        if table.fields or _has_members(row, findings, names, needed):
            yield Cells(row.line, names, row.cells)


def _has_members(row: Row, findings: Findings, names: Names, needed: Collection[str]) -> bool:
    lacking = [names.of(one) for one in needed if names.of(one) not in row.cells]
    for name in lacking:
        findings.problem(row.line, name, "the object lacks this member")
    return not lacking
