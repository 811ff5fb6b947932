"""manage.py report NAME --out DIR: compute a study's report and write its files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, cast

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation import conf
from annotation.doors import sentences
from annotation.flows.export import export
from annotation.flows.score import score
from annotation.management.commands._study import StudyCommand
from annotation.models import Role
from metrics.errors import BadInput, MetricsError
from metrics.report.attached import kind_of
from metrics.report.build import build
from metrics.report.particulars import Attached
from metrics.report.text import table
from metrics.report.write import FORMATS, USUAL, Format


class Command(StudyCommand):
    help = "Compute everything a study's report says and write it (HTML, PDF, JSON, CSV, LaTeX, zip)."

    least = Role.VIEWER

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write into")
        parser.add_argument("--seed", type=int, default=0, help="of the draws behind the intervals (default 0)")
        parser.add_argument("--level", type=float, default=0.95, help="of the intervals (default 0.95)")
        parser.add_argument(
            "--format",
            default=",".join(USUAL),
            metavar="LIST",
            help=f"separated by commas: {', '.join(FORMATS)} (default {','.join(USUAL)})",
        )
        parser.add_argument(
            "--attach",
            type=Path,
            action="append",
            default=[],
            metavar="FILE",
            help="JSON of `python -m metrics nnd run` or `hscore`: near-negative tests, automatic scores",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.asked(options)
        seed, level = options["seed"], options["level"]
        command = f"manage.py report {study} --out DIR --seed {seed} --level {level:g}"
        command += "".join(f" --attach {path.name}" for path in options["attach"])
        with sentences():
            try:
                given = score(study, command=command, attached=[attached(path) for path in options["attach"]])
                report = build(given, seed=seed, level=level, progress=self._progress)
            except MetricsError as error:
                raise CommandError(f"The study {study} cannot be scored: {error}", returncode=2) from None
            done = export(
                report,
                options["out"],
                study=study,
                actor=actor,
                now=timezone.now(),
                formats=formats_of(options["format"]),
                chromium=conf.chromium(),
                sandbox=conf.sandbox(),
            )
        self.stdout.write(table(report))
        for warn in report.warnings:
            self.stdout.write(f"Warning: {warn.sentence}")
        self.stdout.write("\n".join(str(path) for path in done.paths))

    def _progress(self, step: str, done: int, of: int) -> None:
        self.stderr.write(f"[{done}/{of}] {step}")


def formats_of(text: str) -> tuple[Format, ...]:
    """The formats of a list with commas."""
    found: tuple[str, ...] = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    strange = [name for name in found if name not in FORMATS]
    if strange or not found:
        named = strange[0] if strange else "an empty list"
        raise CommandError(f"{named} is none of {', '.join(FORMATS)}.", returncode=2)
    return cast("tuple[Format, ...]", found)


def attached(path: Path) -> Attached:
    """The numbers of a file. Raises BadInput."""
    try:
        content = path.read_bytes()
        document = json.loads(content)
    except OSError as error:
        raise BadInput(f"the file cannot be read ({error.strerror})", where=str(path)) from None
    except ValueError:
        raise BadInput("the file is not JSON", where=str(path)) from None
    if not isinstance(document, dict):
        raise BadInput("a JSON object was expected", where=str(path))
    return Attached(kind_of(document), path.name, hashlib.sha256(content).hexdigest(), document)
