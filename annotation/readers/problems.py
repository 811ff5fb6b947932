"""What is wrong with a file: code, row, column, rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotation.exceptions import AssayError
from annotation.readers.problem_codes import CATALOGUE, COLUMN, Code

SHOWN = 20  # of all kinds together; beyond these, the first of each kind
SHOWN_OF_A_KIND = 3


@dataclass(frozen=True, slots=True)
class Problem:
    """One broken rule. `row` is the line of the file on which the row begins (the header is row 1); None: the file.

    column: the name under which `field` is read, where the file may call it otherwise.
    """

    row: int | None
    field: str
    rule: str
    code: Code = Code.RULE
    column: str = ""

    def __str__(self) -> str:
        place = [f"row {self.row}" if self.row else "", f"column {self.field!r}" if self.field else ""]
        named = ", ".join(part for part in place if part)
        sentence = f"{named}: {self.rule}" if named else self.rule
        return f"{sentence}." if self.code is Code.RULE else f"{sentence}. [{self.code}]"

    @property
    def what_to_do(self) -> str:
        return self._hint(CATALOGUE[self.code].do)

    @property
    def what_to_do_on_a_page(self) -> str:
        return self._hint(CATALOGUE[self.code].page or CATALOGUE[self.code].do)

    def _hint(self, advice: str) -> str:
        """Put the problem's own column into advice that names one."""
        return advice.replace(COLUMN, self.column or self.field or COLUMN)


Sink = Callable[[str, Problem, bool], None]
"""Takes each problem as it is found: file, problem, whether it only warns."""


@dataclass(frozen=True, slots=True)
class ProblemSummary:
    """Problems (or warnings) of a file: those listed, how many there are in all, and how many of each kind."""

    listed: tuple[Problem, ...] = ()
    total: int = 0
    by_code: Mapping[Code, int] = field(default_factory=dict)


class FileProblems(AssayError):  # noqa: N818
    """A file that cannot be taken. `problems` holds those listed, `total` counts them all, `by_code` each kind."""

    def __init__(
        self,
        file: str,
        problems: Sequence[Problem],
        total: int | None = None,
        by_code: Mapping[Code, int] | None = None,
    ) -> None:
        self.file = file
        self.problems = tuple(problems)
        self.total = len(problems) if total is None else total
        self.by_code = dict(by_code if by_code is not None else Counter(problem.code for problem in problems))
        super().__init__("\n".join(self._lines()))

    def _lines(self) -> list[str]:
        lines = [f"{self.file}, {self.problems[0]}"]
        if self.total > 1:
            lines.append(f"{self.total} problems in all; nothing was imported." + self._how_many())
            lines += [f"  {problem}" for problem in self.problems[1:]]
        if self.total > len(self.problems):
            counts = sorted(self.by_code.items(), key=lambda item: -item[1])
            lines.append("All of them: " + ", ".join(f"{count} {code}" for code, count in counts) + ".")
        hints = {f"{problem.code}: {problem.what_to_do}": problem.code for problem in self.problems}
        lines += [hint for code in self.by_code for hint in hints if hints[hint] is code and code is not Code.RULE]
        return lines

    def _how_many(self) -> str:
        return " Among them:" if self.total > len(self.problems) else " The others:"


class Findings:
    """Collects the problems and warnings of one file, to report them together.

    allow: codes that only warn. sink: takes every problem and warning as it comes; here only some are kept.
    """

    def __init__(self, path: Path, *, allow: Collection[Code] = (), sink: Sink | None = None) -> None:
        self.file = path.name or str(path)
        self.allow, self.sink = frozenset(allow), sink
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.notes: list[str] = []
        self.counts: Counter[Code] = Counter()
        self.warning_counts: Counter[Code] = Counter()
        self.total = 0
        self.total_warnings = 0
        self._refused: set[tuple[int, str]] = set()  # cells of the latest row that had one

    def problem(self, row: int | None, field: str, rule: str, code: Code = Code.RULE, *, column: str = "") -> None:
        """Note a broken rule; the first SHOWN and the first of each kind are kept, all are counted.

        column: the name under which `field` is read, where the file may call it otherwise.
        """
        if code in self.allow:
            self.warn(row, field, rule, code)
        elif (row, field) not in self._refused:
            self.total += 1
            self._keep(Problem(row, field, rule, code, column), self.problems, self.counts, warns=False)

    def refuse(self, row: int, field: str, rule: str, code: Code) -> None:
        """Note a cell that cannot be read at all; later problems of the same cell are not noted."""
        self.problem(row, field, rule, code)
        self._refused = {(row, field), *(cell for cell in self._refused if cell[0] == row)}

    def warn(self, row: int | None, field: str, rule: str, code: Code = Code.RULE) -> None:
        """Note something a reader should know that stops nothing."""
        self.total_warnings += 1
        self._keep(Problem(row, field, rule, code), self.warnings, self.warning_counts, warns=True)

    def note(self, sentence: str) -> None:
        """Note an assumption that was made in reading the file."""
        self.notes.append(sentence)

    def _keep(self, problem: Problem, listed: list[Problem], counts: Counter[Code], *, warns: bool) -> None:
        counts[problem.code] += 1
        if len(listed) < SHOWN or (problem.code is not Code.RULE and counts[problem.code] <= SHOWN_OF_A_KIND):
            listed.append(problem)
        if self.sink is not None:
            self.sink(self.file, problem, warns)

    def stop(self, row: int | None, field: str, rule: str, code: Code = Code.RULE) -> FileProblems:
        """The error for a fault after which reading on makes no sense; raise what it returns."""
        self.problem(row, field, rule, code)
        return self.error()

    def error(self) -> FileProblems:
        return FileProblems(self.file, self.problems, self.total, self.counts)

    def raise_if_any(self) -> None:
        """Raises FileProblems when a rule was broken."""
        if self.problems:
            raise self.error()

    def summarize_problems(self) -> ProblemSummary:
        return ProblemSummary(tuple(self.problems), self.total, dict(self.counts))

    def summarize_warnings(self) -> ProblemSummary:
        return ProblemSummary(tuple(self.warnings), self.total_warnings, dict(self.warning_counts))

    def warning_sentences(self) -> tuple[str, ...]:
        """The warnings as sentences, with a last one that counts those not shown."""
        sentences = [f"{self.file}, {warning}" for warning in self.warnings]
        if self.total_warnings > len(sentences):
            sentences.append(f"{self.file}: {self.total_warnings - len(sentences)} more warnings.")
        return tuple(sentences)
