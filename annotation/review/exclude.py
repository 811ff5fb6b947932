"""Exclude submissions from the analysis, by rules that are locked first or by a person's decision. Pay is untouched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Max, QuerySet

from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Decision, RuleSet, Study, Submission
from annotation.outbox import decision_intents
from annotation.quality import applied_rules
from annotation.quality.filters import BY_KIND, NEVER_ALONE, rule_without_code, title_of
from annotation.quality.rules import Rule, known
from annotation.studies import blinding

ANALYSIS = Decision.Matter.ANALYSIS
MAX_NAME_CHARS, MAX_REASON_CHARS = 100, 500


@dataclass(frozen=True, slots=True)
class Excluded:
    """Submissions left out by the rules now; `returned`: left out by earlier rules and part of the analysis again."""

    left_out: int
    returned: int


def fix_rules(study: Study, name: str, rules: Sequence[Rule], *, actor: User | None, now: datetime) -> RuleSet:
    """Store a version of the rules; whether results were seen before is stored with it. It excludes nothing yet."""
    if unknown := [rule.kind for rule in rules if not known(rule.kind)]:
        raise StateError(f"There is no quality check called {unknown[0]}.").at("rules")
    if endless := [rule.kind for rule in rules if not math.isfinite(rule.threshold or 0)]:
        raise StateError("A threshold is a finite number.").at(f"{endless[0]}-at")
    if odd := [(rule.kind, why) for rule in rules if (why := _odd(rule))]:
        raise StateError(odd[0][1]).at(f"{odd[0][0]}-at")
    if len({rule.kind for rule in rules}) < len(rules):
        raise StateError("A rule is given twice.").at("rules")
    if rules and all(rule.kind in NEVER_ALONE for rule in rules):
        raise StateError(f"{rule_without_code(rules[0].kind)} Add another rule.").at(rules[0].kind)
    if not 1 <= len(name.strip()) <= MAX_NAME_CHARS:
        raise StateError(f"Rules need a name of at most {MAX_NAME_CHARS} characters.").at("name")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        last = study.rule_sets.aggregate(last=Max("number"))["last"] or 0
        stored = RuleSet.objects.create(
            study=study,
            number=last + 1,
            name=name.strip(),
            rules=[[rule.kind, rule.threshold] for rule in rules],
            blind=blinding.seen_at(study) is None,
            actor=actor,
            fixed_at=now,
        )
        details = {"version": stored.number, "name": stored.name, "rules": stored.rules, "blind": stored.blind}
        AuditEvent.objects.record(study, "fix_rules", actor=decision_intents.name_of(actor), now=now, **details)
        return stored


def _odd(rule: Rule) -> str:
    """What is wrong with a rule's threshold; one that people judge by has none."""
    check = BY_KIND.get(rule.kind)
    return check.odd(rule.threshold) if check and rule.threshold is not None else ""


def apply_rules(stored: RuleSet, *, actor: User | None, now: datetime) -> Excluded:
    """Exclude what this version of the rules excludes, in place of what earlier versions excluded.

    What a person decided about a single submission stays. Payments do not change.
    """
    study, rules = stored.study, applied_rules.rules_of(stored)
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        mine = Decision.objects.filter(submission__hit__study=study, matter=ANALYSIS)
        earlier = set(mine.exclude(rule_set=None).values_list("submission_id", flat=True))
        mine.exclude(rule_set=None).delete()
        by_hand = set(mine.values_list("submission_id", flat=True))
        kinds_by_pk: dict[int, list[str]] = {}
        for kind, pks in applied_rules.left_out_by(study, rules).items():
            for pk in pks - by_hand:
                kinds_by_pk.setdefault(pk, []).append(kind)
        Decision.objects.bulk_create(
            Decision(
                submission_id=pk,
                matter=ANALYSIS,
                verdict="exclude",
                reason=f"{stored}: {', '.join(map(title_of, kinds))}",
                actor=actor,
                rule_set=stored,
                at=now,
            )
            for pk, kinds in sorted(kinds_by_pk.items())
        )
        RuleSet.objects.filter(pk=stored.pk).update(applied_at=now)
        done = Excluded(len(kinds_by_pk), len(earlier - set(kinds_by_pk)))
        counts = {"version": stored.number, "left_out": done.left_out, "returned": done.returned}
        AuditEvent.objects.record(study, "apply_rules", actor=decision_intents.name_of(actor), now=now, **counts)
    return done


def exclude_submissions(
    study: Study, submissions: QuerySet[Submission], *, reason: str, actor: User | None, now: datetime
) -> int:
    """Exclude single submissions from the analysis by a person's decision; return how many were part of it."""
    if not 1 <= len(reason.strip()) <= MAX_REASON_CHARS:
        raise StateError(f"Excluding a submission needs a reason of 1 to {MAX_REASON_CHARS} characters.").at("reason")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        included = list(submissions.filter(hit__study=study).exclude(decisions__verdict="exclude").order_by("pk"))
        decision_intents.exclude_by_hand(included, reason=reason.strip(), actor=actor, now=now)
        if included:
            AuditEvent.objects.record(
                study, "leave_out", actor=decision_intents.name_of(actor), now=now, submissions=len(included)
            )
    return len(included)


def include_submissions(study: Study, submissions: QuerySet[Submission], *, actor: User | None, now: datetime) -> int:
    """Include single submissions in the analysis, whatever the rules say; return how many had been excluded."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        matches = submissions.filter(hit__study=study, decisions__matter=ANALYSIS, decisions__verdict="exclude")
        excluded = list(matches.order_by("pk"))
        Decision.objects.filter(submission__in=excluded, matter=ANALYSIS).delete()
        Decision.objects.bulk_create(
            Decision(submission=submission, matter=ANALYSIS, verdict="include", actor=actor, at=now)
            for submission in excluded
        )
        if excluded:
            AuditEvent.objects.record(
                study, "take_back_in", actor=decision_intents.name_of(actor), now=now, submissions=len(excluded)
            )
    return len(excluded)
