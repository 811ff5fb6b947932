"""Reading a batch-results file (Mechanical Turk's, or one like it): one row for each assignment."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

from annotation.readers.batch_json import expand_rows, holds_json, inner_fields
from annotation.readers.batch_texts import TextPile
from annotation.readers.cells import MAX_INTEGER, cents_of, integer_of, key_of, short, time_of
from annotation.readers.mapping import ANSWER, BatchMapping, ItemGroup
from annotation.readers.mapping_file import load_mapping, shipped_mappings
from annotation.readers.problems import Findings
from annotation.readers.records import (
    CollectedWork,
    HitRecord,
    JudgmentRecord,
    Provenance,
    SubmissionRecord,
    TextRecord,
)
from annotation.readers.tabular import Row, Table, read_table, require_columns, sha256_of

RAW_FORMAT = "batch-csv-row"
MARKET_ID = 64
Payment = Literal["approve", "reject"]
STATUSES: dict[str, Payment | None] = {"": None, "submitted": None, "approved": "approve", "rejected": "reject"}


def read_batch(path: Path, mapping_path: Path | None = None, *, delimiter: str | None = None) -> CollectedWork:
    """Read and check a whole batch-results file; raises FileProblems and hands over nothing when a rule is broken.

    Without a mapping, the shipped ones are tried: the first whose columns the file has is taken.
    """
    findings = Findings(path)
    table, inner = _open_batch(path, findings, delimiter)
    mapping = load_mapping(mapping_path) if mapping_path else _recognize_mapping(table.fields, findings)
    require_columns(table.fields, {name: name for name in mapping.needed(table.fields)}, findings)
    findings.raise_if_any()
    reader = _BatchReader(mapping, table.fields, findings, inner=inner)
    for row in table.rows:
        reader.take(row)
    findings.raise_if_any()
    texts = reader.pile.finished()
    findings.raise_if_any()
    return reader.work(texts, path)


def _open_batch(path: Path, findings: Findings, delimiter: str | None) -> tuple[Table, frozenset[str]]:
    """The rows with what JSON cells hold in columns of their own, whose names are those of all rows."""

    def opened(of: Findings) -> Table:
        return read_table(path, of, delimiter=delimiter, may_miss=("Approve", "Reject"))

    if not holds_json(opened(Findings(path)).rows):
        return opened(findings), frozenset()
    names = inner_fields(opened(Findings(path)).rows)
    table = opened(findings)
    fields = tuple(dict.fromkeys((*table.fields, *names)))
    return Table(fields, expand_rows(table.rows, names)), frozenset(names) - set(table.fields)


def _recognize_mapping(fields: tuple[str, ...], findings: Findings) -> BatchMapping:
    shipped = shipped_mappings()
    for mapping in shipped:
        if mapping.fits(fields):
            return mapping
    nearest = min(shipped, key=lambda mapping: sum(name not in fields for name in mapping.needed(fields)))
    lacking = next(name for name in nearest.needed(fields) if name not in fields)
    rule = (
        f"the header matches no shipped mapping (closest: {nearest.name}, which needs this column); use --mapping FILE"
    )
    raise findings.stop(1, lacking, rule)


@dataclass(slots=True)
class _Hit:
    """A HIT as its first row showed it."""

    line: int
    inputs: tuple[str, ...]
    texts: tuple[str, ...]
    max_assignments: int
    workers: set[str] = field(default_factory=set)


class _BatchReader:
    """Collects the content of the rows, one by one."""

    def __init__(
        self, mapping: BatchMapping, fields: tuple[str, ...], findings: Findings, *, inner: frozenset[str]
    ) -> None:
        self.inner = inner  # columns for the values inside JSON cells
        self.mapping, self.fields, self.findings = mapping, frozenset(fields), findings
        self.slots: list[tuple[ItemGroup, str]] = [
            (group, number) for group in mapping.items for number in group.numbers(fields)
        ]
        self.inputs = tuple(name for group, number in self.slots for name in group.input_columns(number))
        self.pile = TextPile(mapping, findings)
        self.hits: dict[str, _Hit] = {}
        self.submissions: list[SubmissionRecord] = []
        self.assignments: set[str] = set()
        self.rows = 0
        self.rewards: dict[int, int] = {}
        self.created_at: datetime | None = None
        self.seconds: dict[str, int] = {}

    def take(self, row: Row) -> None:
        """Read one assignment."""
        self.rows += 1
        hit_id = key_of(
            row.cells[self.mapping.columns.hit], row.line, self.mapping.columns.hit, self.findings, limit=64
        )
        if hit_id is None:
            return
        hit = self.hits.get(hit_id)
        if hit is None:
            hit = self.hits[hit_id] = self._opened(hit_id, row)
        else:
            self._compare(hit, row)
        submission = self._submission(hit_id, hit, row)
        if submission is not None:
            self.submissions.append(submission)

    def _opened(self, hit_id: str, row: Row) -> _Hit:
        columns = self.mapping.columns
        texts = tuple(self.pile.add(hit_id, at, group, number, row) for at, (group, number) in enumerate(self.slots))
        for at, text in enumerate(texts):
            if text in texts[:at]:
                self.findings.problem(
                    row.line, self.slots[at][0].text.name(self.slots[at][1]), "the HIT shows it twice"
                )
        self._reward(row)
        self.created_at = self.created_at or self._time(row, columns.created)
        for name in (columns.duration, columns.auto_approval):
            value = self._integer(row, name, minimum=1)
            if value is not None:
                self.seconds.setdefault(name, value)
        inputs = tuple(row.cells[name] for name in self.inputs)
        return _Hit(row.line, inputs, texts, self._integer(row, columns.max_assignments, minimum=1) or 1)

    def _compare(self, hit: _Hit, row: Row) -> None:
        """The rows of one HIT must show the same texts."""
        inputs = tuple(row.cells[name] for name in self.inputs)
        if inputs == hit.inputs:
            return
        for name, cell, first_cell in zip(self.inputs, inputs, hit.inputs, strict=True):
            if cell != first_cell:
                self.findings.problem(row.line, name, f"differs from row {hit.line}, which is of the same HIT")

    def _submission(self, hit_id: str, hit: _Hit, row: Row) -> SubmissionRecord | None:
        columns, findings, before = self.mapping.columns, self.findings, self.findings.total
        worker = key_of(row.cells[columns.worker], row.line, columns.worker, findings, limit=100)
        assignment = self._assignment(row)
        if worker in hit.workers:
            findings.problem(row.line, columns.worker, f"the worker has another assignment of HIT {hit_id}")
        hit.workers.add(worker or "")
        accepted, submitted = self._time(row, columns.accepted), self._time(row, columns.submitted)
        if accepted and submitted and submitted < accepted:
            findings.problem(row.line, columns.submitted, f"is before {columns.accepted}")
        seconds = self._integer(row, columns.seconds, minimum=0)
        if seconds is None and accepted and submitted:
            seconds = min(MAX_INTEGER, int((submitted - accepted).total_seconds()))
        payment, feedback = self._payment(row)
        judgments = self._judgments(hit, row)
        if worker is None or findings.total > before:
            return None
        return SubmissionRecord(
            hit=hit_id,
            assignment=assignment,
            worker=worker,
            raw=tuple(
                (name, cell)
                for name, cell in row.cells.items()
                if name != columns.worker and name not in self.inner  # as it came: JSON cells stay whole
            ),
            judgments=judgments,
            accepted_at=accepted,
            submitted_at=submitted,
            work_seconds=seconds,
            payment=payment,
            feedback=feedback,
        )

    def _assignment(self, row: Row) -> str:
        name = self.mapping.columns.assignment
        if name not in self.fields:
            return f"row-{row.line}"
        assignment_id = key_of(row.cells[name], row.line, name, self.findings, limit=MARKET_ID) or ""
        if assignment_id and assignment_id in self.assignments:
            self.findings.problem(row.line, name, f"duplicate assignment ID {assignment_id}")
        self.assignments.add(assignment_id)
        return assignment_id

    def _judgments(self, hit: _Hit, row: Row) -> tuple[JudgmentRecord, ...]:
        judgments = []
        for position, ((group, number), text) in enumerate(zip(self.slots, hit.texts, strict=True)):
            label = self._label(group, number, row)
            if label is not None:
                judgments.append(JudgmentRecord(text, position, label))
        return tuple(judgments)

    def _label(self, group: ItemGroup, number: str, row: Row) -> str | None:
        name = group.rating.name(number)
        answer = self._ticked(name, row) if ANSWER in name else row.cells[name].strip()
        if answer is None:
            return None
        if not answer:
            if self.mapping.blank == "refuse":
                self.findings.problem(row.line, name, "the answer is blank")
            return None
        if answer not in self.mapping.answers:
            known = ", ".join(list(self.mapping.answers)[:10])
            self.findings.problem(row.line, name, f"the label {short(answer)} is not in the scale ({known})")
            return None
        return self.mapping.answers[answer]

    def _ticked(self, name: str, row: Row) -> str | None:
        """The one answer whose own column says true; "" when none does."""
        names = {answer: name.replace(ANSWER, answer) for answer in self.mapping.answers}
        ticked = [
            answer for answer, column in names.items() if row.cells[column].strip().lower() in {"true", "1", "on"}
        ]
        if len(ticked) > 1:
            self.findings.problem(row.line, names[ticked[1]], f"two answers are ticked: {ticked[0]} and {ticked[1]}")
            return None
        return ticked[0] if ticked else ""

    def _payment(self, row: Row) -> tuple[Payment | None, str]:
        columns = self.mapping.columns
        status = self._cell(row, columns.status)
        if status.lower() not in STATUSES:
            self.findings.problem(
                row.line, columns.status, f"must be Submitted, Approved or Rejected, not {short(status)}"
            )
            return None, ""
        approve, reject = self._cell(row, columns.approve), self._cell(row, columns.reject)
        if approve and reject:
            self.findings.problem(row.line, columns.reject, f"is filled although {columns.approve} is too")
        payment = STATUSES[status.lower()] or ("approve" if approve else "reject" if reject else None)
        reason = self._cell(row, columns.feedback) or (reject if payment == "reject" else "")
        return payment, reason[:1024]

    def _reward(self, row: Row) -> None:
        name = self.mapping.columns.reward
        if self._cell(row, name):
            cents = cents_of(row.cells[name], row.line, name, self.findings)
            if cents is not None and self.rewards and cents not in self.rewards:
                self.findings.warn(row.line, name, f"differs from row {next(iter(self.rewards.values()))}")
            if cents is not None:
                self.rewards.setdefault(cents, row.line)

    def _cell(self, row: Row, name: str) -> str:
        return row.cells[name].strip() if name in self.fields else ""

    def _time(self, row: Row, name: str) -> datetime | None:
        return time_of(row.cells[name], row.line, name, self.findings) if self._cell(row, name) else None

    def _integer(self, row: Row, name: str, *, minimum: int) -> int | None:
        return (
            integer_of(row.cells[name], row.line, name, self.findings, minimum=minimum)
            if self._cell(row, name)
            else None
        )

    def work(self, texts: tuple[TextRecord, ...], path: Path) -> CollectedWork:
        """Everything that was read, as one record."""
        mapping = self.mapping
        hits = tuple(
            HitRecord(name, hit.texts, max(hit.max_assignments, len(hit.workers))) for name, hit in self.hits.items()
        )
        return CollectedWork(
            texts=texts,
            hits=hits,
            submissions=tuple(self.submissions),
            scale=mapping.scale,
            provider=mapping.provider,
            raw_format=RAW_FORMAT,
            provenance=(Provenance(path.name, sha256_of(path), self.rows, mapping.name, self.created_at),),
            question=mapping.question,
            noun=mapping.noun,
            reward_cents=next(iter(self.rewards), 0) if len(self.rewards) == 1 else 0,
            assignment_seconds=self.seconds.get(mapping.columns.duration),
            auto_approval_seconds=self.seconds.get(mapping.columns.auto_approval),
            warnings=self.findings.warning_sentences(),
        )
