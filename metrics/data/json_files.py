"""JSON and JSON lines read strictly: what breaks a rule is named by file, row (line or place in the list) and key."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrics.data.text_files import read_text
from metrics.errors import BadInput


@dataclass(frozen=True, slots=True)
class Record:
    """One object of a file; `row` is its line (JSON lines) or its place in the list, from 1."""

    file: str
    row: int
    values: Mapping[str, Any]

    def error(self, key: str, rule: str) -> BadInput:
        """An error at this record."""
        return BadInput(rule, where=self.file, row=self.row, column=key)

    def get(self, key: str) -> Any:
        """A value that must be there."""
        if key not in self.values:
            raise self.error(key, "the key is missing")
        return self.values[key]

    def text(self, key: str, *, blank: bool = False) -> str:
        """A text as written; unless `blank`, it holds something."""
        value = self.get(key)
        if not isinstance(value, str):
            raise self.error(key, "a text was expected")
        if not blank and not value.strip():
            raise self.error(key, "the text is blank")
        return value

    def name(self, key: str) -> str:
        """A text or a whole number that names something, as text."""
        value = self.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.text(key)

    def number(self, key: str) -> float:
        """A finite number."""
        value = self.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
            raise self.error(key, "a finite number was expected")
        return float(value)

    def records(self, key: str) -> list[Record]:
        """A list of objects; each names this record's row."""
        return [Record(self.file, self.row, self._object(key, value)) for value in self.sequence(key)]

    def sequence(self, key: str) -> Sequence[Any]:
        """A list."""
        value = self.get(key)
        if not isinstance(value, list):
            raise self.error(key, "a list was expected")
        return value

    def record(self, key: str) -> Record:
        """An object."""
        return Record(self.file, self.row, self._object(key, self.get(key)))

    def _object(self, key: str, value: object) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self.error(key, "an object was expected")
        return value


def read_object(path: Path) -> Record:
    """A file that holds one object. Raises BadInput."""
    value = _parse(read_text(path, "JSON"), path.name, 1)
    if not isinstance(value, dict):
        raise BadInput("the file holds no JSON object", where=path.name)
    return Record(path.name, 1, value)


def read_records(path: Path, within: str = "") -> list[Record]:
    """A file that holds a list of objects, or one object a line; at least one. Raises BadInput.

    within: where the file holds one object with this key, the list is there.
    """
    text = read_text(path, "JSON")
    values = _listed(text, path.name, within) or _lines(text, path.name)
    records = []
    for row, value in values:
        if not isinstance(value, dict):
            raise BadInput("a JSON object was expected", where=path.name, row=row)
        records.append(Record(path.name, row, value))
    if not records:
        raise BadInput("the file holds no record", where=path.name)
    return records


def _listed(text: str, name: str, within: str) -> list[tuple[int, object]]:
    """The list that the whole file is or holds, numbered; nothing where the file has one object a line."""
    start = text.lstrip()
    if start.startswith("["):
        value = _parse(text, name, 1)
        return list(enumerate(value, start=1)) if isinstance(value, list) else []
    # An object over several lines, or one that names the list in its only line.
    if within and start.startswith("{") and (start[1:2] in "\r\n" or "\n" not in start.rstrip()):
        document = _parse(text, name, 1)
        records = document.get(within) if isinstance(document, dict) else None
        if isinstance(records, list):
            return list(enumerate(records, start=1))
    return []


def _lines(text: str, name: str) -> list[tuple[int, object]]:
    # Only a newline ends a line: U+2028 and similar characters may occur within a JSON text.
    return [
        (row, _parse(line, name, row)) for row, line in enumerate(text.split("\n"), start=1) if line.strip(" \t\r\n")
    ]


def _parse(text: str, name: str, row: int) -> object:
    try:
        return json.loads(text, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise BadInput(f"this is not valid JSON ({error.msg})", where=name, row=row + error.lineno - 1) from None
    except RecursionError:
        raise BadInput("the JSON is nested too deeply", where=name, row=row) from None
    except ValueError as error:
        raise BadInput(f"this is not valid JSON ({error})", where=name, row=row) from None


def _constant(word: str) -> float:
    """-Infinity is a log-probability; NaN and Infinity are nothing here."""
    if word == "-Infinity":
        return -math.inf
    raise ValueError(f"{word} is not a number here")


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
