"""manage.py notify STUDY: send a message to workers through the marketplace."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.jobs.celery_tasks import wake
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Study, Worker
from annotation.review import workers as review_workers
from annotation.review.notify import notify


class Command(StudyCommand):
    help = "Write to workers of a study (by pseudonym) whose work was approved or rejected, or to all of them."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        who = parser.add_mutually_exclusive_group(required=True)
        who.add_argument("--to", metavar="PSEUDONYM", action="append", help="repeatable")
        who.add_argument("--everybody", action="store_true")
        parser.add_argument("--subject", required=True)
        parser.add_argument("--text", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        words = {"subject": options["subject"], "text": options["text"]}
        with sentences():
            workers = None if options["everybody"] else _named(study, options["to"])
            notices = notify(study, **words, actor=actor, now=timezone.now(), workers=workers)
        wake(study.pk)
        self.stdout.write(
            f"{notices.people} workers will get the message; {notices.already} already have it; "
            f"{notices.undecided} have no decision yet."
        )


def _named(study: Study, names: list[str]) -> list[Worker]:
    workers = review_workers.workers_by_pseudonym(study, names)
    if strangers := sorted(set(names) - set(workers)):
        raise CommandError(f"The study has no such worker: {', '.join(strangers)}.", returncode=2)
    return list(workers.values())
