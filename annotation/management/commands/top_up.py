"""manage.py top_up STUDY: request replacements for missing or excluded ratings."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.management.commands._acts import ActCommand
from annotation.management.lookup import sentences
from annotation.models import Study
from annotation.pricing.currency import format_money
from annotation.publishing.top_up import TopUp, declare_width, keep_topped_up, top_up


class Command(ActCommand[TopUp]):
    help = "Request replacements for missing or excluded ratings, by the study's stopping rule and within its budget."
    verb = staticmethod(top_up)

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--width", type=float, help="continue until the 95%% interval of each text is at most this wide"
        )
        parser.add_argument(
            "--always", choices=("yes", "no"), help="top up automatically each time the marketplace is read"
        )
        parser.add_argument("--most", type=int, help="with --width: maximum raters per text")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        if options["width"] is not None:
            with sentences():
                declare_width(
                    study, width=options["width"], max_raters=options["most"] or 0, actor=actor, now=timezone.now()
                )  # fmt: skip
        if options["always"] is not None:
            keep_topped_up(study, on=options["always"] == "yes", actor=actor, now=timezone.now())
        super().handle(*args, **options)

    def describe(self, study: Study, report: TopUp) -> str:
        if not report.pages:
            return "Every text has the ratings that the study requires."
        return (
            f"{report.pages} pages need ratings: {report.places} places requested ({report.new_hits} new HITs), "
            f"{report.prolonged} HITs prolonged, {format_money(report.reserved_cents, study.currency)} reserved."
        )
