"""manage.py import_workers FILE [--dry-run]: worker IDs of an old list, with qualifications and blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation import settings as conf
from annotation.management.lookup import sentences
from annotation.mturk.client import Market
from annotation.readers.worker_list import read_worker_list
from annotation.workers.import_workers import import_workers


class Command(BaseCommand):
    help = "Import worker IDs from a CSV, with qualifications and blocks: all rows, or none where one breaks a rule."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--dry-run", action="store_true", help="check the file; change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        with sentences():
            listed = read_worker_list(options["file"])
            for warning in listed.warnings:
                self.stderr.write(f"Warning: {warning}")
            scores = sum(len(worker.scores) for worker in listed.workers)
            blocks = sum(bool(worker.block) for worker in listed.workers)
            counts = f"{len(listed.workers)} workers, {scores} scores, {blocks} blocks"
            if options["dry_run"]:
                self.stdout.write(f"{counts}. Nothing was changed.")
                return
            import_workers(listed, market=Market(conf.endpoint()), tell=lambda _step, _done, _of: None)
        self.stdout.write(f"Imported: {counts}.")
