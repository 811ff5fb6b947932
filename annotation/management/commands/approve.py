from typing import Any

from django.utils import timezone

from annotation.doors import sentences
from annotation.flows.review import approve
from annotation.management.commands._study import StudyCommand
from annotation.models import Role, Submission
from annotation.tasks import wake


class Command(StudyCommand):
    help = (
        "Approve payment of every submission of a study that nobody has decided on (manage.py work tells the market)."
    )

    least = Role.REVIEWER

    def handle(self, *args: Any, **options: Any) -> None:
        study, user, _ = self.asked(options)
        with sentences():
            found = approve(study, Submission.objects.filter(hit__study=study), actor=user, now=timezone.now())
        self.stdout.write(f"{found.decided} approved ({found.already} had been decided before)")
        if found.proposed:
            self.stdout.write(f"{found.proposed} wait for a second person, for somebody proposed to refuse them.")
        wake(study.pk)
