"""Let everything happen in the marketplace that is due."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from annotation.marketplace import clock
from annotation.marketplace.channels.retention import purge
from annotation.marketplace.closing import forget_payees
from annotation.marketplace.sweep import catch_up


class Command(BaseCommand):
    help = "Expire, abandon, auto-approve, dispose of what is due, and purge what is past its retention date."

    def handle(self, *args: Any, **options: Any) -> None:
        forget_payees()
        self.stdout.write(f"{catch_up(clock.now())} HITs brought up to date.")
        gone = purge(now=clock.now(), dry_run=False)
        if gone.identities:
            self.stdout.write(f"{gone.identities} people of {gone.channels} channels are no longer known.")
