"""manage.py sign_in_link USER: a link that signs the user in to the console once, to choose a new password."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.accounts.links import LIFE, new_link
from annotation.accounts.models import User


class Command(BaseCommand):
    help = "Print a link that signs a user in to the console once (--create: a new user who owns nothing yet)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")
        parser.add_argument("--create", action="store_true", help="make the user first")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["user"]
        user = User.objects.filter(username=name).first()
        if user is None and options["create"]:
            user = User.objects.create_user(name)
        if user is None or not user.is_active:
            raise CommandError(f"There is no active user called {name}; --create makes one.", returncode=2)
        self.stdout.write(new_link(user, now=timezone.now()))
        self.stderr.write(f"It works once, for {LIFE.days} days. Older links of {name} no longer work.")
