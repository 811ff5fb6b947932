"""manage.py processing_record [STUDY]: the record of processing activities, as a document or JSON."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation.jobs.data_protection.person import require_operator
from annotation.jobs.data_protection.processing_record import record_of_installation, record_of_study
from annotation.management.lookup import actor_of, add_actor, allowed_roles, sentences, study_called
from annotation.models import Role


class Command(BaseCommand):
    help = "Print what the installation, or one study, processes of people (GDPR Article 30), and what you must add."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", nargs="?", help="default: the whole installation")
        parser.add_argument("--json", action="store_true")
        add_actor(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        user, _ = actor_of(options)
        now = timezone.now()
        if options["study"]:
            study = study_called(options["study"], by=user, roles=allowed_roles(Role.REVIEWER))
            record = record_of_study(study, now=now)
        else:
            with sentences():
                require_operator(user)
            record = record_of_installation(now=now)
        self.stdout.write(record.json() if options["json"] else record.markdown())
