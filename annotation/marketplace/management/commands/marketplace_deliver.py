"""Send the marketplace's notifications."""

from __future__ import annotations

import logging
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, close_old_connections, connection
from django.utils import timezone

from annotation.marketplace.notifications.delivery import deliver

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Send due notifications, once or repeatedly. `manage.py serve` does this automatically."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--every", type=float, metavar="SECONDS", help="repeat every SECONDS until stopped")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["every"] is None:
            done = deliver(clock=timezone.now)
            self.stdout.write(f"{done.sent} sent, {done.put_off} put off, {done.discarded} given up")
            return
        while True:
            _pass()
            time.sleep(options["every"])


def _pass() -> None:
    """One pass that outlives a database in trouble: the next pass finds everything where it was."""
    close_old_connections()
    try:
        deliver(clock=timezone.now)
    except DatabaseError:
        log.exception("A pass of the delivery failed in the database")
        connection.close()
