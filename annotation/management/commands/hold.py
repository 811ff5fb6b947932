"""manage.py hold STUDY WORKER: keep a person out of future studies for a while, or no longer."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_date

from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.review import workers
from annotation.workers import hold as verbs


class Command(StudyCommand):
    help = "Keep a worker of a study (by pseudonym) out of future studies until a day; work done stays as it is."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("worker", metavar="PSEUDONYM")
        parser.add_argument("--until", metavar="DATE", help="such as 2027-06-30")
        parser.add_argument("--reason", default="")
        parser.add_argument("--lift", action="store_true", help="end the hold")

    def handle(self, *args: Any, **options: Any) -> None:
        study, user, _ = self.asked(options)
        worker = workers.worker(study, options["worker"])
        if worker is None:
            raise CommandError("The study has no such worker.", returncode=2)
        if options["lift"]:
            if user is None:
                raise CommandError("Ending a hold takes a name (--as USER).", returncode=2)
            self.stdout.write(f"{verbs.lift(worker, actor=user, now=timezone.now(), study=study)} holds ended.")
            return
        until = parse_date(options["until"] or "")
        if until is None or user is None:
            raise CommandError("A hold has a last day (--until 2027-06-30) and a name (--as USER).", returncode=2)
        with sentences():
            verbs.hold(worker, reason=options["reason"], until=until, actor=user, now=timezone.now(), study=study)
        self.stdout.write(f"Held until {until}.")
