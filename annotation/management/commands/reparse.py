"""manage.py reparse STUDY: parse stored answers again."""

from __future__ import annotations

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
        study, _, actor = self.study_and_actor(options)
        with sentences():
            reset = reparse(study, everything=options["all"], actor=actor, now=timezone.now())
            parsed = read(study, now=timezone.now())
        self.stdout.write(
            f"{reset.submissions} submissions reset ({reset.judgments} judgments); parsed {parsed.submissions}: "
            f"{parsed.judgments} judgments, {parsed.unreadable} could not be read"
        )
