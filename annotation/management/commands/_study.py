"""Base the commands on a study, which act in the name of a user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.core.management.base import BaseCommand, CommandParser

from annotation.accounts.models import User
from annotation.management.lookup import actor_of, add_actor, allowed_roles, study_called
from annotation.models import Role, Study


class StudyAndActor(NamedTuple):
    """The study of a command, and who acts: the user (None: on the command line) and the name for the log."""

    study: Study
    user: User | None
    actor: str


class StudyCommand(BaseCommand):
    """`manage.py COMMAND STUDY [--as USER]`: a user needs at least `required_role`, as on the console's page."""

    required_role = Role.EDITOR

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY")
        add_actor(parser)

    def study_and_actor(self, options: Mapping[str, Any], role: Role | None = None) -> StudyAndActor:
        """Return the study and the actor. Raises CommandError (exit code 2) for a study that the user may not use."""
        user, actor = actor_of(options)
        return StudyAndActor(
            study_called(options["study"], by=user, roles=allowed_roles(role or self.required_role)), user, actor
        )
