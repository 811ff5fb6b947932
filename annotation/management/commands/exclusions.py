"""manage.py exclusions STUDY: run the quality checks, and show headline measures without and with rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.quality.assess import assess
from annotation.quality.methods_text import paragraph
from annotation.reports import exclusion_rules, study_facts
from annotation.reports.headline_effects import effects_table, headline_effects
from annotation.reports.take_snapshot import look_at_results, take
from metrics.errors import MetricsError
from metrics.figures import exclusion_curve
from metrics.figures.static import svg
from metrics.inference.specification_curve import Exclusions
from metrics.report.formats.csv import slugs
from metrics.report.sections.exclusions import DRAWS, compute_rule_effects, rules_without_effect, state_conclusions
from metrics.tables.delimited import table_csv
from metrics.tables.exclusions import exclusions_table
from metrics.tables.text import table_text


class Command(StudyCommand):
    help = (
        "Run every quality check on the study, print the methods paragraph, and show HUSE (or accuracy) under every "
        "selection of the current rules (or of those that raise flags) and under each check that raises flags, "
        "compared with random removals. Of other answers: means, win rates and shares with each rule."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--rule", action="append", default=[], metavar="FILTER", help="repeatable")
        parser.add_argument("--draws", type=int, default=DRAWS)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--out", type=Path, help="folder for figures (SVG) and tables (CSV)")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        with sentences():
            if warning := look_at_results(study, actor=actor, reason="sensitivity to exclusions", now=timezone.now()):
                self.stderr.write(warning)
            done = assess(study, now=timezone.now())
            try:
                snapshot = take(study, actor=actor, reason="sensitivity to exclusions", now=timezone.now())
                report_input = replace(snapshot.report_input, rules=exclusion_rules.rules(study, options["rule"]))
            except MetricsError as error:
                raise CommandError(str(error), returncode=2) from error
        self.stdout.write(f"{done.submissions} submissions measured, {done.flags} flags raised.")
        self.stdout.write(paragraph(study_facts.quality_done(study)))
        for name in rules_without_effect(report_input):
            self.stdout.write(f"Excludes no submissions: {name}.")
        effects = compute_rule_effects(report_input, draws=options["draws"], seed=options["seed"])
        for (name, part), slug in zip(effects.parts.items(), slugs(list(effects.parts)), strict=True):
            self._tell(name, part, options["out"] and options["out"] / f"exclusions-{slug}.svg")
        headlines = headline_effects(report_input, draws=options["draws"], seed=options["seed"])
        if headlines:
            self._show_headlines(headlines, options["out"])
        for line in state_conclusions(effects.parts):
            self.stdout.write(line)
        if effects.missing:
            raise CommandError(" ".join(f"{name}: {why}" for name, why in effects.missing), returncode=2)

    def _show_headlines(self, headlines: list[dict[str, Any]], folder: Path | None) -> None:
        table = effects_table(headlines)
        self.stdout.write(f"\n{table_text(table)}")
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{table.name}.csv"
            path.write_text(table_csv(table), encoding="utf-8")
            self.stdout.write(f"Wrote {path}.")

    def _tell(self, name: str, part: Exclusions, path: Path | None) -> None:
        self.stdout.write(f"\n{name}: {exclusion_curve.alt(part)}\n{table_text(exclusions_table(part))}")
        self.stdout.write(part.signature)
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(svg(exclusion_curve.chart(part)), encoding="utf-8")
            self.stdout.write(f"Wrote {path}.")
