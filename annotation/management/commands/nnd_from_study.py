"""manage.py nnd_from_study STUDY --out FILE: create near-negative tests from a study's ratings."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role
from annotation.reports.nnd_tests import Rule, make_tests
from annotation.reports.take_snapshot import look_at_results
from annotation.studies.blinding import seen_at
from metrics.cli.nnd_build import table
from metrics.data.to_json import json_text
from metrics.errors import MetricsError
from metrics.nnd.documents import tests_json


class Command(StudyCommand):
    help = "Create near-negative tests from a finished study. `python -m metrics nnd run FILE --model PATH` runs them."

    required_role = Role.VIEWER

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the tests, as JSON")
        parser.add_argument("--rule", choices=("mean", "majority", "labels"), default="mean", help="what is better")
        parser.add_argument("--best", metavar="LABEL", help="majority: the top label; labels: the one without error")
        parser.add_argument("--better", action="append", metavar="A>B>C", default=[], help="labels: the better first")
        parser.add_argument("--minimum-gap", default="0", metavar="GAP", help="mean: smallest gap of two means (0)")
        parser.add_argument("--minimum-ratings", type=int, default=1, help="texts with fewer are excluded (default 1)")
        pooled = parser.add_mutually_exclusive_group()
        pooled.add_argument("--one-context", action="store_true", help="texts without a context share one")
        pooled.add_argument("--by-hit", action="store_true", help="texts without a context share that of their HIT")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        if seen_at(study) is None:
            self.study_and_actor(options, Role.REVIEWER)
        with sentences():
            if warning := look_at_results(study, actor=actor, reason="near-negative tests", now=timezone.now()):
                self.stderr.write(warning)
            try:
                tests = make_tests(study, rule=self._rule(options))
            except MetricsError as error:
                raise CommandError(f"The study {study} makes no tests: {error}", returncode=2) from None
        try:
            options["out"].write_text(json_text(tests_json(tests)), encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{options['out']} cannot be written: {error.strerror}.", returncode=2) from None
        self.stdout.write(f"{table(tests)}{options['out']}")

    def _rule(self, options: dict[str, Any]) -> Rule:
        try:
            gap = Fraction(options["minimum_gap"])
        except (ValueError, ZeroDivisionError):
            raise CommandError(f"--minimum-gap is a number, not {options['minimum_gap']!r}.", returncode=2) from None
        if gap < 0:
            raise CommandError("--minimum-gap is at least 0.", returncode=2)
        chains = [[label.strip() for label in chain.split(">")] for chain in options["better"]]
        return Rule(
            kind=options["rule"],
            best=options["best"],
            better=tuple(pair for chain in chains for pair in pairwise(chain)),
            minimum_gap=gap,
            minimum_ratings=options["minimum_ratings"],
            pool_without_context=options["one_context"],
            pool_by_hit=options["by_hit"],
        )
