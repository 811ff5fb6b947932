"""manage.py restore FILE [--prove]: a backup into an empty installation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.jobs.backups.archive import BackupError
from annotation.jobs.backups.back_up import restore
from annotation.jobs.data_protection.erase import repeat_erasures


class Command(BaseCommand):
    help = "Restore a backup into an empty installation: its hashes and keys are checked before anything is written."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--prove", action="store_true", help="check logs, money and balances afterwards")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            backup = restore(options["file"], with_proof=options["prove"])
        except BackupError as error:
            raise CommandError(str(error)) from None
        if backup.proof:
            self.stdout.write(backup.proof)
        self.stdout.write(f"Restored {backup.path}: {backup.rows} rows, {backup.files} files.")
        repeated = repeat_erasures(now=timezone.now())
        if repeated:
            self.stdout.write(f"Erased again, as after the backup was made: {repeated} people.")
        if not options["prove"]:
            self.stdout.write("If this version of Assay is later than the backup's, run manage.py migrate now.")
