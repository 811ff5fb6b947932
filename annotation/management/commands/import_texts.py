"""manage.py import_texts FILE --study NAME [--create] [--dry-run]: add texts to a draft study."""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from annotation.exceptions import StateError
from annotation.importing.add_texts import TextsAdded, add_texts, compare_with_study
from annotation.management.commands import _imports as imports
from annotation.management.lookup import actor_of, add_owner, allowed_roles, owner_of, sentences, study_called
from annotation.models import Role, Study
from annotation.readers.cells import short
from annotation.readers.columns import Names, load_names, named_by
from annotation.readers.foreign.guess import guess_mapping
from annotation.readers.foreign.layouts import without_texts
from annotation.readers.foreign.look import look_at
from annotation.readers.foreign.text_mapping import TextMapping, mapping_from_json, missing_choice, with_form
from annotation.readers.problem_codes import ALLOWABLE, Code
from annotation.readers.problem_file import ProblemFile
from annotation.readers.problems import Sink
from annotation.readers.tabular import FileForm
from annotation.readers.texts import NEEDED, OPTIONAL, Examination, examine_texts, warning_sentences
from annotation.studies.create import Plan, create

EXAMPLES = """examples:
  look first:         manage.py import_texts texts.csv --study pilot --create --dry-run
  then import:        manage.py import_texts texts.csv --study pilot --create
  other names:        ... --column text=sentence --column id=ID --source human=reference --source gpt2=model
  any file:           manage.py import_texts results.xlsx --guess --study pilot --create --dry-run
  a datasets folder:  manage.py import_texts my_dataset/ --split test --study pilot --create
  every problem:      ... --dry-run --problems-out problems.csv

docs/import.md explains the columns and every problem code."""


