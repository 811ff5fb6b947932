from typing import Any

from django.utils import timezone

from annotation.flows.unblind import unblind
from annotation.management.commands._study import StudyCommand
from annotation.models import Role


class Command(StudyCommand):
    help = "Note that results of a study are looked at from now on: what is decided afterwards was not decided blindly."
    least = Role.REVIEWER

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.asked(options)
        first = unblind(study, actor=actor, now=timezone.now())
        self.stdout.write("Noted." if first else "That was noted before.")
