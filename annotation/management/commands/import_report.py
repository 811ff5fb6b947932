"""manage.py import_report FILE --study NAME: load a report.json or snapshot.json of Assay as a finished study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction
from django.utils import timezone

from annotation.importing.import_report import import_report
from annotation.management.commands import _imports as imports
from annotation.management.lookup import add_owner, sentences
from annotation.readers.report_file import read_report


class Command(BaseCommand):
    help = "Load a report.json or snapshot.json as a finished study, all or nothing: its report gives the same numbers."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="report.json or snapshot.json")
        parser.add_argument("--study", required=True, metavar="NAME", help="name of the study")
        add_owner(parser)
        imports.add_dry_run(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        with sentences():
            file = read_report(options["file"])
            owner, actor = imports.owner_and_actor(options)
            with transaction.atomic():
                study = import_report(file, name=options["study"], actor=actor, now=timezone.now(), owner=owner)
                transaction.set_rollback(options["dry_run"])
        data = file.report_input
        verb = "Dry run, nothing was changed. Would load" if options["dry_run"] else "Loaded"
        self.stdout.write(
            f"{verb} the report of {data.study.name} as the study {study}: {len(data.ratings):,} ratings of "
            f"{len(data.texts):,} texts. It has a report, comparisons and exports; nothing in it can be changed."
        )
        if not options["dry_run"]:
            self.stdout.write(f"Next: manage.py report {study} --out DIR")
