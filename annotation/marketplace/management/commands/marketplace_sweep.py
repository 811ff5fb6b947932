"""Let everything happen in the marketplace that is due."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from annotation.marketplace import clock
from annotation.marketplace.forgetting import forget
from annotation.marketplace.sweep import catch_up


class Command(BaseCommand):
    help = (
        "Expire, abandon, auto-approve and dispose of what is due (every request does so too), and delete old "
        "notifications and request tokens. Run it every few minutes."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        now = clock.now()
        self.stdout.write(f"{catch_up(now)} HITs brought up to date.")
        self.stdout.write(f"{forget(now=timezone.now(), market=now)} old notifications, messages and tokens deleted.")
