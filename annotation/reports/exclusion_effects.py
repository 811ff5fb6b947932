"""Read what each rule alone does to the headline measure, as computed last: nothing while results are blinded."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.models import Job, Study
from annotation.quality.filters import title_of
from annotation.quality.rules import Rule
from annotation.studies import blinding

NO_RULE = "no rule"


@dataclass(frozen=True, slots=True)
class HeadlineChange:
    """The headline measure of a generator (or an evaluators' condition) without rules and with one rule."""

    name: str
    before: float
    after: float


def headline_changes(study: Study, rule: Rule) -> tuple[HeadlineChange, ...]:
    """By generator; empty while results are blinded, and where nothing was computed for this rule and threshold."""
    if blinding.seen_at(study) is None:
        return ()
    done = study.jobs.filter(kind=Job.Kind.EXCLUSIONS, state=Job.State.DONE).order_by("-created_at").first()
    if done is None:
        return ()
    title = title_of(rule.kind)
    named = title if rule.threshold is None else f"{title} ({rule.threshold:g})"
    changes = []
    for part in done.outcome["generators"]:
        # Columns: rules, assignments, ratings, fewest ratings (or evaluators left), value.
        values = {row[0]: row[4] for row in part["rows"]}
        before, after = values.get(NO_RULE), values.get(named)
        if before is not None and after is not None:
            changes.append(HeadlineChange(part["name"], before, after))
    return tuple(changes)
