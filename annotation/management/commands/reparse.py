from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.collecting.parse_submissions import read
from annotation.collecting.reparse import reparse
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences


class Command(StudyCommand):
    help = "Parse stored answers again: those that could not be parsed, or all. Raw answers and payments do not change."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--all", action="store_true", help="also those that were parsed")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.asked(options)
        with sentences():
            back = reparse(study, everything=options["all"], actor=actor, now=timezone.now())
            found = read(study, now=timezone.now())
        self.stdout.write(
            f"{back.submissions} submissions reset ({back.judgments} judgments); parsed {found.submissions}: "
            f"{found.judgments} judgments, {found.unreadable} could not be read"
        )
