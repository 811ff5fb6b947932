"""What is to be done about the quality of a study's work: one thing at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from annotation.models import Evidence, RuleSet, Study, Submission
from annotation.quality import applied_rules

Kind = Literal["wait", "check", "lock", "apply", "apply_again", "done"]


@dataclass(frozen=True, slots=True)
class QualityStep:
    """kind: wait for submissions, check them, lock rules, apply them, apply them to newer work too, or nothing.

    count: the submissions that are unchecked, or newer than the rules. rules: the version to apply or in use.
    """

    kind: Kind
    count: int = 0
    rules: RuleSet | None = None


def quality_step(study: Study) -> QualityStep:
    """The step that comes first."""
    submissions = Submission.objects.filter(hit__study=study).exclude(raw_format=Submission.WITHDRAWN)
    total = submissions.count()
    if not total:
        return QualityStep("wait")
    unchecked = total - Evidence.objects.filter(submission__in=submissions).count()
    if unchecked > 0:
        return QualityStep("check", unchecked)
    newest = study.rule_sets.order_by("-number").first()
    if newest is None:
        return QualityStep("lock")
    in_use = applied_rules.rule_set(study)
    if in_use is None or (newest.applied_at is None and newest.number > in_use.number):
        return QualityStep("apply", rules=newest)
    newer = submissions.filter(received_at__gt=in_use.applied_at).count()
    return QualityStep("apply_again" if newer else "done", newer, in_use)
