"""Reads: the rules whose effect on the results a report tells, with the work that each leaves out (method 4)."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.models import Evidence, Study
from annotation.quality import applied_rules as reviewing
from annotation.quality.filters import NEVER_ALONE, OF_TEXTS, SENSITIVITY, STYLE, title_of
from annotation.quality.rules import Rule
from annotation.reports import report_rows as particulars
from metrics.report.row_records import RuleFacts


def rules(study: Study, only: Sequence[str] = ()) -> tuple[RuleFacts, ...] | None:
    """The study's rules (where no version holds: what raises flags by default, but for how somebody writes), then each
    other rule that raises flags by default alone.

    only: these filters instead. None where no filter has measured the work.
    """
    if not Evidence.objects.filter(submission__hit__study=study).exists():
        return None
    stored = reviewing.rule_set(study)
    chosen = tuple(Rule(kind) for kind in only) or (reviewing.rules_of(stored) if stored else ())
    # What texts lose follows from the work that is left out; every selection counts all texts.
    chosen = tuple(rule for rule in chosen if rule.kind not in OF_TEXTS)
    joined = chosen or tuple(Rule(kind) for kind in SENSITIVITY)
    beside = () if only else tuple(Rule(kind) for kind in (*SENSITIVITY, *STYLE) if Rule(kind) not in joined)
    ids = particulars.numbers(study)
    told = []
    for given, alone in ((joined, False), (beside, True)):
        # A selection of rules may come down to one: what may not leave work out alone stays idle.
        gone = reviewing.left_out_by(study, given) | {kind: set() for kind in NEVER_ALONE}
        told += [RuleFacts(_named(rule), tuple(sorted(ids[pk] for pk in gone[rule.kind])), alone) for rule in given]
    return tuple(told)


def _named(rule: Rule) -> str:
    title = title_of(rule.kind)
    return title if rule.threshold is None else f"{title} ({rule.threshold:g})"
