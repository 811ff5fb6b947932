"""What is wrong with a file: row, field, rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from annotation.exceptions import AssayError

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """One broken rule. `row` is the line of the file on which the row begins (the header is row 1); None: the file."""

    row: int | None
    field: str
    rule: str

    def __str__(self) -> str:
        place = [f"row {self.row}" if self.row else "", f"column {self.field!r}" if self.field else ""]
        named = ", ".join(part for part in place if part)
        return f"{named}: {self.rule}." if named else f"{self.rule}."


class FileProblems(AssayError):  # noqa: N818
    """A file that cannot be taken. `problems` holds the first ones, `total` counts them all."""

    def __init__(self, file: str, problems: Sequence[Problem], total: int | None = None) -> None:
        self.file = file
        self.problems = tuple(problems)
        self.total = len(problems) if total is None else total
        lines = [f"{file}, {self.problems[0]}"]
        if self.total > 1:
            lines.append(f"{self.total} problems in all; nothing was imported." + self._how_many())
            lines += [f"  {problem}" for problem in self.problems[1:]]
        super().__init__("\n".join(lines))

    def _how_many(self) -> str:
        return f" The first {len(self.problems)}:" if self.total > len(self.problems) else " The others:"


class Findings:
    """Collects the problems and warnings of one file, so that they can be told together."""

    def __init__(self, path: Path) -> None:
        self.file = path.name
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.total = 0
        self.total_warnings = 0

    def problem(self, row: int | None, field: str, rule: str) -> None:
        """Note a broken rule; the first SHOWN are kept, all are counted."""
        self.total += 1
        if len(self.problems) < SHOWN:
            self.problems.append(Problem(row, field, rule))

    def warn(self, row: int | None, field: str, rule: str) -> None:
        """Note something a reader should know that stops nothing."""
        self.total_warnings += 1
        if len(self.warnings) < SHOWN:
            self.warnings.append(Problem(row, field, rule))

    def stop(self, row: int | None, field: str, rule: str) -> FileProblems:
        """The error for a fault after which reading on makes no sense; raise what it returns."""
        self.problem(row, field, rule)
        return self.error()

    def error(self) -> FileProblems:
        return FileProblems(self.file, self.problems, self.total)

    def raise_if_any(self) -> None:
        """Raises FileProblems when a rule was broken."""
        if self.problems:
            raise self.error()

    def told_warnings(self) -> tuple[str, ...]:
        """The warnings as sentences, with a last one that counts those not shown."""
        told = [f"{self.file}, {warning}" for warning in self.warnings]
        if self.total_warnings > len(told):
            told.append(f"{self.file}: {self.total_warnings - len(told)} more warnings.")
        return tuple(told)
