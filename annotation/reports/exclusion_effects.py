"""Read what each rule alone does to the headline measure, as computed last: nothing while results are blinded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotation.models import Job, Study
from annotation.quality.rules import Rule
from annotation.reports.exclusion_rules import named_rule
from annotation.studies import blinding

NO_RULE = "no rule"


@dataclass(frozen=True, slots=True)
class HeadlineChange:
    """A headline measure of a generator, a condition or two sources without rules and with one rule.

    key: which measure of simulated studies it is (see `KeyMeasure` in `annotation.quality`). percent: a share.
    middle: at which value neither side is ahead.
    """

    name: str
    before: float
    after: float
    key: str = ""
    percent: bool = False
    middle: float | None = None

    @property
    def change(self) -> float:
        """The change; away from the middle above 0, where there is one, whichever side is ahead."""
        change = self.after - self.before
        return -change if self.middle is not None and self.before < self.middle else change


def stored_effects(study: Study) -> dict[str, Any]:
    """What the latest job has computed; empty while results are blinded, and before the first job."""
    if blinding.seen_at(study) is None:
        return {}
    done = study.jobs.filter(kind=Job.Kind.EXCLUSIONS, state=Job.State.DONE).order_by("-created_at").first()
    return done.outcome if done else {}


def headline_changes(effects: dict[str, Any], rule: Rule) -> tuple[HeadlineChange, ...]:
    """By measure, of `stored_effects`; empty where nothing was computed for this rule and threshold."""
    return (*_of_selections(effects, named_rule(rule)), *_of_answers(effects, named_rule(rule)))


def _of_selections(outcome: dict[str, Any], rule: str) -> Iterator[HeadlineChange]:
    """HUSE or accuracy."""
    for part in outcome.get("generators", ()):
        # Columns: rules, assignments, ratings, fewest ratings (or evaluators left), value.
        values = {row[0]: row[4] for row in part["rows"]}
        before, after = values.get(NO_RULE), values.get(rule)
        if before is not None and after is not None:
            yield HeadlineChange(part["name"], before, after, part.get("key", ""), part.get("percent", False))


def _of_answers(outcome: dict[str, Any], rule: str) -> Iterator[HeadlineChange]:
    """Means, shares and win rates."""
    for part in outcome.get("headlines", ()):
        after = {row[0]: row[2] for row in part["rows"]}.get(rule)
        if part["before"] is not None and after is not None:
            yield HeadlineChange(part["name"], part["before"], after, part["key"], part["percent"], part["middle"])
