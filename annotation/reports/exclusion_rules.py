"""Read the rules whose effect on the results a report shows, with the work that each excludes (method 4)."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.models import Evidence, Study
from annotation.quality import applied_rules
from annotation.quality.filters import NEVER_ALONE, OF_TEXTS, SENSITIVITY, STYLE, title_of
from annotation.quality.rules import Rule
from annotation.reports import report_rows
from metrics.report.row_records import RuleFacts


def rules(study: Study, only: Sequence[str] = ()) -> tuple[RuleFacts, ...] | None:
    """The study's rules (where no version holds: what raises flags by default, but for the style of writing), then each
    other rule that raises flags by default alone.

    only: these filters instead. None where no filter has measured the work.
    """
    if not Evidence.objects.filter(submission__hit__study=study).exists():
        return None
    stored = applied_rules.rule_set(study)
    chosen = tuple(Rule(kind) for kind in only) or (applied_rules.rules_of(stored) if stored else ())
    # What texts lose follows from the excluded work; every selection counts all texts.
    chosen = tuple(rule for rule in chosen if rule.kind not in OF_TEXTS)
    joined = chosen or tuple(Rule(kind) for kind in SENSITIVITY)
    separate = () if only else tuple(Rule(kind) for kind in (*SENSITIVITY, *STYLE) if Rule(kind) not in joined)
    ids = report_rows.numbers(study)
    facts = []
    for group, alone in ((joined, False), (separate, True)):
        # A selection of rules may come down to one: a rule that may not exclude alone stays idle.
        excluded = applied_rules.left_out_by(study, group) | {kind: set() for kind in NEVER_ALONE}
        facts += [
            RuleFacts(named_rule(rule), tuple(sorted(ids[pk] for pk in excluded[rule.kind])), alone) for rule in group
        ]
    return tuple(facts)


def named_rule(rule: Rule) -> str:
    title = title_of(rule.kind)
    return title if rule.threshold is None else f"{title} ({rule.threshold:g})"
