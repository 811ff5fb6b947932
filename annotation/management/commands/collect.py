from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation import conf
from annotation.crowd.client import Market
from annotation.doors import sentences, study_called
from annotation.flows.collect import collect
from annotation.flows.read import read
from annotation.flows.withdraw import withdraw, withdrawn_on


class Command(BaseCommand):
    help = "Fetch submitted work from the marketplace, store it as it came, and read it into judgments."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_called(options["study"])
        with sentences():
            market = Market(conf.endpoint())
            got = collect(study, market=market, now=timezone.now())
            gone = withdraw(study, withdrawn_on(study, market=market), actor="marketplace", now=timezone.now())
            understood = read(study, now=timezone.now())
        self.stdout.write(
            f"{got.new} new submissions, {understood.judgments} judgments; {understood.unreadable} could not be read; "
            f"{got.open_hits} HITs still open"
        )
        if gone.submissions:
            self.stdout.write(f"{gone.submissions} submissions were withdrawn: {gone.judgments} judgments erased")
