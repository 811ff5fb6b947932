"""Delete what is past its retention date."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.marketplace.core import clock
from annotation.marketplace.invitations.retention import purge


class Command(BaseCommand):
    help = "Delete what is known of the people of channels past their date, and old event logs. Prints JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="count only")

    def handle(self, *args: Any, **options: Any) -> None:
        done = purge(now=clock.now(), dry_run=options["dry_run"])
        self.stdout.write(json.dumps({"dry_run": options["dry_run"], **dataclasses.asdict(done)}))
