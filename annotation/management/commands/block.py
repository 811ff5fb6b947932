"""manage.py block STUDY WORKER: block a worker on the marketplace, or end the block."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.jobs.celery_tasks import wake
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role
from annotation.review import workers
from annotation.review.block import block, unblock


class Command(StudyCommand):
    help = "Block a worker of a study (by pseudonym) on the marketplace. Usually `manage.py hold` is enough."
    required_role = Role.OWNER

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("worker", metavar="PSEUDONYM")
        deed = parser.add_mutually_exclusive_group(required=True)
        deed.add_argument("--reason")
        deed.add_argument("--lift", action="store_true", help="end the block")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        now = timezone.now()
        worker = workers.worker(study, options["worker"])
        if worker is None:
            raise CommandError("The study has no such worker.", returncode=2)
        with sentences():
            if options["lift"]:
                unblock(study, worker, actor=actor, now=now)
            else:
                block(study, worker, reason=options["reason"], actor=actor, now=now)
        wake(study.pk)
        self.stdout.write("Block ended." if options["lift"] else "Blocked.")
