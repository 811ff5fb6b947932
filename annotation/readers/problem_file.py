"""Every problem of a file, as a table for a spreadsheet or a program."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from types import TracebackType

from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings, Problem
from metrics.tables.delimited import safe

COLUMNS = ("file", "row", "column", "code", "severity", "rule", "what_to_do")


class ProblemFile:
    """Writes problems as they are found: CSV, or by the ending .json a list, or by .jsonl an object a line."""

    def __init__(self, path: Path) -> None:
        self.path, self.count = path, 0
        self._form = path.suffix.lower().removeprefix(".")
        if self._form not in {"csv", "json", "jsonl"}:
            raise Findings(path).stop(None, "", "problems are written to a file that ends in .csv, .json or .jsonl")
        try:
            self._file = path.open("w", encoding="utf-8", newline="", errors="backslashreplace")
        except OSError as error:
            rule = f"the file cannot be written ({error.strerror})"
            raise Findings(path).stop(None, "", rule, Code.CANNOT_READ) from None
        self._csv = csv.writer(self._file)
        if self._form == "csv":
            self._csv.writerow(COLUMNS)

    def take(self, file: str, problem: Problem, warns: bool) -> None:
        """Write one problem."""
        severity = "warning" if warns else "error"
        row = (file, problem.row, problem.field, str(problem.code), severity, problem.rule, problem.what_to_do)
        if self._form == "csv":
            self._csv.writerow(["" if cell is None else safe(str(cell)) for cell in row])
        else:
            listed = "[" if not self.count else ","
            before = f"{listed}\n" if self._form == "json" else ""
            self._file.write(before + json.dumps(dict(zip(COLUMNS, row, strict=True))))
            self._file.write("\n" if self._form == "jsonl" else "")
        self.count += 1

    def __enter__(self) -> ProblemFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._form == "json":
            self._file.write("\n]\n" if self.count else "[]\n")
        self._file.close()
