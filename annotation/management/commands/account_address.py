"""manage.py account_address USER [ADDRESS]: the mail address by which a provider's sign-in finds the account."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from django.utils import timezone

from annotation.accounts.models import AccountEvent, User
from annotation.studies.group_roles import disconnect


class Command(BaseCommand):
    help = (
        "Show or set the mail address by which sign-in through the OpenID Connect provider finds an account "
        "(--disconnect: forget which person of the provider it was, and take away the roles that groups gave)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")
        parser.add_argument("address", nargs="?")
        parser.add_argument(
            "--disconnect",
            action="store_true",
            help="forget which person of the provider it was, and take away the roles that groups gave",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user, address = User.objects.filter(username=options["user"]).first(), options["address"]
        if user is None:
            raise CommandError(f"There is no user called {options['user']}.", returncode=2)
        if options["disconnect"]:
            for place in disconnect(user, now=timezone.now()):
                where = f"the study {place}" if place else "this installation"
                self.stderr.write(f"{user.get_username()} stays the only owner of {where}, by a group.")
            self._note(user, "provider disconnected")
        if address:
            self._set(user, address)
        bound = "" if not user.provider_identities.exists() else ", connected to a person of the provider"
        self.stdout.write(f"{user.get_username()}: {user.email or 'no mail address'}{bound}")

    def _set(self, user: User, address: str) -> None:
        try:
            validate_email(address)
        except ValidationError:
            raise CommandError(f"{address} is not a mail address.", returncode=2) from None
        if other := User.objects.filter(email__iexact=address).exclude(pk=user.pk).first():
            raise CommandError(f"The account {other.get_username()} has this address.", returncode=2)
        user.email = address
        user.save(update_fields=["email"])
        self._note(user, "mail address set")

    def _note(self, user: User, verb: str) -> None:
        AccountEvent.objects.create(user=user, actor="manage.py", verb=verb, at=timezone.now())
