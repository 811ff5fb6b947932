"""manage.py import_batch FILE.csv --study NAME: import a batch-results file as a study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.commands import _imports as imports
from annotation.management.lookup import sentences
from annotation.readers.batch import read_batch


class Command(BaseCommand):
    help = "Import a Mechanical Turk batch-results CSV as a study (all or nothing; see docs/import.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        imports.add_file_options(parser, mapping="meaning of the columns (not needed for the built-in formats)")

    def handle(self, *args: Any, **options: Any) -> None:
        with sentences():
            work = read_batch(options["file"], options["mapping"], delimiter=imports.delimiter_of(options))
            done = imports.import_records(work, options)
        imports.tell_imported(self.stdout, done, work.warnings, dry_run=options["dry_run"])
