"""manage.py hold STUDY WORKER: exclude a worker from future studies until a date, or end the exclusion."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_date

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.review import workers
from annotation.workers import hold


class Command(StudyCommand):
    help = "Exclude a worker of a study (by pseudonym) from future studies until a date. Submitted work stays as it is."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("worker", metavar="PSEUDONYM")
        parser.add_argument("--until", metavar="DATE", help="such as 2027-06-30")
        parser.add_argument("--reason", default="")
        parser.add_argument("--lift", action="store_true", help="end the exclusion")

    def handle(self, *args: Any, **options: Any) -> None:
        study, user, _ = self.study_and_actor(options)
        worker = workers.worker(study, options["worker"])
        if worker is None:
            raise CommandError("The study has no such worker.", returncode=2)
        if options["lift"]:
            if user is None:
                raise CommandError("--as USER is required.", returncode=2)
            self.stdout.write(
                f"{hold.lift_hold(worker, actor=user, now=timezone.now(), study=study)} exclusions ended."
            )
            return
        until = parse_date(options["until"] or "")
        if until is None or user is None:
            raise CommandError("--until DATE (such as 2027-06-30) and --as USER are required.", returncode=2)
        with sentences():
            hold.hold(worker, reason=options["reason"], until=until, actor=user, now=timezone.now(), study=study)
        self.stdout.write(f"Excluded from future studies until {until}.")
