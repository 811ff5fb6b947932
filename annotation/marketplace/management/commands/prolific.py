"""Do what is due at Prolific."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from annotation.marketplace.core import clock
from annotation.marketplace.prolific.work import run_due


class Command(BaseCommand):
    help = (
        "Do what is due at Prolific: publish, read submissions, send decisions, pay bonuses. "
        "`manage.py work` does the same."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{run_due(now=clock.now())} studies at Prolific were looked after.")
