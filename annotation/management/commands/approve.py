from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation.doors import sentences, study_called
from annotation.flows.review import approve
from annotation.models import Submission
from annotation.tasks import wake


class Command(BaseCommand):
    help = (
        "Approve payment of every submission of a study that nobody has decided on (manage.py work tells the market)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_called(options["study"])
        with sentences():
            found = approve(study, Submission.objects.filter(hit__study=study), actor=None, now=timezone.now())
        self.stdout.write(f"{found.decided} approved ({found.already} had been decided before)")
        wake(study.pk)
