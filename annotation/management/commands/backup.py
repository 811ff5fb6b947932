"""manage.py backup FILE [--prove]: the whole installation in one file, while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.jobs.backups.archive import BackupError
from annotation.jobs.backups.back_up import back_up
from annotation.jobs.backups.database_copy import database_name


class Command(BaseCommand):
    help = (
        "Write a backup of the database and the files while the installation runs. SECRET_KEY and PSEUDONYM_KEY are "
        "not in it: store them in another place."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--prove",
            action="store_true",
            help="restore it into a database of its own and check logs, money and balances",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            backup = back_up(options["file"], now=timezone.now(), with_proof=options["prove"])
        except BackupError as error:
            raise CommandError(f"{error} No backup was made.") from None
        if backup.proof:
            self.stdout.write(backup.proof)
        state = "Proven backup" if options["prove"] else "Backup"
        rows, files = f"{backup.rows} rows of {database_name()}", f"{backup.files} files of {settings.VAR}"
        self.stdout.write(f"{state}: {backup.path}, {rows}, {files}.")
        self.stdout.write("SECRET_KEY and PSEUDONYM_KEY are not in it: store them in another place.")
