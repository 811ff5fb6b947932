"""The results of a batch in the columns of Mechanical Turk's requester site."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from annotation.hits.batches.queries import BatchWork
from annotation.models import Batch, BatchEvent
from annotation.mturk.answer_xml import read_answers
from annotation.mturk.records import SubmittedWork

HIT = (
    "HITId",
    "HITTypeId",
    "Title",
    "Description",
    "Keywords",
    "Reward",
    "CreationTime",
    "MaxAssignments",
    "RequesterAnnotation",
    "AssignmentDurationInSeconds",
    "AutoApprovalDelayInSeconds",
    "Expiration",
    "NumberOfSimilarHITs",
    "LifetimeInSeconds",
)
ASSIGNMENT = (
    "AssignmentId",
    "WorkerId",
    "AssignmentStatus",
    "AcceptTime",
    "SubmitTime",
    "AutoApprovalTime",
    "ApprovalTime",
    "RejectionTime",
    "RequesterFeedback",
    "WorkTimeInSeconds",
)
RATES = {"LifetimeApprovalRate": None, "Last30DaysApprovalRate": 30, "Last7DaysApprovalRate": 7}
REVIEW = ("Approve", "Reject")
PACIFIC = ZoneInfo("America/Los_Angeles")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# What a spreadsheet takes for the beginning of a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def file_names(batch: Batch) -> tuple[str, str]:
    """The file for programs, and its copy for spreadsheets."""
    return f"Batch_{batch.number}_batch_results.csv", f"Batch_{batch.number}_for_spreadsheets.csv"


def write_results(batch: Batch, works: Iterable[BatchWork], folder: Path, *, now: datetime, actor: str) -> int:
    """Write both files into `folder`; return the number of assignments. The copy's formulas have an apostrophe."""
    rows = [(each, work, read_answers(work.answer)) for each in works for work in each.work]
    decided = _decisions(work for _, work, _ in rows)
    answers = sorted({f"Answer.{name}" for _, _, answer in rows for name in answer})
    header = [*HIT, *ASSIGNMENT, *RATES, *(f"Input.{name}" for name in batch.columns), *answers, *REVIEW]
    lines = []
    for each, work, answer in rows:
        cells = {
            **_hit_cells(batch, each),
            **_assignment_cells(work),
            **{name: _rate(decided.get(work.worker_id, ()), days, now) for name, days in RATES.items()},
            **{f"Input.{name}": cell for name, cell in each.row.cells.items()},
            **{f"Answer.{name}": text for name, text in answer.items()},
        }
        lines.append([cells.get(name, "") for name in header])
    plain, guarded = file_names(batch)
    _write(folder / plain, [header, *lines])
    _write(folder / guarded, [header, *([_guarded(cell) for cell in line] for line in lines)])
    BatchEvent.objects.record(batch, "gather_results", actor=actor, now=now, assignments=len(lines))
    return len(lines)


def _write(path: Path, lines: Sequence[Sequence[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(lines)


def _guarded(cell: str) -> str:
    return "'" + cell if cell.startswith(FORMULA) else cell


def _hit_cells(batch: Batch, each: BatchWork) -> dict[str, str]:
    return {
        "HITId": each.hit.market_id,
        "HITTypeId": each.hit.type_id,
        "Title": batch.title,
        "Description": batch.description,
        "Keywords": batch.keywords,
        "Reward": f"${batch.reward_cents // 100}.{batch.reward_cents % 100:02d}",
        "CreationTime": moment(each.hit.created_at),
        "MaxAssignments": str(each.hit.places),
        "RequesterAnnotation": each.hit.annotation,
        "AssignmentDurationInSeconds": str(batch.assignment_seconds),
        "AutoApprovalDelayInSeconds": str(batch.auto_approval_seconds),
        "Expiration": moment(each.hit.expires_at),
    }


def _assignment_cells(work: SubmittedWork) -> dict[str, str]:
    return {
        "AssignmentId": work.assignment_id,
        "WorkerId": work.worker_id,
        "AssignmentStatus": work.status,
        "AcceptTime": moment(work.accepted_at),
        "SubmitTime": moment(work.submitted_at),
        "AutoApprovalTime": moment(work.approves_at),
        "ApprovalTime": moment(work.approved_at),
        "RejectionTime": moment(work.rejected_at),
        "RequesterFeedback": work.feedback,
        "WorkTimeInSeconds": _seconds_between(work.accepted_at, work.submitted_at),
    }


def _seconds_between(accepted: datetime, submitted: datetime) -> str:
    """Empty where the marketplace's clock was set back in between: nothing is known then."""
    return str(int((submitted - accepted).total_seconds())) if submitted >= accepted else ""


def moment(at: datetime | None) -> str:
    """A time as the requester site wrote it: Pacific, English, without regard to the machine's language."""
    if at is None:
        return ""
    local = at.astimezone(PACIFIC)
    day, month = _DAYS[local.weekday()], _MONTHS[local.month - 1]
    return f"{day} {month} {local:%d %H:%M:%S} {local.tzname()} {local.year}"


def _decisions(works: Iterable[SubmittedWork]) -> Mapping[str, list[tuple[datetime, bool]]]:
    """For each worker when work of this batch was decided, and whether it was approved."""
    decisions: dict[str, list[tuple[datetime, bool]]] = {}
    for work in works:
        at = work.approved_at or work.rejected_at
        if at is not None:
            decisions.setdefault(work.worker_id, []).append((at, work.status == "Approved"))
    return decisions


def _rate(decisions: Sequence[tuple[datetime, bool]], days: int | None, now: datetime) -> str:
    counted = [approved for at, approved in decisions if days is None or at > now - timedelta(days=days)]
    good, total = sum(counted), len(counted)
    return f"{100 * good // total if total else 0}% ({good}/{total})"
