"""Move the marketplace's clock (development only)."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.marketplace.assignments.expire_due import catch_up, look_again
from annotation.marketplace.core import clock
from annotation.marketplace.errors import InvalidParameterError


class Command(BaseCommand):
    help = "Move the marketplace's clock by SECONDS (+90000), or back to real time (0). Development only."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("seconds", type=int)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            before = clock.offset()
            offset = clock.move(options["seconds"])
        except InvalidParameterError as error:
            raise CommandError(str(error)) from None
        now = clock.now()
        if offset < before:
            look_again(now)
        catch_up(now)
        self.stdout.write(f"The marketplace's clock is {offset:+d} s from real time: {now:%Y-%m-%d %H:%M:%S} UTC.")
