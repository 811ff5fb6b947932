"""Sealed lists: who took part is recognised for a while after their id was deleted, and by nothing but the id."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from datetime import datetime

from django.conf import settings
from django.db.models import Q

from annotation.marketplace.models import Channel, ParticipantIdentity, Requester, SealedId


def digest_of(requester: Requester | int, value: str) -> str:
    """HMAC-SHA256 of an id or address, another for each requester."""
    key = requester if isinstance(requester, int) else requester.pk
    message = f"sealed id\0{key}\0{value.strip().lower()}"
    return hmac.new(settings.SECRET_KEY.encode(), message.encode(), hashlib.sha256).hexdigest()


def seal_ids(requester: int, study: str, values: Iterable[str], *, purpose: SealedId.Purpose, until: datetime) -> int:
    """Keep hashes of these ids until a day; how many there are. Ids that are sealed already stay as they are."""
    digests = {digest_of(requester, value) for value in values if value.strip()}
    rows = [
        SealedId(requester_id=requester, study=study, purpose=purpose, digest=digest, until=until)
        for digest in sorted(digests)
    ]
    SealedId.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


def seal_people(channels: Iterable[Channel], *, now: datetime) -> int:
    """Seal who took part by these channels, before their identities are deleted; how many ids. Others leave nothing."""
    number = 0
    for channel in channels:
        if channel.sealed_until is None or channel.sealed_until <= now:
            continue
        began = ParticipantIdentity.objects.filter(channel=channel, participant__began_at__isnull=False)
        ids = [value for pair in began.values_list("external_id", "email") for value in pair]
        number += seal_ids(
            channel.requester_id, channel.study, ids, purpose=SealedId.Purpose.ONCE, until=channel.sealed_until
        )
    return number


def is_sealed(channel: Channel, values: Iterable[str], *, now: datetime) -> bool:
    """Whether one of these ids has taken part in the channel's study and is not let in again before a day."""
    digests = {digest_of(channel.requester_id, value) for value in values if value.strip()}
    if not digests:
        return False
    scope = Q(study="") | Q(study=channel.study) if channel.study else Q(study="")
    rows = SealedId.objects.filter(
        scope, requester=channel.requester_id, purpose=SealedId.Purpose.ONCE, digest__in=digests, until__gt=now
    )
    return rows.exists()


def is_erased_session(channel: Channel, session_id: str) -> bool:
    """Whether a session at Prolific is of a person who was erased."""
    digest = digest_of(channel.requester_id, session_id)
    erased = SealedId.objects.filter(requester=channel.requester_id, purpose=SealedId.Purpose.ERASED, digest=digest)
    return bool(session_id) and erased.exists()
