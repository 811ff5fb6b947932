"""Let everything happen in the marketplace that is due."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from annotation.marketplace import clock
from annotation.marketplace.closing import forget_payees
from annotation.marketplace.sweep import catch_up


class Command(BaseCommand):
    help = "Expire, abandon, auto-approve and dispose of what is due. Every request does so too; run this when idle."

    def handle(self, *args: Any, **options: Any) -> None:
        forget_payees()
        self.stdout.write(f"{catch_up(clock.now())} HITs brought up to date.")
