"""The base of the commands that do something to a study, in somebody's name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.core.management.base import BaseCommand, CommandParser

from annotation.accounts.models import User
from annotation.management.lookup import actor_of, add_actor, at_least, study_called
from annotation.models import Role, Study


class Asked(NamedTuple):
    """What a command is about, and who acts: a user (None: whoever has the terminal), and the name for the log."""

    study: Study
    user: User | None
    actor: str


class StudyCommand(BaseCommand):
    """`manage.py COMMAND STUDY [--as USER]`: a person needs at least the role `least`, as on the console's page."""

    least = Role.EDITOR

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY")
        add_actor(parser)

    def asked(self, options: Mapping[str, Any], least: Role | None = None) -> Asked:
        """The study and the actor; CommandError (exit code 2) where there is no such study for that person."""
        user, actor = actor_of(options)
        return Asked(study_called(options["study"], by=user, roles=at_least(least or self.least)), user, actor)
