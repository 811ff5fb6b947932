"""Which participants a browser has been: a signed cookie that outlives sessions."""

from __future__ import annotations

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
    response.set_cookie(
        COOKIE,
        signing.dumps([*others, participant_id][-MAX_PARTICIPANTS:], salt=SALT),
        max_age=LIFE_SECONDS,
        path=reverse("hits:list"),
        secure=urlsplit(settings.WORKER_ORIGIN).scheme == "https",
        httponly=True,
        samesite="Lax",
    )
