"""manage.py state NAME KEY TEXT: record what only a person can say of a study, for its report."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Statement
from annotation.studies.statements import state


class Command(StudyCommand):
    help = "Record ethics approval, consent, licence, language and the like; an empty TEXT takes it back."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("key", choices=Statement.Key.values, metavar="KEY", help=", ".join(Statement.Key.values))
        parser.add_argument("text", metavar="TEXT")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.asked(options)
        with sentences():
            made = state(study, options["key"], options["text"], actor=actor, now=timezone.now())
        self.stdout.write(f"{options['key']}: {made.body if made else 'nothing is stated'}")
