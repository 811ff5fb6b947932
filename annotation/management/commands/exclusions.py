"""manage.py exclusions STUDY: measure the evidence, and show HUSE under every selection of the rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation import facts, sensitivity
from annotation.doors import sentences
from annotation.flows.assess import assess
from annotation.flows.score import score
from annotation.flows.unblind import unblind
from annotation.management.commands._study import StudyCommand
from annotation.quality.paragraph import paragraph
from metrics.errors import MetricsError
from metrics.exclusions import Exclusions
from metrics.figures import exclusion_curve
from metrics.figures.static import svg
from metrics.report.under_rules import DRAWS, idle, under_rules
from metrics.tables.exclusions import exclusions_table
from metrics.tables.text import table_text


class Command(StudyCommand):
    help = (
        "Measure the study's work by every filter, print the methods paragraph, and HUSE under every selection of the "
        "rules that hold (or the defaults) and each default alone, beside random removals."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--rule", action="append", default=[], metavar="FILTER", help="repeatable")
        parser.add_argument("--draws", type=int, default=DRAWS)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--out", type=Path, help="folder for one figure (SVG) a generator")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.asked(options)
        with sentences():
            done = assess(study, now=timezone.now())
            given = replace(score(study), rules=sensitivity.rules(study, options["rule"]))
            unblind(study, actor=actor, now=timezone.now())
        self.stdout.write(f"{done.submissions} submissions measured, {done.flags} flags raised.")
        self.stdout.write(paragraph(facts.quality_done(study)))
        for name in idle(given):
            self.stdout.write(f"Leaves nobody out: {name}.")
        try:
            for one in given.generators:
                told = under_rules(one, given, draws=options["draws"], seed=options["seed"])
                self._tell(one.name, told, options["out"])
        except MetricsError as error:
            raise CommandError(str(error), returncode=2) from error

    def _tell(self, generator: str, told: Exclusions, out: Path | None) -> None:
        self.stdout.write(f"\n{generator}: {exclusion_curve.alt(told)}\n{table_text(exclusions_table(told))}")
        self.stdout.write(told.signature)
        if out:
            out.mkdir(parents=True, exist_ok=True)
            path = out / f"exclusions-{generator}.svg"
            path.write_text(svg(exclusion_curve.chart(told)), encoding="utf-8")
            self.stdout.write(f"Wrote {path}.")
