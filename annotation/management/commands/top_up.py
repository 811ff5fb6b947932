from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.management.commands._acts import ActCommand
from annotation.management.lookup import sentences
from annotation.publishing.top_up import TopUp, declare_width, keep_topped_up, top_up


class Command(ActCommand[TopUp]):
    help = "Ask for ratings that are missing or were left out, by the study's stopping rule and within its budget."
    verb = staticmethod(top_up)

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--width", type=float, help="go on until each text's 95 %% interval is no wider than this")
        parser.add_argument(
            "--always", choices=("yes", "no"), help="have the loop do so by itself after each look at the marketplace"
        )
        parser.add_argument("--most", type=int, help="with --width: raters of a text at most")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.asked(options)
        if options["width"] is not None:
            with sentences():
                declare_width(
                    study, width=options["width"], most=options["most"] or 0, actor=actor, now=timezone.now()
                )  # fmt: skip
        if options["always"] is not None:
            keep_topped_up(study, on=options["always"] == "yes", actor=actor, now=timezone.now())
        super().handle(*args, **options)

    def told(self, found: TopUp) -> str:
        if not found.pages:
            return "Every text has what the study asks for."
        return (
            f"{found.pages} pages are short: {found.places} places asked for ({found.new_hits} new HITs), "
            f"{found.prolonged} HITs prolonged, ${found.reserved_cents / 100:,.2f} set aside."
        )
