"""Lists of workers from elsewhere: their IDs, the scores of their qualifications, and who is blocked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from annotation.readers.cells import integer_of, short
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.rows import Row
from annotation.readers.tabular import read_table

WORKER_ID = re.compile("A[A-Z0-9]{1,63}")
WORKER_COLUMNS = frozenset({"worker", "workerid"})
# How columns of qualifications begin: ours, and those of the requester site's list of workers.
QUALIFICATION = ("qualification:", "update-", "current-")
STATUS_COLUMNS = frozenset({"updateblockstatus", "currentblockstatus"})
BLOCKED = frozenset({"block", "blocked"})
OPEN = frozenset({"", "never blocked", "not blocked", "unblock", "unblocked", "revoke block"})
STATUS_REASON = "Blocked in an imported list of workers."
MAX_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class ListedWorker:
    """A row: the worker, the scores of qualifications by name, and the reason of a block ("": none)."""

    worker_id: str
    scores: tuple[tuple[str, int], ...]
    block: str


@dataclass(frozen=True, slots=True)
class WorkerList:
    """What a file says. qualifications: names, in the order of the columns."""

    workers: tuple[ListedWorker, ...]
    qualifications: tuple[str, ...]
    warnings: tuple[str, ...]


def read_worker_list(path: Path) -> WorkerList:
    """Read a CSV of workers. Raises FileProblems, which name every row that breaks a rule."""
    findings = Findings(path)
    table = read_table(path, findings)
    reader = _ListReader(table.fields, findings)
    findings.raise_if_any()
    for row in table.rows:
        reader.take(row)
    if not reader.workers:
        findings.problem(None, "", "the list names no worker", Code.NO_ROWS)
    findings.raise_if_any()
    names = tuple(dict.fromkeys(reader.qualifications.values()))
    return WorkerList(tuple(reader.workers.values()), names, tuple(findings.warning_sentences()))


def _letters(name: str) -> str:
    return "".join(mark for mark in name.casefold() if mark.isalnum())


class _ListReader:
    def __init__(self, fields: tuple[str, ...], findings: Findings) -> None:
        self.findings = findings
        self.workers: dict[str, ListedWorker] = {}
        self.id = next((name for name in fields if _letters(name) in WORKER_COLUMNS), "")
        self.reason = next((name for name in fields if _letters(name) == "block"), "")
        self.states = [name for name in fields if _letters(name) in STATUS_COLUMNS]
        self.qualifications = {
            name: name[len(start) :].strip()
            for name in fields
            for start in QUALIFICATION
            if name.casefold().startswith(start) and name not in self.states
        }
        if not self.id:
            findings.problem(1, "worker", "this column is missing from the header", Code.MISSING_COLUMN)
        for name in fields:
            if name not in {self.id, self.reason, *self.states, *self.qualifications}:
                findings.warn(1, name, "is not a column that Assay reads; it is ignored", Code.UNKNOWN_COLUMN)

    def take(self, row: Row) -> None:
        worker_id = row.cells[self.id].strip()
        if not WORKER_ID.fullmatch(worker_id):
            rule = f"a worker ID is A and up to 63 capital letters and digits, not {short(worker_id)}"
            self.findings.problem(row.line, self.id, rule)
        elif worker_id in self.workers:
            self.findings.problem(row.line, self.id, f"duplicate worker ID {worker_id}", Code.DUPLICATE_ID)
        elif len(self.workers) == MAX_ROWS:
            raise self.findings.stop(row.line, self.id, f"a list has at most {MAX_ROWS:,} workers")
        else:
            self.workers[worker_id] = ListedWorker(worker_id, self._scores(row), self._block(row))

    def _scores(self, row: Row) -> tuple[tuple[str, int], ...]:
        """What a column UPDATE- says counts more than what CURRENT- says."""
        scores: dict[str, int] = {}
        for column, name in sorted(self.qualifications.items(), key=lambda item: item[0].casefold()[:1] == "u"):
            if row.cells[column].strip():
                score = integer_of(row.cells[column], row.line, column, self.findings, minimum=0)
                if score is not None:
                    scores[name] = score
        return tuple(scores.items())

    def _block(self, row: Row) -> str:
        if self.reason and row.cells[self.reason].strip():
            return row.cells[self.reason].strip()
        states = {column: row.cells[column].strip().casefold() for column in self.states}
        for column, state in states.items():
            if state not in BLOCKED | OPEN:
                self.findings.problem(row.line, column, f"must be Block or blank, not {short(state)}")
        updated = [state for column, state in states.items() if state and _letters(column).startswith("update")]
        return STATUS_REASON if (updated or list(states.values()) or [""])[0] in BLOCKED else ""
