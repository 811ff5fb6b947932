"""manage.py preflight STUDY: check a study before publishing, and show what publishing creates and costs."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.jobs.check_study import check_study
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role
from annotation.pricing.currency import format_money
from annotation.publishing.preflight_result import Preflight
from annotation.settings import endpoint


class Command(StudyCommand):
    help = (
        "Check a designed study before it is published: pages, texts, training, wage, budget, balance. Changes nothing."
    )

    required_role = Role.VIEWER

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--offline", action="store_true", help="do not ask the marketplace")
        parser.add_argument(
            "--by-invitation", action="store_true", help="check as a study that is open by invitation only"
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, _ = self.study_and_actor(options)
        with sentences():
            market = None if options["offline"] else endpoint()
            result = check_study(study, endpoint=market, by_invitation=options["by_invitation"])
        self.stdout.write(
            json.dumps({"schema_version": 1, **result.as_json()}, indent=1)
            if options["json"]
            else describe_preflight(result, currency=study.currency)
        )
        if result.errors:
            raise CommandError(f"{len(result.errors)} errors: the study cannot be published like this.", returncode=2)


def describe_preflight(result: Preflight, *, currency: str) -> str:
    """The findings and the plan, line by line."""
    money = partial(format_money, currency=currency)
    lines = [f"{finding.level.upper()}: {finding.sentence}" for finding in result.findings] or ["No problems found."]
    fees = f"and {money(result.fee_cents)} in fees" if result.fee_cents else "without fees"
    plan = (
        f"Publishing creates {result.hits} HITs with {result.assignments} assignments: "
        f"{money(result.reward_cents)} in rewards {fees}, {money(result.total_cents)} at most."
    )
    return "\n".join([*lines, plan])
