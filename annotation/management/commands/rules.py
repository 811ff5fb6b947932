"""manage.py rules STUDY: list, lock and apply exclusion rules."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role, RuleSet
from annotation.quality.filters import NAMED_SETS
from annotation.quality.rules import Rule, rules_from
from annotation.review.exclude import apply_rules, fix_rules


def rule(text: str) -> Rule:
    """FILTER, or FILTER=THRESHOLD."""
    kind, equals, threshold = text.partition("=")
    try:
        return Rule(kind, float(threshold) if equals else None)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} does not have the form FILTER=THRESHOLD") from None


class Command(StudyCommand):
    help = (
        "List the versions of a study's exclusion rules, lock a new one (not applied yet), or apply one. "
        "Payment never changes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        deed = parser.add_mutually_exclusive_group()
        deed.add_argument("--fix", metavar="NAME", help="lock the rules of --set and --rule as a version")
        deed.add_argument("--apply", type=int, metavar="NUMBER", help="exclude submissions by that version")
        named_sets = "; ".join(f"{name}: {rules.title}. {rules.about}" for name, rules in NAMED_SETS.items())
        parser.add_argument(
            "--set", dest="named_set", choices=[*NAMED_SETS], default="", help=f"start from {named_sets}"
        )
        parser.add_argument("--rule", type=rule, action="append", default=[], metavar="FILTER=THRESHOLD")

    def handle(self, *args: Any, **options: Any) -> None:
        changes = options["fix"] or options["apply"] is not None
        study, user, _ = self.study_and_actor(options, Role.EDITOR if changes else Role.VIEWER)
        with sentences():
            if options["fix"]:
                rules = rules_from(options["named_set"], options["rule"])
                fix_rules(study, options["fix"], rules, actor=user, now=timezone.now())
            if options["apply"] is not None:
                stored = study.rule_sets.filter(number=options["apply"]).first()
                if stored is None:
                    raise CommandError("The study has no such version of the rules.", returncode=2)
                done = apply_rules(stored, actor=user, now=timezone.now())
                self.stdout.write(f"{done.left_out} submissions excluded, {done.returned} included again.")
        for rule_set in study.rule_sets.order_by("number"):
            self.stdout.write(_describe(rule_set))


def _describe(rule_set: RuleSet) -> str:
    rules = ", ".join(kind if at is None else f"{kind}={at:g}" for kind, at in rule_set.rules) or "none"
    when = f"applied {rule_set.applied_at:%Y-%m-%d %H:%M}" if rule_set.applied_at else "not applied"
    seen = "blind" if rule_set.blind else "after results were seen"
    return f"{rule_set.number}  {rule_set.name}: {rules} ({seen}; {when})"
