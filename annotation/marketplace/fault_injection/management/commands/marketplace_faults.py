"""`manage.py marketplace_faults`: set how the marketplace misbehaves."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.fault_injection import plan

OPTIONS = {
    "throttle_every": "answer every Nth call by ThrottlingException",
    "fail_every": "answer every Nth call by ServiceFault, 500",
    "drop_after_commit_every": "carry out every Nth writing call and close the connection without an answer",
    "lose_notifications_every": "never send every Nth message",
    "double_notifications_every": "send every Nth message twice",
}


class Command(BaseCommand):
    help = "Set how the marketplace misbehaves; what is not named stays as it is."

    def add_arguments(self, parser: CommandParser) -> None:
        for name, effect in OPTIONS.items():
            parser.add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N", help=f"{effect} (0: never)")
        parser.add_argument(
            "--lag", type=float, metavar="SECONDS", dest="lag_seconds", help="hide what is new from lists for so long"
        )
        parser.add_argument("--off", action="store_true", help="no faults at all; other options come on top")

    def handle(self, *args: Any, **options: Any) -> None:
        plan.forget_plan()
        changes = {name: options[name] for name in asdict(plan.NONE) if options[name] is not None}
        required = replace(plan.NONE if options["off"] else plan.read_plan(), **changes)
        try:
            plan.set_plan(required)
        except InvalidParameterError as error:
            raise CommandError(str(error)) from None
        faults = [f"{name.replace('_', ' ')}: {value:g}" for name, value in asdict(required).items() if value]
        self.stdout.write("; ".join(faults) or "No faults.")
