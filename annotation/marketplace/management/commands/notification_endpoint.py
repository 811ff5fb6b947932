"""Register where the marketplace may send notifications."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.models import Endpoint, Requester, Transport
from annotation.marketplace.notifications.endpoints import queue_url, register_address, register_queue


class Command(BaseCommand):
    help = "Register an HTTPS address or a queue for a requester's notifications, list them, or close one."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        for action, argument, help_text in (
            ("add", "url", "an address that will be asked to confirm"),
            ("queue", "name", "a queue of the marketplace's own, read with an SQS client"),
            ("list", "", "what is registered"),
            ("close", "arn", "send nothing there any more"),
        ):
            subparser = actions.add_parser(action, help=help_text)
            if argument:
                subparser.add_argument(argument)
            if action == "add":
                subparser.add_argument("--name", help="the last part of the ARN (usually chosen by chance)")
            subparser.add_argument("--requester", help="whose it is; needed where there are several requesters")
            subparser.add_argument("--json", action="store_true", help="print JSON, one object a line")

    def handle(self, *args: Any, **options: Any) -> None:
        requester, now = _requester(options["requester"]), timezone.now()
        try:
            if options["action"] == "add":
                endpoints = [register_address(requester, options["url"], name=options["name"], now=now)]
            elif options["action"] == "queue":
                endpoints = [register_queue(requester, options["name"], now=now)]
            else:
                endpoints = list(_known(requester, options.get("arn")))
        except InvalidParameterError as error:
            raise CommandError(str(error)) from None
        if options["action"] == "close":
            _close(endpoints)
        for endpoint in endpoints:
            endpoint.refresh_from_db()
            self._tell(endpoint, as_json=options["json"])

    def _tell(self, endpoint: Endpoint, *, as_json: bool) -> None:
        fields = {"arn": endpoint.arn, "url": endpoint.url or queue_url(endpoint), "state": _state(endpoint)}
        self.stdout.write(json.dumps(fields) if as_json else "  ".join(fields.values()))


def _requester(name: str | None) -> Requester:
    rows = Requester.objects.order_by("pk")
    requesters = list(rows.filter(user__username=name) if name is not None else rows[:2])
    if len(requesters) == 1:
        return requesters[0]
    if name is not None:
        raise CommandError(f"There is no requester {name!r}.")
    raise CommandError("Name the requester by --requester: there is not exactly one.")


def _known(requester: Requester, arn: str | None) -> list[Endpoint]:
    rows = Endpoint.objects.select_related("account").filter(account__requester=requester).order_by("pk")
    endpoints = [endpoint for endpoint in rows if arn in {None, endpoint.arn}]
    if arn is not None and not endpoints:
        raise CommandError(f"There is no endpoint {arn}.")
    return endpoints


def _close(endpoints: list[Endpoint]) -> None:
    rows = Endpoint.objects.filter(pk__in=[endpoint.pk for endpoint in endpoints], closed_at=None)
    rows.update(closed_at=timezone.now())


def _state(endpoint: Endpoint) -> str:
    if endpoint.closed_at is not None:
        return "closed"
    if endpoint.transport != Transport.SQS and endpoint.confirmed_at is None:
        return "waiting for confirmation"
    return "active"
