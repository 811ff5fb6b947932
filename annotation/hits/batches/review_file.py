"""A reviewed results file: X under Approve, or a reason under Reject, assignment by assignment."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from annotation.exceptions import ChangedError
from annotation.hits.batches.queries import BatchWork
from annotation.models import Batch, BatchEvent
from annotation.mturk.client import Market
from annotation.mturk.records import SubmittedWork
from annotation.readers.problems import Findings
from annotation.readers.tabular import Row, read_table, require_columns

MAX_REASON = 1024
Tell = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class ReviewPlan:
    """What a file asks for: assignments to approve, to reject (with reasons), rows that say nothing or cannot be done.

    problems: (row of the file, sentence). settled: decided as the row says already.
    """

    approve: tuple[str, ...]
    reject: tuple[tuple[str, str], ...]
    problems: tuple[tuple[int, str], ...]
    blank: int
    settled: int

    def counts(self) -> tuple[int, int]:
        return len(self.approve), len(self.reject)


def plan_review(path: Path, works: Iterable[BatchWork]) -> ReviewPlan:
    """Compare a file with the assignments of the batch. Raises FileProblems where it cannot be read."""
    known = {work.assignment_id: work for each in works for work in each.work}
    planner = _Planner(known)
    findings = Findings(path)
    table = read_table(path, findings, may_miss=("Approve", "Reject"))
    require_columns(table.fields, {name: name for name in ("AssignmentId", "Approve", "Reject")}, findings)
    findings.raise_if_any()
    for row in table.rows:
        planner.take(row)
    findings.raise_if_any()
    return planner.plan()


class _Planner:
    def __init__(self, known: dict[str, SubmittedWork]) -> None:
        self.known = known
        self.approve: list[str] = []
        self.reject: list[tuple[str, str]] = []
        self.problems: list[tuple[int, str]] = []
        self.seen: set[str] = set()
        self.blank = self.settled = 0

    def take(self, row: Row) -> None:
        assignment_id = row.cells["AssignmentId"].strip()
        approve, reason = row.cells["Approve"].strip(), row.cells["Reject"].strip()
        if not approve and not reason:
            self.blank += 1
            return
        problem = self._problem(assignment_id, approve, reason)
        if problem:
            self.problems.append((row.line, problem))
            return
        self.seen.add(assignment_id)
        status = self.known[assignment_id].status
        if status == ("Approved" if approve else "Rejected"):
            self.settled += 1
        elif approve:
            self.approve.append(assignment_id)
        else:
            self.reject.append((assignment_id, reason))

    def _problem(self, assignment_id: str, approve: str, reason: str) -> str:
        """Why the row cannot be done; "" where it can."""
        if approve and reason:
            return "Approve and Reject are both filled: clear one of them."
        if approve and approve.lower() != "x":
            return f"Approve holds {approve[:40]!r}: write X to approve."
        if len(reason) > MAX_REASON:
            return f"the reason has {len(reason):,} characters; a worker reads at most {MAX_REASON:,}."
        work = self.known.get(assignment_id)
        if work is None:
            return f"no assignment {assignment_id[:64]!r} was submitted for this batch."
        if assignment_id in self.seen:
            return f"the assignment {assignment_id} has a row above."
        if work.status not in ("Submitted", "Approved" if approve else "Rejected"):
            return f"the assignment was {work.status.lower()} before."
        return ""

    def plan(self) -> ReviewPlan:
        return ReviewPlan(tuple(self.approve), tuple(self.reject), tuple(self.problems), self.blank, self.settled)


def apply_review(
    batch: Batch, plan: ReviewPlan, *, confirmed: tuple[int, int], market: Market, tell: Tell, actor: str, now: datetime
) -> None:
    """Send the decisions; begun again, those that were made stay. Raises ChangedError for more than was confirmed.

    Approvals go first: who is paid does not wait for who is not.
    """
    approve, reject = plan.counts()
    # Decisions of an earlier try are settled now: there may be fewer left, never more.
    if approve > confirmed[0] or reject > confirmed[1]:
        raise ChangedError("Assignments were submitted or decided meanwhile. Upload the file again, and confirm again.")
    total = approve + reject
    if total:
        BatchEvent.objects.record(batch, "review_batch", actor=actor, now=now, approve=approve, reject=reject)
    for done, assignment_id in enumerate(plan.approve):
        tell("Approving", done, total)
        market.approve(assignment_id)
    for done, (assignment_id, reason) in enumerate(plan.reject, approve):
        tell("Rejecting", done, total)
        market.reject(assignment_id, feedback=reason)
