"""manage.py set_details STUDY KEY TEXT: store what only a person knows of a study, for its report."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Statement
from annotation.studies.statements import state


class Command(StudyCommand):
    help = "Store ethics approval, consent, licence, language and other details. An empty TEXT deletes one."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("key", choices=Statement.Key.values, metavar="KEY", help=", ".join(Statement.Key.values))
        parser.add_argument("text", metavar="TEXT")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        with sentences():
            statement = state(study, options["key"], options["text"], actor=actor, now=timezone.now())
        self.stdout.write(f"{options['key']}: {statement.body if statement else 'not stated'}")
