"""How many honest people each rule would wrong, counted on people simulated for the study's own design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Study, Text
from annotation.quality import applied_rules
from annotation.quality.check_counts import check_counts, count_beyond
from annotation.quality.filters import BY_KIND, NAMED_SETS
from annotation.quality.honest_groups import GROUPS, PEOPLE, simulate_honest_people
from annotation.quality.rules import Rule
from annotation.quality.work_table import QualityCheck

ALLOWED = 0.02  # of a group
MAX_TEXTS = 2000
USUAL_LABELS = 6
USUAL_WORDS = 20
GROUP_NAMES = {
    "terse": gettext_lazy("who write tersely"),
    "dictating": gettext_lazy("who dictate"),
    "second_language": gettext_lazy("who write in a second language"),
    "screen_reader": gettext_lazy("who use a screen reader"),
    "very_slow": gettext_lazy("who read very slowly"),
    "very_fast": gettext_lazy("who read very fast"),
}


@dataclass(frozen=True, slots=True)
class RuleFairness:
    """A rule, and how many of PEOPLE simulated honest people of each group it would exclude."""

    check: QualityCheck
    wronged: dict[str, int]
    people: int = PEOPLE

    @property
    def worst(self) -> int:
        return max(self.wronged.values(), default=0)

    @property
    def unfair(self) -> bool:
        """Whether it would exclude more than 2% of a group."""
        return self.worst > ALLOWED * self.people

    @property
    def groups(self) -> list[tuple[Any, int]]:
        """The groups of whom it would exclude somebody, in words, the most concerned first."""
        hit = [(name, n) for name, n in self.wronged.items() if n]
        return [(GROUP_NAMES[name], n) for name, n in sorted(hit, key=lambda row: -row[1])]

    @property
    def sentence(self) -> str:
        """How many honest people it would wrong, in words."""
        if not self.worst:
            return _("“%(rule)s” would exclude no simulated honest person.") % {"rule": self.check.title}
        parts = ", ".join(f"{n} of {self.people} {name}" for name, n in self.groups)
        return _("“%(rule)s” would exclude honest people (simulated): %(parts)s.") % {
            "rule": self.check.title,
            "parts": parts,
        }


def chosen_rules(study: Study) -> tuple[Rule, ...]:
    """The newest locked version of the rules; before there is one, the default rules."""
    newest = study.rule_sets.order_by("-number").first()
    return applied_rules.rules_of(newest) if newest else tuple(Rule(kind) for kind in NAMED_SETS["default"].kinds)


def text_lengths(study: Study) -> list[int]:
    """Words of each of the study's first texts with its context, at least one; a usual length where there is none."""
    bodies = Text.objects.filter(study=study).order_by("pk").values_list("body", "context__body")[:MAX_TEXTS]
    words = [len(body.split()) + len((context or "").split()) for body, context in bodies]
    return [max(n, 1) for n in words] or [USUAL_WORDS]


def wronged_by(study: Study, rules: Sequence[Rule]) -> list[RuleFairness]:
    """Try the rules on honest people who are simulated for the lengths of the study's texts and the size of its tasks.

    Rules that look at what this study asks of nobody (checks, gold, practice) wrong nobody here. Explanations are
    simulated for every fifth text, whether the study asks for them or not.
    """
    labels = study.scale.labels.count() if study.scale_id else USUAL_LABELS
    crowd = simulate_honest_people(text_lengths(study), per_task=max(study.texts_per_hit, 1), labels=max(labels, 2))
    group = np.array(crowd.group)
    results = []
    for rule in rules:
        check = BY_KIND.get(rule.kind)
        if check is None:
            continue
        raised = check.raised(check.measure(crowd.work), rule.cut)
        results.append(RuleFairness(check, {name: int(raised[group == name].sum()) for name in GROUPS}))
    return results


@dataclass(frozen=True, slots=True)
class RuleNow:
    """A rule that can apply to this study: how many submissions it concerns now, and whom it would wrong."""

    rule: Rule
    check: QualityCheck
    submissions: int
    fairness: RuleFairness


def possible_rules(study: Study) -> list[Rule]:
    """Rules that exclude by default, are chosen, or raise flags, and that measured something in this study; all of them
    where no check has run."""
    chosen = {rule.kind: rule for rule in chosen_rules(study)}
    rules = [
        chosen.get(check.kind, Rule(check.kind))
        for check in BY_KIND.values()
        if check.kind in chosen or check.default or (check.flags and not check.circular)
    ]
    measured = check_counts(study)
    return [rule for rule in rules if rule.kind in measured or not measured]


def rules_now(study: Study) -> list[RuleNow]:
    """The possible rules, with how many submissions each concerns and whom it would wrong; none before checks ran."""
    possible = possible_rules(study) if check_counts(study) else []
    counts = count_beyond(study, possible)
    by_kind = {rule.kind: rule for rule in possible}
    return [
        RuleNow(by_kind[row.check.kind], row.check, counts[row.check.kind], row) for row in wronged_by(study, possible)
    ]
