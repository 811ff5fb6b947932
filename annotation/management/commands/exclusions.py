"""manage.py exclusions STUDY: measure the evidence, and show HUSE under every selection of the rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation import facts, reviewing
from annotation.doors import sentences
from annotation.flows.assess import assess
from annotation.flows.score import score
from annotation.flows.unblind import unblind
from annotation.management.commands._study import StudyCommand
from annotation.quality.exclusion import Rule
from annotation.quality.filters import DEFAULTS
from annotation.quality.paragraph import paragraph
from metrics.errors import MetricsError
from metrics.exclusions import Exclusions, exclusion_sensitivity
from metrics.figures import exclusion_curve
from metrics.figures.static import svg
from metrics.tables.exclusions import exclusions_table
from metrics.tables.text import table_text


class Command(StudyCommand):
    help = (
        "Measure the study's work by every filter, print the methods paragraph, and HUSE under every selection of the "
        "rules that hold (or the defaults), beside random removals."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--rule", action="append", default=[], metavar="FILTER", help="repeatable")
        parser.add_argument("--draws", type=int, default=200)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--out", type=Path, help="folder for one figure (SVG) a generator")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.asked(options)
        with sentences():
            done = assess(study, now=timezone.now())
            given = score(study)
            unblind(study, actor=actor, now=timezone.now())
        self.stdout.write(f"{done.submissions} submissions measured, {done.flags} flags raised.")
        self.stdout.write(paragraph(facts.quality_done(study)))
        stored = reviewing.rule_set(study)
        held = reviewing.rules_of(stored) if stored else tuple(Rule(kind) for kind in DEFAULTS)
        rules = tuple(Rule(kind) for kind in options["rule"]) or held
        found = reviewing.left_out_by(study, rules)
        units = {kind: reviewing.assignments(gone) for kind, gone in found.items() if gone}
        ratings = reviewing.rated_units(study)
        for generator in given.generators:
            try:
                told = exclusion_sensitivity(
                    generator.items, ratings, units, draws=options["draws"], seed=options["seed"],
                    measure="huse" if all(item.log_prob is not None for item in generator.items) else "huse_q",
                    missing="quality_only",
                )  # fmt: skip
            except MetricsError as error:
                raise CommandError(f"{generator.name}: {error}", returncode=2) from error
            self._tell(generator.name, told, options["out"])

    def _tell(self, generator: str, told: Exclusions, out: Path | None) -> None:
        self.stdout.write(f"\n{generator}: {exclusion_curve.alt(told)}\n{table_text(exclusions_table(told))}")
        self.stdout.write(told.signature)
        if out:
            out.mkdir(parents=True, exist_ok=True)
            path = out / f"exclusions-{generator}.svg"
            path.write_text(svg(exclusion_curve.chart(told)), encoding="utf-8")
            self.stdout.write(f"Wrote {path}.")
