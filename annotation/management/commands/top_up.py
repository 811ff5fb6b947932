from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.doors import sentences, study_called
from annotation.flows.top_up import TopUp, declare_width, keep_topped_up, top_up
from annotation.management.commands._acts import ActCommand


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
        if options["width"] is not None:
            study, most = study_called(options["study"]), options["most"] or 0
            with sentences():
                declare_width(study, width=options["width"], most=most, actor=options["actor"], now=timezone.now())
        if options["always"] is not None:
            keep_topped_up(
                study_called(options["study"]),
                on=options["always"] == "yes",
                actor=options["actor"],
                now=timezone.now(),
            )
        super().handle(*args, **options)

    def told(self, found: TopUp) -> str:
        if not found.pages:
            return "Every text has what the study asks for."
        return (
            f"{found.pages} pages are short: {found.places} places asked for ({found.new_hits} new HITs), "
            f"{found.prolonged} HITs prolonged, ${found.reserved_cents / 100:,.2f} set aside."
        )
