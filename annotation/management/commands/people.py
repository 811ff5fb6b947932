"""manage.py people STUDY: show and change the members of a study."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.accounts.models import User
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role
from annotation.studies.members import enrol


class Command(StudyCommand):
    help = "List the members of a study and their roles; give a member a role, or remove one."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        deed = parser.add_mutually_exclusive_group()
        deed.add_argument("--give", nargs=2, metavar=("USER", "ROLE"), help=f"ROLE: {', '.join(Role.values)}")
        deed.add_argument("--remove", metavar="USER")

    def handle(self, *args: Any, **options: Any) -> None:
        name, role = options["give"] or (options["remove"], None)
        study, _, actor = self.study_and_actor(options, Role.OWNER if name else Role.VIEWER)
        if role is not None and role not in Role.values:
            raise CommandError(f"A role is one of {', '.join(Role.values)}, not {role}.", returncode=2)
        if name:
            person = User.objects.filter(username=name, is_active=True).first()
            if person is None:
                raise CommandError(f"There is no active user named {name!r}.", returncode=2)
            with sentences():
                enrol(study, person, role, actor=actor, now=timezone.now())
        for membership in study.memberships.select_related("user").order_by("user__username"):
            self.stdout.write(f"{membership.user}  {membership.role}")
