"""Facts that contradict each other: a report that states both would be false, so it is not made."""

from __future__ import annotations

from collections.abc import Iterator

from metrics.errors import BadInput
from metrics.report.records import ReportInput
from metrics.report.wording import plural


def check_consistency(report_input: ReportInput) -> None:
    """Raise BadInput, naming both facts, for the first two that disagree. What is not known disagrees with nothing."""
    for sentence in _disagreements(report_input):
        raise BadInput(f"two facts disagree: {sentence}", where=f"study {report_input.study.name}")


def _disagreements(report_input: ReportInput) -> Iterator[str]:
    crowd, study = report_input.crowd, report_input.study
    if crowd.submitted is not None:
        submitted = f"{plural(crowd.submitted, 'submission')} in crowd.submitted"
        decided = (crowd.approved or 0) + (crowd.rejected or 0)
        if decided > crowd.submitted:
            yield f"{submitted}, and {decided} in crowd.approved and crowd.rejected"
        if (crowd.excluded or 0) > crowd.submitted:
            yield f"{submitted}, and {crowd.excluded} in crowd.excluded"
        if report_input.assignments and len(report_input.assignments) != crowd.submitted:
            yield f"{submitted}, and {plural(len(report_input.assignments), 'row')} in assignments"
    yield from _of_assignments(report_input)
    people = len({rating.rater for rating in report_input.ratings})
    if crowd.workers is not None and people > crowd.workers:
        yield f"{plural(crowd.workers, 'rater')} in crowd.workers, and {people} in ratings.rater"
    if study.collected_from and study.collected_to and study.collected_from > study.collected_to:
        yield "study.collected_from is after study.collected_to"


def _of_assignments(report_input: ReportInput) -> Iterator[str]:
    rows, crowd = report_input.assignments, report_input.crowd
    if not rows:
        return
    excluded = sum(not row.kept for row in rows)
    if crowd.excluded is not None and crowd.excluded != excluded:
        yield f"{crowd.excluded} excluded in crowd.excluded, and {excluded} in assignments.kept"
    people = len({row.rater for row in rows})
    if crowd.workers is not None and crowd.workers != people:
        yield f"{plural(crowd.workers, 'rater')} in crowd.workers, and {people} in assignments.rater"
