"""manage.py import_ratings: import ratings from anywhere as a study, in the tidy form or in one file of any layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.commands import _imports as imports
from annotation.management.lookup import sentences
from annotation.readers.foreign.look import look_at
from annotation.readers.foreign.ratings_mapping import (
    RatingsMapping,
    guess_ratings,
    missing_choice,
    ratings_mapping_from_json,
    read_mapped_ratings,
)
from annotation.readers.ratings import read_ratings
from annotation.readers.records import CollectedWork


class Command(BaseCommand):
    help = "Import ratings as a study (all or nothing; see docs/import.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--items", type=Path, metavar="FILE", help="the texts, in the tidy form")
        parser.add_argument("--ratings", type=Path, required=True, metavar="FILE", help="tidy ratings, or any file")
        parser.add_argument("--guess", action="store_true", help="without --items: guess the columns of any file")
        imports.add_file_options(parser, mapping="without --items: JSON that says what the columns hold")

    def handle(self, *args: Any, **options: Any) -> None:
        with sentences():
            work = self._read(options)
            done = imports.import_records(work, options)
        imports.tell_imported(self.stdout, done, work.warnings, dry_run=options["dry_run"])

    def _read(self, options: dict[str, Any]) -> CollectedWork:
        path = options["ratings"]
        if options["items"]:
            return read_ratings(options["items"], path, delimiter=imports.delimiter_of(options))
        if not options["guess"] and not options["mapping"]:
            raise CommandError("Give the texts by --items, or say --guess, or --mapping FILE.", returncode=2)
        mapping = self._mapping(path, options["mapping"])
        if missing := missing_choice(mapping):
            raise CommandError(f"The columns could not be guessed. {missing} Use --mapping FILE.", returncode=2)
        self.stdout.write(f"Mapping: {json.dumps({name: value for name, value in mapping.as_json().items() if value})}")
        return read_mapped_ratings(path, mapping)

    def _mapping(self, path: Path, stored: Path | None) -> RatingsMapping:
        if stored is None:
            return guess_ratings(look_at(path))
        return imports.read_mapping(stored, ratings_mapping_from_json)
