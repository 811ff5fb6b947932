"""manage.py audit [STUDY]: check the log of studies."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.lookup import actor_of, add_actor, allowed_roles, study_called
from annotation.models import Role, Study
from annotation.studies.audit_check import prove


class Command(BaseCommand):
    help = "Check the log of a study (or of all): its chain of hashes, and that money and decisions agree with it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", nargs="?")
        add_actor(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        user, roles = actor_of(options)[0], allowed_roles(Role.VIEWER)
        every = Study.objects.order_by("pk") if user is None else Study.objects.with_role(user, *roles).order_by("pk")
        studies = [study_called(options["study"], by=user, roles=roles)] if options["study"] else list(every)
        faults = 0
        for study in studies:
            proof = prove(study)
            for fault in proof.faults:
                self.stderr.write(f"{study}: {fault}")
            faults += len(proof.faults)
            if not proof.faults:
                self.stdout.write(f"{study}: {proof.rows} rows of the log, decisions and money agree.")
        if faults:
            raise CommandError(f"{faults} faults found.", returncode=1)
