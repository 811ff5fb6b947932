"""Create a requester of the marketplace, or set its balance."""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from annotation.accounts.models import AccessKey, User
from annotation.marketplace.cents import DOLLARS, currencies, decimals, dollars
from annotation.marketplace.core import clock
from annotation.marketplace.core.requester_name import set_display_name
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.models import Requester
from annotation.marketplace.workers.open_accounts import fund


class Command(BaseCommand):
    help = "Create the requester NAME or set its balance; print the access key for its scripts."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument(
            "--balance", action="append", help="what the account can spend, such as 10000.00 (dollars) or '50.00 EUR'"
        )
        parser.add_argument(
            "--pays", choices=Requester.Pays.values, help="how workers are paid: by payouts from here (usual), or not"
        )
        parser.add_argument(
            "--display-name",
            metavar="NAME",
            help="what participants read as who asks: a person, a group, a lab",
        )
        parser.add_argument("--new-key", action="store_true", help="revoke the keys so far and issue another")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        user, _ = User.objects.get_or_create(username=options["name"], defaults={"password": "!"})
        requester, _ = Requester.objects.get_or_create(user=user, defaults={"created_at": clock.now()})
        if options["pays"] is not None:
            Requester.objects.filter(pk=requester.pk).update(pays=options["pays"])
        if options["display_name"] is not None:
            try:
                set_display_name(requester, options["display_name"])
            except InvalidParameterError as error:
                raise CommandError(str(error)) from None
        for text in _texts(options["balance"]):
            balance, currency = _amount(text)
            fund(requester, balance=balance, now=clock.now(), currency=currency)
        key_id, secret = _key(user, renew=options["new_key"])
        credentials = {
            "access_key": key_id,
            "secret_key": secret,
            "endpoint_url": settings.WORKER_ORIGIN + reverse("wire:endpoint"),
        }
        requester.refresh_from_db()
        if options["json"]:
            self.stdout.write(json.dumps(credentials))
            return
        shown = requester.display_name or f"(not set: people read {requester.account_name}; set it by --display-name)"
        for name, value in (
            *credentials.items(),
            ("display_name", shown),
            ("balance", dollars(requester.balance_cents)),
            *(
                ("balance", f"{dollars(row.balance_cents, row.currency)} {row.currency}")
                for row in requester.balances.order_by("currency")
            ),
        ):
            self.stdout.write(f"{name}: {value if value is not None else '(shown once, when it was issued)'}")


def _texts(balance: str | list[str] | None) -> list[str]:
    return [balance] if isinstance(balance, str) else list(balance or ())


def _amount(text: str) -> tuple[int, str]:
    """Minor units and currency of 10000.00 (dollars) or 50.00 EUR."""
    number, _, code = text.strip().partition(" ")
    currency = code.strip().upper() or DOLLARS
    if currency not in currencies():
        raise CommandError(f"--balance: {code.strip()[:20]!r} is not a currency in use (ISO 4217), such as EUR.")
    try:
        amount = Decimal(number)
    except InvalidOperation:
        amount = Decimal("NaN")
    digits = decimals(currency)
    if not amount.is_finite() or not 0 <= amount <= 10**12 or amount != round(amount, digits):
        shape = "dollars and cents such as 10000.00" if currency == DOLLARS else f"{currency} with {digits} decimals"
        raise CommandError(f"--balance must be {shape}, not {text!r}.")
    return int(amount.scaleb(digits)), currency


def _key(user: User, *, renew: bool) -> tuple[str, str | None]:
    """An active key and its secret; a secret that exists already is shown again in development only."""
    active = AccessKey.objects.active().filter(user=user).order_by("pk")
    if renew:
        active.update(revoked_at=timezone.now())
    if key := active.first():
        return key.key_id, key.secret() if settings.MARKETPLACE_DEVELOPMENT else None
    key, secret = AccessKey.objects.issue(user)
    return key.key_id, secret
