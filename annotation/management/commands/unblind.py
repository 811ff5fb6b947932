from typing import Any

from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.models import Role
from annotation.studies.unblind import unblind


class Command(StudyCommand):
    help = "Note that results of a study are looked at from now on: what is decided afterwards was not decided blindly."
    least = Role.REVIEWER

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.asked(options)
        first = unblind(study, actor=actor, now=timezone.now())
        self.stdout.write("Noted." if first else "That was noted before.")
