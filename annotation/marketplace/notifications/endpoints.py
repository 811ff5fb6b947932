"""Registering who receives notifications: HTTPS addresses and queues, each once, under an ARN."""

from __future__ import annotations

import re
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from annotation.marketplace.core.rate_limits import Limit, TooOftenError, take
from annotation.marketplace.errors import InvalidParameterError, RequestRefusedError
from annotation.marketplace.models import Document, Endpoint, Requester, Transport
from annotation.marketplace.notifications.addresses import place_of, resolved
from annotation.marketplace.notifications.documents import account_of

# A requester names addresses of people who may not know them: each is asked once a day at most, and few in a day.
BY_ACCOUNT = Limit("notification-mail-account", 20, timedelta(days=1))
BY_ADDRESS = Limit("notification-mail-address", 3, timedelta(days=1))
ASK_AGAIN_AFTER = timedelta(days=1)
MAILTO = "mailto:"


@transaction.atomic
def register_address(requester: Requester, url: str, *, name: str | None, now: datetime) -> Endpoint:
    """The endpoint for `url`, made once; until it has confirmed, each call asks it again to confirm.

    Raises InvalidParameterError: no https address, not a public one, not to be found, a name that is taken or odd.
    """
    _check_reachable(url)
    account = account_of(requester)
    endpoint = account.endpoints.filter(transport=Transport.SNS, url=url).select_related("account").first()
    if endpoint is None:
        name = name or f"notices-{secrets.token_hex(4)}"
        endpoint = Endpoint(account=account, transport=Transport.SNS, name=name, url=url, created_at=now)
        _check_name(endpoint)
    elif endpoint.closed_at:
        endpoint.closed_at = endpoint.confirmed_at = None
    endpoint.save()
    if endpoint.confirmed_at is None:
        _ask_to_confirm(endpoint, requester, now)
    return endpoint


@transaction.atomic
def register_queue(requester: Requester, name: str, *, now: datetime) -> Endpoint:
    """The queue `name` of `requester`, made once. Raises InvalidParameterError for an odd name."""
    account = account_of(requester)
    queue = account.endpoints.filter(transport=Transport.SQS, name=name).select_related("account").first()
    if queue is None:
        queue = Endpoint(account=account, transport=Transport.SQS, name=name, created_at=now, confirmed_at=now)
        _check_name(queue)
    queue.closed_at = None
    queue.save()
    return queue


def queue_url(queue: Endpoint) -> str:
    """The address of a queue, as UpdateNotificationSettings and SQS clients name it."""
    return settings.WORKER_ORIGIN + reverse("sqs:queue", args=[queue.account.number, queue.name])


def receiver_for(requester: Requester, transport: str, destination: str) -> Endpoint:
    """The requester's own endpoint that `destination` names. One for mail is made here, and asked to confirm.

    Raises RequestRefusedError (InvalidTransportEndpoint).
    """
    if transport == Transport.EMAIL:
        _check_mail(destination)
        return _mail_receiver(requester, destination, now=timezone.now())
    rows = Endpoint.objects.select_related("account").filter(
        account__requester=requester, transport=transport, closed_at=None
    )
    called = destination.rsplit(":" if transport == Transport.SNS else "/", 1)[-1]
    for endpoint in rows.filter(name=called):
        if destination == (endpoint.arn if transport == Transport.SNS else queue_url(endpoint)):
            return endpoint
    raise RequestRefusedError(
        "InvalidTransportEndpoint",
        f"{destination[:200]!r} is not an active {transport} endpoint that was registered for this account.",
    )


@transaction.atomic
def _mail_receiver(requester: Requester, address: str, *, now: datetime) -> Endpoint:
    """The endpoint for an e-mail address. Until somebody there has confirmed, it is asked again, once a day.

    Raises RequestRefusedError (InvalidTransportEndpoint) beyond the limits.
    """
    account, url = account_of(requester), MAILTO + address
    endpoint = account.endpoints.filter(transport=Transport.EMAIL, url=url).select_related("account").first()
    if endpoint is None:
        name = f"mail-{secrets.token_hex(4)}"
        endpoint = Endpoint(account=account, transport=Transport.EMAIL, name=name, url=url, created_at=now)
    elif endpoint.closed_at is not None:
        endpoint.closed_at = endpoint.confirmed_at = None
    endpoint.save()
    if endpoint.confirmed_at is None and not _has_question(endpoint, since=now - ASK_AGAIN_AFTER):
        try:
            take(BY_ACCOUNT, str(requester.pk), now=now)
            take(BY_ADDRESS, address.lower(), now=now)
        except TooOftenError as refusal:
            raise RequestRefusedError(
                "InvalidTransportEndpoint",
                f"{address[:200]!r} has not confirmed that it wants notifications, and cannot be asked now: an account "
                f"asks {BY_ACCOUNT.max_tries} new addresses a day, and an address {BY_ADDRESS.max_tries} times "
                f"a day. Try again in {refusal.minutes} minutes.",
            ) from None
        _ask_to_confirm(endpoint, requester, now)
    return endpoint


def _has_question(endpoint: Endpoint, *, since: datetime) -> bool:
    questions = Document.objects.filter(endpoint=endpoint, kind=Document.Kind.CONFIRMATION)
    return questions.filter(created_at__gt=since).exists()


def _check_mail(destination: str) -> None:
    try:
        validate_email(destination)
    except ValidationError:
        raise RequestRefusedError(
            "InvalidTransportEndpoint", f"{destination[:200]!r} is not an e-mail address."
        ) from None


def _check_reachable(url: str) -> None:
    try:
        resolved(place_of(url))
    except OSError as error:
        raise InvalidParameterError(f"The address {url[:80]!r} cannot be found: {error.strerror}.") from None


def _check_name(endpoint: Endpoint) -> None:
    if not re.fullmatch("[A-Za-z0-9_-]{1,80}", endpoint.name):
        raise InvalidParameterError("A name has 1 to 80 letters, digits, hyphens and underscores.")
    if endpoint.account.endpoints.filter(transport=endpoint.transport, name=endpoint.name).exists():
        raise InvalidParameterError(f"The name {endpoint.name} is taken by another endpoint.")


def _ask_to_confirm(endpoint: Endpoint, requester: Requester, now: datetime) -> None:
    Document.objects.create(
        kind=Document.Kind.CONFIRMATION,
        requester=requester,
        transport=endpoint.transport,
        destination=endpoint.url.removeprefix(MAILTO) if endpoint.transport == Transport.EMAIL else endpoint.arn,
        endpoint=endpoint,
        body=f"You have chosen to subscribe to the topic {endpoint.arn}.\n"
        "To confirm the subscription, visit the SubscribeURL included in this message.",
        created_at=now,
        next_attempt_at=now,
    )
