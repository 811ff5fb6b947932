"""manage.py archive STUDY: hide a study from the list, or show it again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role
from annotation.studies.archive import archive, unarchive


class Command(StudyCommand):
    help = "Hide a study that does not run from the list of studies (--undo: show it again). Nothing is deleted."
    required_role = Role.OWNER

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--undo", action="store_true", help="put the study on the list again")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        with sentences():
            (unarchive if options["undo"] else archive)(study, actor=actor, now=timezone.now())
        self.stdout.write(f"{study.name} is {'on the list of studies' if options['undo'] else 'archived'}.")
