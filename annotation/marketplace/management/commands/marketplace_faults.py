"""Faults on demand (development only)."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.marketplace.core import fault_injection as faults
from annotation.marketplace.errors import InvalidParameterError

OPTIONS = {
    "throttle_every": "answer every Nth call by ThrottlingException",
    "fail_every": "answer every Nth call by ServiceFault, 500",
    "drop_after_commit_every": "carry out every Nth writing call and close the connection without an answer",
    "lose_notifications_every": "never send every Nth message",
    "double_notifications_every": "send every Nth message twice",
}


class Command(BaseCommand):
    help = "Set how the marketplace misbehaves; what is not named stays as it is. Development only."

    def add_arguments(self, parser: CommandParser) -> None:
        for name, told in OPTIONS.items():
            parser.add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N", help=f"{told} (0: never)")
        parser.add_argument(
            "--lag", type=float, metavar="SECONDS", dest="lag_seconds", help="hide what is new from lists for so long"
        )
        parser.add_argument("--off", action="store_true", help="no faults at all; other options come on top")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.MARKETPLACE_DEVELOPMENT:
            raise CommandError("Faults can be set in development only.")
        faults.forget()
        changes = {name: options[name] for name in asdict(faults.NONE) if options[name] is not None}
        wanted = replace(faults.NONE if options["off"] else faults.plan(), **changes)
        try:
            faults.set_plan(wanted)
        except InvalidParameterError as error:
            raise CommandError(str(error)) from None
        told = [f"{name.replace('_', ' ')}: {value:g}" for name, value in asdict(wanted).items() if value]
        self.stdout.write("; ".join(told) or "No faults.")
