"""manage.py import_report FILE --study NAME: import a report.json or snapshot.json of Assay as a finished study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.commands import _imports as imports
from annotation.management.lookup import add_owner, sentences
from annotation.readers.report_file import read_report


class Command(BaseCommand):
    help = "Import a report.json as a finished study, all or nothing: its report gives the same numbers."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="report.json or snapshot.json")
        parser.add_argument("--study", required=True, metavar="NAME", help="name of the study")
        add_owner(parser)
        imports.add_dry_run(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        with sentences():
            work = read_report(options["file"])
            done = imports.import_records(work, options)
        imports.tell_imported(self.stdout, done, work.warnings, dry_run=options["dry_run"])
