"""manage.py report NAME --out DIR: compute a study's report and write its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.doors import sentences, study_called
from annotation.flows.export import export
from annotation.flows.score import score
from metrics.errors import MetricsError
from metrics.report.build import build
from metrics.report.text import table


class Command(BaseCommand):
    help = "Compute HUSE, HUSE-Q and HUSE-D of a study and write its report (HTML, JSON, CSV)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="NAME")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write into")
        parser.add_argument("--seed", type=int, default=0, help="of the draws behind the intervals (default 0)")
        parser.add_argument("--level", type=float, default=0.95, help="of the intervals (default 0.95)")

    def handle(self, *args: Any, **options: Any) -> None:
        study, seed, level = study_called(options["study"]), options["seed"], options["level"]
        command = f"manage.py report {study} --out DIR --seed {seed} --level {level:g}"
        with sentences():
            try:
                report = build(score(study, command=command), seed=seed, level=level, progress=self._progress)
            except MetricsError as error:
                raise CommandError(f"The study {study} cannot be scored: {error}", returncode=2) from None
            done = export(report, options["out"], study=study, actor="command line", now=timezone.now())
        self.stdout.write(table(report))
        for warn in report.warnings:
            self.stdout.write(f"Warning: {warn.sentence}")
        self.stdout.write("\n".join(str(path) for path in done.paths))

    def _progress(self, step: str, done: int, of: int) -> None:
        self.stderr.write(f"[{done}/{of}] {step}")
