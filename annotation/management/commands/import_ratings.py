"""manage.py import_ratings --items FILE --ratings FILE --study NAME: import tidy ratings as a study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation.importing.import_study import import_work
from annotation.management.commands import _imports as imports
from annotation.management.lookup import sentences
from annotation.readers.ratings import read_ratings


class Command(BaseCommand):
    help = "Import items and ratings in the tidy form as a study (all or nothing; see docs/import.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--items", type=Path, required=True, metavar="FILE")
        parser.add_argument("--ratings", type=Path, required=True, metavar="FILE")
        parser.add_argument("--study", required=True, metavar="NAME", help="name of the study")
        imports.add_owner(parser)
        imports.add_delimiter(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        owner, actor = imports.owner_and_actor(options)
        with sentences():
            work = read_ratings(options["items"], options["ratings"], delimiter=imports.delimiter_of(options))
            done = import_work(work, name=options["study"], actor=actor, now=timezone.now(), owner=owner)
        imports.tell_imported(self.stdout, done, work.warnings)
