"""Reading JSON Lines strictly: one object a line, its members as cells, numbers as they are written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from annotation.readers.foreign.paths import flatten
from annotation.readers.lines import Lines, odd_in, without_odd_characters
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.rows import Literal, Row


def json_rows(lines: Lines, findings: Findings, read: Collection[str] = (), *, nested: bool = False) -> Iterator[Row]:
    """Yield the objects of the file; note and skip a line that breaks a rule. Blank lines are skipped.

    read: the members that are read; those of another name may hold anything. All are, where it is empty.
    nested: give the leaves of nested members, by path.
    """
    count, reader = 0, _Reader(findings, frozenset(read), nested)
    lines.mark()
    for text in lines:
        odd, line = lines.odd, lines.number
        lines.mark()
        if not text.strip():
            continue
        count += 1
        if count == 1 and text.lstrip().startswith("[") and not text.rstrip().endswith("]"):
            raise findings.stop(line, "", "the file is one JSON list over several lines", Code.JSON_ARRAY)
        cells = reader.cells(text, line, odd=odd)
        if cells is not None:
            yield Row(line, cells)
    if not count:
        findings.problem(1, "", "the file is empty", Code.EMPTY_FILE)


class _Reader:
    """Decodes lines; one decoder for all of them."""

    def __init__(self, findings: Findings, read: frozenset[str], nested: bool = False) -> None:
        self.findings, self.read, self.nested = findings, read, nested
        self.doubled: list[str] = []
        self.decoder = json.JSONDecoder(
            parse_float=Literal, parse_int=Literal, parse_constant=Literal, object_pairs_hook=self._members
        )

    def _members(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            times = Counter(name for name, _ in pairs)
            self.doubled.extend(name for name in members if times[name] > 1)
        return members

    def cells(self, text: str, line: int, *, odd: bool) -> dict[str, str] | None:
        """The members of one object; null is an empty cell. None where the line has another form."""
        self.doubled.clear()
        try:
            content = self.decoder.decode(text.strip())
        except (json.JSONDecodeError, RecursionError) as error:
            if not odd or not self._tell_odd(text, line, ""):
                rule = f"not JSON: {getattr(error, 'msg', 'nested too deeply')}"
                self.findings.problem(line, "", rule, Code.INVALID_JSON)
            return None
        if isinstance(content, list) and content and isinstance(content[0], dict):
            rule = "the line holds a JSON list; write one object a line"
            self.findings.problem(line, "", rule, Code.JSON_ARRAY)
            return None
        if not isinstance(content, dict):
            self.findings.problem(line, "", "the line must hold one JSON object", Code.NOT_AN_OBJECT)
            return None
        for name in dict.fromkeys(self.doubled):
            self.findings.problem(line, name, "the object names this member twice", Code.DUPLICATED_MEMBER)
        members = flatten(content) if self.nested else content
        return {name: self._cell(name, value, line, odd=odd) for name, value in members.items()}

    def _cell(self, name: str, value: Any, line: int, *, odd: bool) -> str:
        if value is None or (self.read and name not in self.read):
            return ""
        if isinstance(value, str):
            return without_odd_characters(value) if odd and self._tell_odd(value, line, name) else value
        if isinstance(value, bool):
            rule, code = "must be a text or a number, not a truth value", Code.WRONG_TYPE
        else:
            rule, code = "must be a text or a number, not a list or an object", Code.NESTED_VALUE
        self.findings.refuse(line, name, rule, code)
        return ""

    def _tell_odd(self, cell: str, line: int, name: str) -> bool:
        odd = odd_in(cell)
        if odd is not None:
            self.findings.problem(line, name, odd[1], odd[0])
        return odd is not None
