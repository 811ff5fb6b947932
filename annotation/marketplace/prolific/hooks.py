"""Prolific's hooks: verified over the bytes as received, seen once, and believed in one thing only: look now.

What has happened is read by GET, so that late, repeated and disordered hooks do no harm.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.urls import reverse

from annotation.accounts.vault import UnreadableSecretError, seal, unseal
from annotation.marketplace.channels import tokens
from annotation.marketplace.models import ProlificAccount, ProlificEvent, ProlificStudy
from annotation.marketplace.prolific.answers import ProlificError
from annotation.marketplace.prolific.client import Client

log = logging.getLogger(__name__)
REPLAY_WINDOW = timedelta(minutes=5)
STORED_FOR = timedelta(days=3)
LONGEST_EVENT_ID = 200
EVENTS = ("submission.status.change", "study.status.change")
TIMESTAMP, SIGNATURE, EVENT = (
    "X-Prolific-Request-Timestamp",
    "X-Prolific-Request-Signature",
    "X-Event-ID",
)


class HookRefusedError(Exception):
    """A request that is no hook of Prolific's, or an old one."""


def token_of(account: ProlificAccount) -> str:
    """What the address of an account's hooks ends with."""
    return tokens.derived("marketplace.prolific-hook", account.pk)


def address_of(account: ProlificAccount) -> str:
    """Where Prolific sends an account's hooks."""
    return str(settings.WORKER_ORIGIN + reverse("hits:prolific-hook", args=[token_of(account)]))


def account_of(token: str) -> ProlificAccount | None:
    """Whose address a hook came to."""
    rows = ProlificAccount.objects.exclude(hook_secret_sealed="")
    return next((row for row in rows if hmac.compare_digest(token_of(row), token)), None)


def receive(account: ProlificAccount, raw: bytes, headers: Mapping[str, str], *, now: datetime) -> bool:
    """Have what a hook is about read at once; False where it was received before. Raises HookRefusedError.

    now: the real time. `raw`: the body, byte for byte.
    """
    check_signature(unseal(account.hook_secret_sealed), raw, headers, now=now)
    event = headers.get(EVENT, "")[:LONGEST_EVENT_ID] or hashlib.sha256(raw).hexdigest()
    ProlificEvent.objects.filter(received_at__lt=now - STORED_FOR).delete()
    _, is_new = ProlificEvent.objects.get_or_create(event_id=event, defaults={"received_at": now})
    if is_new:
        _have_read(account, raw)
    return is_new


def check_signature(secret: str, raw: bytes, headers: Mapping[str, str], *, now: datetime) -> None:
    """Raises HookRefusedError: no or another signature, no time, or a time that is too far from `now`."""
    stamp = headers.get(TIMESTAMP, "")
    expected = base64.b64encode(hmac.new(secret.encode(), stamp.encode() + raw, hashlib.sha256).digest())
    if not hmac.compare_digest(expected, headers.get(SIGNATURE, "").encode()):
        raise HookRefusedError("The signature is not Prolific's.")
    sent = _moment(stamp)
    if sent is None or abs(now - sent) > REPLAY_WINDOW:
        raise HookRefusedError("The hook is too old.")


def _moment(stamp: str) -> datetime | None:
    """Seconds or milliseconds since 1970, or ISO 8601."""
    try:
        if stamp.replace(".", "", 1).isdigit():
            seconds = float(stamp)
            return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC)
        moment = datetime.fromisoformat(stamp)
    except (ValueError, OverflowError, OSError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _have_read(account: ProlificAccount, raw: bytes) -> None:
    """Make reading due: of the study that the hook names, or of all where it names a person or is not understood."""
    try:
        document = json.loads(raw)
        resource = str(document.get("resource_id", "")) if isinstance(document, dict) else ""
    except ValueError:
        resource = ""
    rows = ProlificStudy.objects.filter(channel__requester=account.requester_id, state=ProlificStudy.State.PUBLISHED)
    named = rows.filter(prolific_id=resource) if resource else rows.none()
    (named if named.exists() else rows).update(sync_due_at=account.connected_at)


def subscribe(account: ProlificAccount, workspace_id: str, client: Client) -> None:
    """Have Prolific send hooks, where it can reach this site. Without them studies are read every minute."""
    if not settings.PROLIFIC_HOOKS:
        return
    address = address_of(account)
    try:
        missing = set(EVENTS) & set(client.list_event_types())
        if account.hook_secret_sealed:
            missing -= client.list_hook_events(workspace_id, address)
        else:
            # Stored before anything is sent that is signed with it.
            account.hook_secret_sealed = seal(client.create_secret(workspace_id))
            account.save(update_fields=["hook_secret_sealed"])
        for event in sorted(missing):
            client.subscribe(workspace_id, event, address)
    except (ProlificError, KeyError, UnreadableSecretError) as error:
        log.warning("Prolific sends no hooks to the account %s: %s", account.pk, error)
