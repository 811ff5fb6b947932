"""Leave work out of the analysis: by rules that are fixed first, or by a person's decision. Payment is apart."""

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
from annotation.outbox import decision_intents as deciding
from annotation.quality import applied_rules as reviewing
from annotation.quality.filters import BY_KIND, NEVER_ALONE, rule_of, title_of
from annotation.quality.rules import Rule, known
from annotation.studies import blinding

ANALYSIS = Decision.Matter.ANALYSIS
MOST_NAME, MOST_REASON = 100, 500


@dataclass(frozen=True, slots=True)
class Excluded:
    """Submissions left out by the rules now; `returned`: left out by earlier rules and part of the analysis again."""

    left_out: int
    returned: int


def fix_rules(study: Study, name: str, rules: Sequence[Rule], *, actor: User | None, now: datetime) -> RuleSet:
    """Store a version of the rules; whether results were seen before is stored with it. It leaves nobody out yet."""
    if unknown := [rule.kind for rule in rules if not known(rule.kind)]:
        raise StateError(f"There is no filter called {unknown[0]}.").at("rules")
    if endless := [rule.kind for rule in rules if not math.isfinite(rule.threshold or 0)]:
        raise StateError("A threshold is a finite number.").at(f"{endless[0]}-at")
    if odd := [(rule.kind, why) for rule in rules if (why := _odd(rule))]:
        raise StateError(odd[0][1]).at(f"{odd[0][0]}-at")
    if len({rule.kind for rule in rules}) < len(rules):
        raise StateError("A rule is given twice.").at("rules")
    if rules and all(rule.kind in NEVER_ALONE for rule in rules):
        raise StateError(f"{rule_of(rules[0].kind)} Choose another rule beside it.").at(rules[0].kind)
    if not 1 <= len(name.strip()) <= MOST_NAME:
        raise StateError(f"Rules need a name of at most {MOST_NAME} characters.").at("name")
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
        told = {"version": stored.number, "name": stored.name, "rules": stored.rules, "blind": stored.blind}
        AuditEvent.objects.record(study, "fix_rules", actor=deciding.name_of(actor), now=now, **told)
        return stored


def _odd(rule: Rule) -> str:
    """What is wrong with a rule's threshold; one that people judge by has none."""
    one = BY_KIND.get(rule.kind)
    return one.odd(rule.threshold) if one and rule.threshold is not None else ""


def apply_rules(stored: RuleSet, *, actor: User | None, now: datetime) -> Excluded:
    """Leave out what the version says, in place of what earlier versions left out.

    What a person decided about a single submission stays. Nobody's payment changes.
    """
    study, rules = stored.study, reviewing.rules_of(stored)
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        mine = Decision.objects.filter(submission__hit__study=study, matter=ANALYSIS)
        earlier = set(mine.exclude(rule_set=None).values_list("submission_id", flat=True))
        mine.exclude(rule_set=None).delete()
        by_hand = set(mine.values_list("submission_id", flat=True))
        told: dict[int, list[str]] = {}
        for kind, found in reviewing.left_out_by(study, rules).items():
            for pk in found - by_hand:
                told.setdefault(pk, []).append(kind)
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
            for pk, kinds in sorted(told.items())
        )
        RuleSet.objects.filter(pk=stored.pk).update(applied_at=now)
        done = Excluded(len(told), len(earlier - set(told)))
        counts = {"version": stored.number, "left_out": done.left_out, "returned": done.returned}
        AuditEvent.objects.record(study, "apply_rules", actor=deciding.name_of(actor), now=now, **counts)
    return done


def leave_out(
    study: Study, submissions: QuerySet[Submission], *, reason: str, actor: User | None, now: datetime
) -> int:
    """Leave single submissions out of the analysis by a person's decision; how many that were part of it."""
    if not 1 <= len(reason.strip()) <= MOST_REASON:
        raise StateError(f"Leaving work out of the analysis needs a reason of at most {MOST_REASON} characters.").at(
            "reason"
        )
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        found = list(submissions.filter(hit__study=study).exclude(decisions__verdict="exclude").order_by("pk"))
        deciding.exclude_by_hand(found, reason=reason.strip(), actor=actor, now=now)
        if found:
            AuditEvent.objects.record(
                study, "leave_out", actor=deciding.name_of(actor), now=now, submissions=len(found)
            )
    return len(found)


def take_back_in(study: Study, submissions: QuerySet[Submission], *, actor: User | None, now: datetime) -> int:
    """Keep single submissions in the analysis, whatever rules say; how many had been left out."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        gone = submissions.filter(hit__study=study, decisions__matter=ANALYSIS, decisions__verdict="exclude")
        found = list(gone.order_by("pk"))
        Decision.objects.filter(submission__in=found, matter=ANALYSIS).delete()
        Decision.objects.bulk_create(
            Decision(submission=one, matter=ANALYSIS, verdict="include", actor=actor, at=now) for one in found
        )
        if found:
            AuditEvent.objects.record(
                study, "take_back_in", actor=deciding.name_of(actor), now=now, submissions=len(found)
            )
    return len(found)
