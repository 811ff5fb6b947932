"""manage.py people STUDY: show and change the members of a study."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.accounts.models import User
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role
from annotation.studies.invite_member import LIFE, invite_member
from annotation.studies.members import enrol


class Command(StudyCommand):
    help = "List the members of a study and their roles; give a member a role, remove one, or invite by a link."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        deed = parser.add_mutually_exclusive_group()
        deed.add_argument("--give", nargs=2, metavar=("USER", "ROLE"), help=f"ROLE: {', '.join(Role.values)}")
        deed.add_argument("--remove", metavar="USER")
        deed.add_argument("--invite", metavar="ROLE", choices=Role.values, help="print a link for a colleague")

    def handle(self, *args: Any, **options: Any) -> None:
        name, role = options["give"] or (options["remove"], None)
        changes = bool(name or options["invite"])
        study, user, actor = self.study_and_actor(options, Role.OWNER if changes else Role.VIEWER)
        if options["invite"]:
            if user is None:
                raise CommandError("--as USER is required: the link says who invites.", returncode=2)
            with sentences():
                issued = invite_member(study, options["invite"], by=user, now=timezone.now())
            self.stdout.write(issued.address)
            self.stderr.write(f"It works once, for {LIFE.days} days. Send it to one colleague.")
            return
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
