"""manage.py report NAME [NAME ...] --out DIR: write a study's report, or a comparison of several studies."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation import settings as conf
from annotation.accounts.models import User
from annotation.management.lookup import actor_of, add_actor, allowed_roles, sentences, study_called
from annotation.models import Role, Study
from annotation.reports.export import export
from annotation.reports.export_comparison import export_comparison
from annotation.reports.take_snapshot import take, take_for_comparison
from annotation.studies.blinding import seen_at
from annotation.studies.unblind import UNBLINDED, is_first_look
from metrics.errors import BadInput, MetricsError
from metrics.figures.images import NoBrowser, find_browser
from metrics.report.build import report_of
from metrics.report.comparison.compare import compare_studies
from metrics.report.formats.plain_text import table
from metrics.report.formats.write import FORMATS, USUAL, Format
from metrics.report.row_records import Attached
from metrics.report.sections.external_scores import kind_of

T = TypeVar("T")


class Command(BaseCommand):
    help = "Compute a study's report, or of several studies their comparison (HTML, PDF, JSON, CSV, LaTeX, zip)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", nargs="+", metavar="NAME", help="a study; of several, their comparison")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write into")
        parser.add_argument("--seed", type=int, default=0, help="random seed of the intervals (default 0)")
        parser.add_argument("--level", type=float, default=0.95, help="of the intervals (default 0.95)")
        parser.add_argument(
            "--raters",
            choices=("new", "these"),
            default="",
            help="whom intervals are for where both exist: other raters, or these (default: as declared, else new)",
        )
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
        add_actor(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        user, actor = actor_of(options)
        _check(options)
        names = [options["study"]] if isinstance(options["study"], str) else list(dict.fromkeys(options["study"]))
        studies = [_study(name, user) for name in names]
        with sentences():
            if len(studies) > 1:
                self._comparison(studies, actor, options)
            else:
                self._report(studies[0], actor, options)

    def _report(self, study: Study, actor: str, options: Mapping[str, Any]) -> None:
        seed, level, how = options["seed"], options["level"], _formats(options)
        command = f"manage.py report {study} --out DIR --seed {seed} --level {level:g}"
        command += f" --raters {options['raters']}" if options["raters"] else ""
        command += "".join(f" --attach {path.name}" for path in options["attach"])
        try:
            files = [attached(path) for path in options["attach"]]
            snapshot = self._take(take, study, actor=actor, reason="report", command=command, attached=files)
            report = report_of(snapshot, seed=seed, level=level, raters=options["raters"], progress=self._progress)
        except MetricsError as error:
            raise CommandError(f"The study {study} cannot be scored: {error}", returncode=2) from None
        at = snapshot.header.created_at
        done = export(report, options["out"], study=study, actor=actor, now=at, snapshot=snapshot, **how)
        self.stdout.write(table(report))
        for warn in report.warnings:
            self.stdout.write(f"Warning: {warn.sentence}")
        self._written(done.paths, done.left_out)

    def _comparison(self, studies: Sequence[Study], actor: str, options: Mapping[str, Any]) -> None:
        if options["attach"]:
            raise CommandError("Files are attached to the report of one study, not to a comparison.", returncode=2)
        seed, level, how = options["seed"], options["level"], _formats(options)
        arguments = f"--out DIR --seed {seed} --level {level:g}"
        command = f"manage.py report {' '.join(study.name for study in studies)} {arguments}"
        try:
            report_inputs = [
                self._take(take_for_comparison, study, actor=actor, command=f"manage.py report {study} {arguments}")
                for study in studies
            ]
            compared = compare_studies(report_inputs, seed=seed, level=level, command=command, progress=self._progress)
        except MetricsError as error:
            raise CommandError(f"The studies cannot be compared: {error}", returncode=2) from None
        out, now = options["out"], timezone.now()
        paths, left_out = export_comparison(compared, out, studies=studies, actor=actor, now=now, **how)
        for sentence in (*compared.verdicts, *(f"Warning: {warn.sentence}" for warn in compared.warnings)):
            self.stdout.write(sentence)
        self._written(paths, left_out)

    def _take(self, how: Callable[..., T], study: Study, **facts: Any) -> T:
        is_first = is_first_look(study)
        data = how(study, now=timezone.now(), **facts)
        if is_first:
            self.stderr.write(UNBLINDED.format(study=study.name))
        return data

    def _written(self, paths: Sequence[Path], left_out: str) -> None:
        self.stdout.write("\n".join(str(path) for path in paths))
        if left_out:
            raise CommandError(f"{left_out} The files above were written.", returncode=1)

    def _progress(self, step: str, done: int, of: int) -> None:
        self.stderr.write(f"[{done}/{of}] {step}")


def _study(name: str, user: User | None) -> Study:
    """Return the study if the user may see its results; while they are blinded, that needs a reviewer."""
    study = study_called(name, by=user, roles=allowed_roles(Role.VIEWER))
    return study if seen_at(study) else study_called(name, by=user, roles=allowed_roles(Role.REVIEWER))


def _check(options: Mapping[str, Any]) -> None:
    """Raise CommandError before anything is computed, where it would fail afterwards."""
    if not 0 < options["level"] < 1:
        raise CommandError("--level: a level lies between 0 and 1, such as 0.95.", returncode=2)
    if options["seed"] < 0:
        raise CommandError("--seed: a seed is a whole number of at least 0.", returncode=2)
    _check_folder(options["out"])
    if formats_of(options["format"]) == ("pdf",):
        try:
            find_browser(conf.chromium(), "PDF")
        except NoBrowser as error:
            raise CommandError(str(error), returncode=2) from None


def _check_folder(out: Path) -> None:
    """Raise CommandError unless files can be written there."""
    every = (out.absolute(), *out.absolute().parents)
    place = next(folder for folder in every if os.path.exists(folder))  # noqa: PTH110 (a name that no file can have is not there)
    if not place.is_dir() or not os.access(place, os.W_OK):
        what = "takes no files" if place.is_dir() else "is not a folder"
        raise CommandError(f"The report cannot be written to {out}: {place} {what}.", returncode=2)


def _formats(options: Mapping[str, Any]) -> dict[str, Any]:
    return {"formats": formats_of(options["format"]), "chromium": conf.chromium(), "sandbox": conf.sandbox()}


def formats_of(text: str) -> tuple[Format, ...]:
    """Return the formats of a list with commas."""
    names: tuple[str, ...] = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    strange = [name for name in names if name not in FORMATS]
    if strange or not names:
        named = strange[0] if strange else "an empty list"
        raise CommandError(f"{named} is not a format; use {', '.join(FORMATS)}.", returncode=2)
    return cast("tuple[Format, ...]", names)


def attached(path: Path) -> Attached:
    """Return the numbers of a file. Raises BadInput."""
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
