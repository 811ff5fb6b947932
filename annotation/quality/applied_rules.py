"""Read which rules apply to a study and which submissions they exclude."""

from __future__ import annotations

from django.db.models import (
    Q,
)

from annotation.models import (
    Decision,
    Evidence,
    Flag,
    RuleSet,
    Study,
)
from annotation.quality.filters import BY_FLAG, BY_KIND, NEVER_ALONE, OF_TEXTS
from annotation.quality.rules import Rule


def rule_set(study: Study) -> RuleSet | None:
    """The version of the rules that holds: the one that was applied last, which need not be the newest."""
    return RuleSet.objects.filter(study=study).exclude(applied_at=None).order_by("-applied_at", "-number").first()


def rules_of(stored: RuleSet) -> tuple[Rule, ...]:
    """The rules of a version."""
    return tuple(Rule(kind, threshold) for kind, threshold in stored.rules)


def left_out_by(study: Study, rules: tuple[Rule, ...]) -> dict[str, set[int]]:
    """Return the submissions (primary keys) that each rule excludes, by kind.

    A rule that may not exclude alone only joins what the other rules exclude.
    """
    measured = Evidence.objects.filter(submission__hit__study=study)
    by_hand = Flag.objects.filter(submission__hit__study=study)
    by_kind: dict[str, set[int]] = {rule.kind: set() for rule in rules if rule.kind in OF_TEXTS}
    for rule in rules:
        if rule.kind in OF_TEXTS:
            continue
        rows = by_hand.filter(kind=rule.kind) if rule.kind in BY_FLAG else measured.filter(beyond(rule))
        by_kind[rule.kind] = set(rows.values_list("submission_id", flat=True))
    others = set().union(*(pks for kind, pks in by_kind.items() if kind not in NEVER_ALONE))
    return {kind: pks & others if kind in NEVER_ALONE else pks for kind, pks in by_kind.items()}


def beyond(rule: Rule) -> Q:
    """Evidence for which a rule `holds`."""
    check = BY_KIND[rule.kind]
    value, side = f"findings__{rule.kind}__0", {"above": "gt", "from": "gte", "below": "lt"}[check.beyond]
    # PostgreSQL puts JSON's null below every number.
    return ~Q(**{value: None}) & Q(
        **{f"{value}__{side}": rule.cut, f"findings__{rule.kind}__3__gte": check.min_observations}
    )


def left_out(study: Study) -> dict[int, bool]:
    """Return submissions (primary keys) excluded from the analysis, and whether a person decided so."""
    rows = Decision.objects.filter(submission__hit__study=study, matter="analysis", verdict="exclude")
    return {pk: rule_set is None for pk, rule_set in rows.values_list("submission_id", "rule_set_id")}