class Command(BaseCommand):
    help = (
        "Put reference and model texts into a draft study, all or nothing: from CSV, JSON Lines, or a folder that "
        "`datasets` saved to disk; with --guess from any file (Excel, OpenDocument, Parquet, JSON)."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        return super().create_parser(prog_name, subcommand, epilog=EXAMPLES, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="a file, or a datasets folder")
        study = parser.add_argument_group("the study")
        study.add_argument("--study", required=True, metavar="NAME", help="name of the study")
        study.add_argument("--create", action="store_true", help="create the study if it does not exist")
        study.add_argument(
            "--mode",
            choices=["rehearsal", "live"],
            default="rehearsal",
            help="of a study that is created: rehearsal (default, simulated raters) or live (real participants)",
        )
        add_owner(study)
        check = parser.add_argument_group("check before importing")
        check.add_argument(
            "--dry-run", action="store_true", help="show the first rows and every problem; change nothing"
        )
        check.add_argument("--problems-out", type=Path, metavar="FILE", help="all problems, as .csv, .json or .jsonl")
        check.add_argument(
            "--allow",
            action="append",
            default=[],
            choices=sorted(ALLOWABLE),
            metavar="CODE",
            help=f"treat a problem as a warning: {', '.join(sorted(ALLOWABLE))} (repeatable)",
        )
        form = parser.add_argument_group("format of the file")
        imports.add_delimiter(form)
        form.add_argument(
            "--encoding", metavar="NAME", help="encoding of the file (default: UTF-8, or by a byte order mark)"
        )
        form.add_argument("--split", metavar="NAME", help="of a datasets folder that has several")
        names = parser.add_argument_group("names in the file")
        names.add_argument("--guess", action="store_true", help="guess the columns of any file (look first: --dry-run)")
        names.add_argument(
            "--mapping", type=Path, metavar="FILE", help="TOML with [columns] and [sources], or JSON for any file"
        )
        names.add_argument("--joined", type=Path, metavar="FILE", help="second file with the prompts (MT-Bench)")
        pair = {"action": "append", "default": [], "type": _pair, "metavar": "A=B"}
        names.add_argument("--column", **pair, help="column = the file's name, such as text=sentence")  # type: ignore[arg-type]
        names.add_argument("--source", **pair, help="the file's word = reference or model")  # type: ignore[arg-type]
        names.add_argument("--generator", metavar="NAME", help="generator of model texts without one")
        names.add_argument("--likelihoods", type=Path, metavar="FILE", help="log p by text and generator")

    def handle(self, *args: Any, **options: Any) -> None:
        out = options["problems_out"]
        with sentences(), ProblemFile(out) if out else nullcontext() as problems:
            study = None if options["create"] else self._study(options)
            if options["create"] and Study.objects.filter(name=options["study"]).exists():
                raise StateError(
                    f"There is already a study called {options['study']}. Run without --create to add to it."
                )
            examination = self._examined(options, study, problems.take if problems else None)
            if problems:
                self.stdout.write(f"Every problem and warning, {problems.count} in all: {out}")
            if options["dry_run"]:
                self._show(examination)
            examination.raise_if_any()
            for warning in warning_sentences(examination):
                self.stdout.write(f"Warning: {warning}")
            if options["dry_run"]:
                self.stdout.write(f"Dry run: {len(examination.texts)} texts could be added; nothing was changed.")
                return
            self._tell(self._add(examination, options), options["study"])

    def _study(self, options: dict[str, Any]) -> Study:
        return study_called(options["study"], by=actor_of(options)[0], roles=allowed_roles(Role.EDITOR))

    def _examined(self, options: dict[str, Any], study: Study | None, sink: Sink | None) -> Examination:
        with imports.bar("Reading", "B") as progress:
            examination = examine_texts(
                options["file"],
                names=self._names(options),
                likelihoods=options["likelihoods"],
                generator=options["generator"],
                form=FileForm(imports.delimiter_of(options), options["encoding"], options["split"]),
                allow=[Code(code) for code in options["allow"]],
                sink=sink,
                progress=progress,
                mapping=self._mapping(options),
                joined=options["joined"],
            )
        for note in examination.notes:
            self.stdout.write(note)
        if study is not None and not examination.total_problems:
            return compare_with_study(study, examination, file=options["file"].name, sink=sink)
        return examination

    def _mapping(self, options: dict[str, Any]) -> TextMapping | None:
        """The mapping of a file with any columns: from a JSON file, or guessed; None for our own columns."""
        stored = options["mapping"]
        form = FileForm(imports.delimiter_of(options), options["encoding"], options["split"])
        if stored is not None and stored.suffix.lower() == ".json":
            mapping = imports.read_mapping(stored, mapping_from_json)
            if missing := missing_choice(mapping):
                raise CommandError(f"The mapping {stored} is incomplete: {missing}", returncode=imports.BAD_INPUT)
        elif options["guess"]:
            look = look_at(options["file"], form)
            mapping = guess_mapping(look)
            missing = without_texts(look) or missing_choice(mapping)
            if missing and look.columns:
                raise CommandError(f"The columns could not be guessed: {missing}", returncode=imports.BAD_INPUT)
        else:
            return None
        shown = {name: value for name, value in mapping.as_json().items() if value}
        self.stdout.write(f"Mapping: {json.dumps(shown)}")
        return with_form(mapping, form)

    def _names(self, options: dict[str, Any]) -> Names:
        known = (*NEEDED, *OPTIONAL)
        stored = options["mapping"]
        base = load_names(None if stored is not None and stored.suffix.lower() == ".json" else stored, known)
        return named_by(dict(options["column"]), dict(options["source"]), known, base)

    def _show(self, examination: Examination) -> None:
        """The first rows as they are read, a line for each cell."""
        self.stdout.write(f"{examination.rows} rows read. The first {len(examination.preview)}:")
        for row in examination.preview:
            self.stdout.write(f"  row {row.row}")
            for name, cell in row.cells.items():
                if cell:
                    self.stdout.write(f"    {name}: {short(cell)}")

    def _add(self, examination: Examination, options: dict[str, Any]) -> TextsAdded:
        now, actor = timezone.now(), actor_of(options)[1]
        allowed = [Code(code) for code in options["allow"]]
        with transaction.atomic(), imports.bar("Writing", " texts") as progress:
            if options["create"]:
                owner = owner_of(options)
                study = create(options["study"], mode=options["mode"], plan=Plan(), actor=actor, now=now, owner=owner)
            else:
                study = self._study(options)
            return add_texts(
                study,
                examination.texts,
                actor=actor,
                now=now,
                origin=examination.provenance,
                allowed=allowed,
                progress=progress,
            )

    def _tell(self, added: TextsAdded, study: str) -> None:
        gold = f"; {added.gold} of the texts are gold, with a known answer" if added.gold else ""
        models = ", ".join(f"{count} of {name}" for name, count in added.by_generator.items()) or "none of a generator"
        self.stdout.write(
            f"Added {added.texts} texts to the study {study}: {added.references} references, {models}; "
            f"{added.contexts} contexts, {added.likelihoods} log-probabilities{gold}."
        )


def _pair(word: str) -> tuple[str, str]:
    left, sign, right = word.partition("=")
    if not sign or not left or not right:
        raise argparse.ArgumentTypeError(f"{word!r} does not have the form A=B")
    return left, right
