from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation.doors import sentences, study_called
from annotation.flows.read import read
from annotation.flows.reparse import reparse


class Command(BaseCommand):
    help = "Read stored answers anew: those that could not be read, or all. Raw answers and payments stay as they are."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--all", action="store_true", help="also those that were read")
        parser.add_argument("--as", dest="actor", default="command line", help="who does it, for the audit log")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_called(options["study"])
        with sentences():
            back = reparse(study, everything=options["all"], actor=options["actor"], now=timezone.now())
            found = read(study, now=timezone.now())
        self.stdout.write(
            f"{back.submissions} submissions taken back ({back.judgments} judgments); read {found.submissions}: "
            f"{found.judgments} judgments, {found.unreadable} could not be read"
        )
