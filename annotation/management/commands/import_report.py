"""manage.py import_report FILE --study NAME: import a report.json or snapshot.json of Assay as a finished study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation.importing.import_study import import_work
from annotation.management.commands import _imports as imports
from annotation.management.lookup import actor_of, add_owner, owner_of, sentences
from annotation.readers.report_file import read_report


class Command(BaseCommand):
    help = "Import a report.json as a finished study, all or nothing: its report gives the same numbers."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="report.json or snapshot.json")
        parser.add_argument("--study", required=True, metavar="NAME", help="name of the study")
        add_owner(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        owner, actor = owner_of(options), actor_of(options)[1]
        with sentences():
            work = read_report(options["file"])
            done = import_work(work, name=options["study"], actor=actor, now=timezone.now(), owner=owner)
        imports.tell_imported(self.stdout, done, work.warnings)
