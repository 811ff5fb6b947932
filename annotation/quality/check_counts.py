"""How many submissions of a study each check measured, and how many lie beyond its threshold.

The run of the checks stores the counts, so that pages need not read what was measured of every submission. They are
deleted where answers are withdrawn, until the checks run again; what is not stored is counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db.models import Count

from annotation.models import CheckCounts, Evidence, Study
from annotation.quality import applied_rules
from annotation.quality.filters import BY_KIND
from annotation.quality.measure import Assessment
from annotation.quality.rules import Rule


@dataclass(frozen=True, slots=True)
class CheckCount:
    """Submissions that a check measured, and those that lie beyond its default threshold."""

    measured: int
    beyond: int


def store_counts(study: Study, assessment: Assessment, *, now: datetime) -> None:
    """Replace the study's counts by those of an assessment."""
    counts = {
        kind: [int(((measured.n > 0) & ~np.isnan(measured.value)).sum()), int(assessment.raised[kind].sum())]
        for kind, measured in assessment.measured.items()
    }
    CheckCounts.objects.update_or_create(study=study, defaults={"counts": counts, "measured_at": now})


def check_counts(study: Study) -> dict[str, CheckCount]:
    """Counts by kind of check, of the checks that measured something."""
    stored = CheckCounts.objects.filter(study=study).values_list("counts", flat=True).first()
    if stored is None:
        stored = _counted(study)
    return {kind: CheckCount(*row) for kind, row in stored.items() if row[0]}


def count_beyond(study: Study, rules: Iterable[Rule]) -> dict[str, int]:
    """How many submissions lie beyond each rule's threshold, by kind: stored for default thresholds, else counted."""
    stored, rules = check_counts(study), list(rules)
    counts = {rule.kind: stored[rule.kind].beyond for rule in rules if rule.kind in stored and _is_default(rule)}
    others = [rule for rule in rules if rule.kind in BY_KIND and not _is_default(rule)]
    if others:
        measured = Evidence.objects.filter(submission__hit__study=study)
        counts |= measured.aggregate(**{rule.kind: Count("pk", filter=applied_rules.beyond(rule)) for rule in others})
    return counts


def _is_default(rule: Rule) -> bool:
    return rule.threshold is None or rule.threshold == BY_KIND[rule.kind].threshold


def _counted(study: Study) -> dict[str, tuple[int, int]]:
    """The same counts from what was measured of each submission."""
    measured, counts = Evidence.objects.filter(submission__hit__study=study), dict.fromkeys(BY_KIND, (0, 0))
    rules = {kind: Rule(kind) for kind in BY_KIND}
    for findings in measured.values_list("findings", flat=True).iterator(chunk_size=2000):
        for kind in findings.keys() & rules.keys():
            n, beyond = counts[kind]
            counts[kind] = n + 1, beyond + rules[kind].holds(findings, frozenset())
    return counts
