"""Let everything happen in the marketplace that is due."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from annotation.marketplace.assignments.expire_due import catch_up
from annotation.marketplace.core import clock
from annotation.marketplace.invitations.retention import purge
from annotation.marketplace.monitoring.requester_records import count_if_due
from annotation.marketplace.retention import forget
from annotation.marketplace.workers.close_account import forget_payees


class Command(BaseCommand):
    help = (
        "Expire, abandon, auto-approve and dispose of what is due (every request does so too), delete old "
        "notifications and request tokens, purge what is past its retention date, and once a day count how requesters "
        "decided and paid. Run it every few minutes."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        now = clock.now()
        forget_payees()
        self.stdout.write(f"{catch_up(now)} HITs brought up to date.")
        self.stdout.write(f"{forget(now=timezone.now(), market=now)} old notifications, messages and tokens deleted.")
        if counted := count_if_due(now):
            self.stdout.write(f"The records of {counted} requesters were counted.")
        purged = purge(now=now, dry_run=False)
        if purged.identities:
            self.stdout.write(f"{purged.identities} people of {purged.channels} channels are no longer known.")
