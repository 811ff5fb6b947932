from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation import conf
from annotation.crowd.client import Market
from annotation.doors import sentences, study_called
from annotation.flows.collect import collect
from annotation.flows.read import read


class Command(BaseCommand):
    help = "Fetch submitted work from the marketplace, store it as it came, and read it into judgments."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_called(options["study"])
        with sentences():
            got = collect(study, market=Market(conf.endpoint()), now=timezone.now())
            understood = read(study, now=timezone.now())
        self.stdout.write(
            f"{got.new} new submissions, {understood.judgments} judgments; {understood.unreadable} could not be read; "
            f"{got.open_hits} HITs still open"
        )
