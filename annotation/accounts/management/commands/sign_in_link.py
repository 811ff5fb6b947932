"""manage.py sign_in_link USER: a link that signs the user in to the console once, to choose a new password."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.accounts.links import LIFE, make_owner, new_link
from annotation.accounts.models import User


class Command(BaseCommand):
    help = "Print a link that signs a user in to the console once (--create: a new user; --owner: of the installation)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")
        parser.add_argument("--create", action="store_true", help="make the user first")
        parser.add_argument(
            "--owner",
            action="store_true",
            help="make the user an owner of the installation, who sees every study and the administration",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["user"]
        user = User.objects.filter(username=name).first()
        if user is None and options["create"]:
            user = User.objects.create_user(name)
        if user is None or not user.is_active:
            raise CommandError(f"There is no active user called {name}; --create makes one.", returncode=2)
        if options["owner"]:
            user = make_owner(name)
        self.stdout.write(new_link(user, now=timezone.now()))
        self.stderr.write(f"It works once, for {LIFE.days} days. Any older link of {name} no longer works.")
        if "CONSOLE_ORIGIN" in settings.DEFAULT_ORIGINS:
            self.stderr.write(f"It leads to {settings.CONSOLE_ORIGIN}. If you serve another port, set CONSOLE_ORIGIN.")
