"""Which participants a browser has been: a signed cookie that outlives sessions."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

COOKIE = "assay_participant"
SALT = "marketplace.participants"
# Browsers keep no cookie for longer.
LIFE_SECONDS = 400 * 24 * 3600
MAX_PARTICIPANTS = 20


# What a browser has met at the door of a channel, for a day: it is counted once.
SEEN, DAY_SECONDS = "assay_seen", 24 * 3600


def note_seen(request: HttpRequest, response: HttpResponse, channel_id: str, word: str) -> tuple[bool, bool]:
    """Whether this browser comes to the channel for the first time today, and whether it meets `word` there anew."""
    try:
        seen = dict(signing.loads(request.COOKIES.get(SEEN, ""), salt=SALT))
    except (signing.BadSignature, ValueError, TypeError):
        seen = {}
    key = channel_id[:8]
    before = seen.pop(key, None)
    if before != word:
        pairs = [*seen.items(), (key, word)][-MAX_PARTICIPANTS:]
        response.set_cookie(
            SEEN,
            signing.dumps(pairs, salt=SALT),
            max_age=DAY_SECONDS,
            path=reverse("hits:list"),
            secure=urlsplit(settings.WORKER_ORIGIN).scheme == "https",
            httponly=True,
            samesite="Lax",
        )
    return before is None, before != word


def participants_of(request: HttpRequest) -> tuple[str, ...]:
    """The participants named by the cookie of `request`, the latest last; none when it was tampered with."""
    try:
        named = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT)
    except signing.BadSignature:
        return ()
    return tuple(named)


def remember(request: HttpRequest, response: HttpResponse, participant_id: str) -> None:
    """Add the participant to the cookie of this browser."""
    others = [known_id for known_id in participants_of(request) if known_id != participant_id]
    _store(response, [*others, participant_id][-MAX_PARTICIPANTS:])


def forget(request: HttpRequest, response: HttpResponse, participant_ids: Collection[str]) -> None:
    """Remove the participants from the cookie of this browser; nothing else that is stored of them changes."""
    _store(response, [known_id for known_id in participants_of(request) if known_id not in participant_ids])


def _store(response: HttpResponse, participant_ids: list[str]) -> None:
    response.set_cookie(
        COOKIE,
        signing.dumps(participant_ids, salt=SALT),
        max_age=LIFE_SECONDS,
        path=reverse("hits:list"),
        secure=urlsplit(settings.WORKER_ORIGIN).scheme == "https",
        httponly=True,
        samesite="Lax",
    )
