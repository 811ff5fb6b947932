"""manage.py second_factor USER: whether the user has a second factor; --reset takes it away, for who has lost it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.template.defaultfilters import pluralize
from django.utils import timezone

from annotation.accounts import factor_codes, sessions
from annotation.accounts.models import User


class Command(BaseCommand):
    help = "Say whether a user has a second factor (--reset: remove it, and end the user's sessions)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")
        parser.add_argument("--reset", action="store_true", help="remove it, and end the user's sessions")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user called {options['user']}.", returncode=2)
        factor, name = factor_codes.factor_of(user), user.get_username()
        if factor is None:
            self.stdout.write(f"{name} has no second factor.")
            return
        if not options["reset"]:
            self.stdout.write(
                f"{name} has a second factor since {factor.confirmed_at:%Y-%m-%d} and {len(factor.recovery_hashes)} "
                "recovery codes that are not used."
            )
            return
        now = timezone.now()
        factor_codes.remove(user, actor="manage.py", now=now)
        ended = sessions.end_sessions(user, actor="manage.py", now=now)
        sessions_have = pluralize(ended, "session has,sessions have")
        self.stdout.write(f"The second factor of {name} is removed, and {ended} {sessions_have} ended.")
