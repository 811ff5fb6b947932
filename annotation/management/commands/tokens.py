"""manage.py tokens USER: list, create and revoke tokens of the web API and keys of the Requester API."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.accounts.models import AccessKey, ApiToken, User


class Command(BaseCommand):
    help = "List a user's tokens for /api/v1/ and keys of the Requester API; create one (shown once), or revoke one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", help="username")
        deed = parser.add_mutually_exclusive_group()
        deed.add_argument("--new", metavar="NAME", help="create a token for the purpose NAME; it is printed once")
        deed.add_argument("--revoke", type=int, metavar="ID", help="revoke a token")
        deed.add_argument("--revoke-key", metavar="KEY_ID", help="revoke a key of the Requester API")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user named {options['user']!r}.", returncode=2)
        if options["new"]:
            _, token = ApiToken.objects.issue(user, name=options["new"], now=timezone.now())
            self.stdout.write(token)
            self.stderr.write("Copy it now: only its digest is stored.")
            return
        self._revoke(user, options)
        for token_row in ApiToken.objects.filter(user=user).order_by("pk"):
            self.stdout.write(
                f"{token_row.pk}  {token_row.name}  made {token_row.created_at:%Y-%m-%d}{_ended(token_row)}"
            )
        for key in AccessKey.objects.filter(user=user).order_by("pk"):
            self.stdout.write(f"{key.key_id}  issued {key.created_at:%Y-%m-%d}{_ended(key)}")

    def _revoke(self, user: User, options: dict[str, Any]) -> None:
        credential: ApiToken | AccessKey | None
        if options["revoke"] is not None:
            credential = ApiToken.objects.filter(user=user, pk=options["revoke"]).first()
        elif options["revoke_key"]:
            credential = AccessKey.objects.filter(user=user, key_id=options["revoke_key"]).first()
        else:
            return
        if credential is None:
            raise CommandError(f"{user} has no such token or key.", returncode=2)
        credential.revoke(now=timezone.now())


def _ended(credential: ApiToken | AccessKey) -> str:
    return f", revoked {credential.revoked_at:%Y-%m-%d}" if credential.revoked_at else ""
