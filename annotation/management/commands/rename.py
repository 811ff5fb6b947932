"""manage.py rename STUDY NAME: give a study another name."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role
from annotation.studies.rename import rename


class Command(StudyCommand):
    help = "Rename a study. What was published or written before keeps the former name."
    required_role = Role.OWNER

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", metavar="NAME")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        before = study.name
        with sentences():
            rename(study, options["name"], actor=actor, now=timezone.now())
        self.stdout.write(f"{before} is now called {study.name}.")
