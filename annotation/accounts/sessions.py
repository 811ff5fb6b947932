"""Where an account is signed in to the console: the browsers, and ending them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from importlib import import_module
from ipaddress import ip_address, ip_network
from typing import Any

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from annotation.accounts.addresses import client_address
from annotation.accounts.models import AccountEvent, ConsoleSession, User

SEEN = "seen_minute"
# A session is written down as seen after so long, not at every request.
SEEN_EVERY = timedelta(minutes=10)
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def note_session(request: HttpRequest, user: User, *, now: datetime) -> None:
    """Write down that this browser has signed in as the user."""
    session = request.session
    if not session.session_key:
        session.save()
    session[SEEN] = _minute(now)
    limit = now - timedelta(seconds=settings.SESSION_COOKIE_AGE)
    ConsoleSession.objects.filter(user=user, seen_at__lt=limit).delete()
    ConsoleSession.objects.update_or_create(
        session_token=session.session_key,
        defaults={
            "user": user,
            "device": device_name(request.headers.get("User-Agent", "")),
            "network": shortened(client_address(request)),
            "began_at": now,
            "seen_at": now,
        },
    )


def follow_sessions(answer: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: write down, every ten minutes, that a session is in use."""

    def followed(request: HttpRequest) -> HttpResponseBase:
        if settings.SESSION_COOKIE_NAME in request.COOKIES and hasattr(request, "user"):
            _follow(request, now=timezone.now())
        return answer(request)

    return followed


def _follow(request: HttpRequest, *, now: datetime) -> None:
    session = request.session
    if SESSION_KEY not in session or session.get(SEEN, 0) > _minute(now - SEEN_EVERY):
        return
    if isinstance(request.user, User):
        session[SEEN] = _minute(now)
        if not ConsoleSession.objects.filter(session_token=session.session_key).update(seen_at=now):
            note_session(request, request.user, now=now)


def sessions_of(user: User, *, now: datetime) -> list[ConsoleSession]:
    """The sessions in which the user is signed in, the last used first. Rows of sessions that have ended go."""
    rows = list(ConsoleSession.objects.filter(user=user).order_by("-seen_at", "-pk"))
    stored = Session.objects.filter(session_key__in=[row.session_token for row in rows], expire_date__gt=now)
    right = user.get_session_auth_hash()
    valid = {row.session_key for row in stored if row.get_decoded().get(HASH_SESSION_KEY) == right}
    ConsoleSession.objects.filter(pk__in=[row.pk for row in rows if row.session_token not in valid]).delete()
    return [row for row in rows if row.session_token in valid]


def end_session(row: ConsoleSession, *, actor: str, now: datetime) -> None:
    """Sign that browser out."""
    _delete([row])
    AccountEvent.objects.create(user=row.user, actor=actor, verb="session ended", at=now)


def end_sessions(user: User, *, actor: str, now: datetime, keep: str | None = None) -> int:
    """Sign the user out everywhere but in the session with the key `keep`; return in how many browsers."""
    rows = list(ConsoleSession.objects.filter(user=user).exclude(session_token=keep or ""))
    _delete(rows)
    if rows:
        AccountEvent.objects.create(user=user, actor=actor, verb="sessions ended", at=now)
    return len(rows)


def rename_session(key: str | None, new_key: str | None) -> None:
    """Follow a session whose key has changed."""
    ConsoleSession.objects.filter(session_token=key).update(session_token=new_key)


def forget_session(key: str | None) -> None:
    """Delete the row of a session that ends by itself."""
    if key:
        ConsoleSession.objects.filter(session_token=key).delete()


def _delete(rows: list[ConsoleSession]) -> None:
    store: Any = import_module(settings.SESSION_ENGINE).SessionStore()
    for row in rows:
        store.delete(row.session_token)
        row.delete()


def device_name(agent: str) -> str:
    """Browser and system, as the browser names itself; nothing else of what it says is stored."""
    browser = next((name for word, name in BROWSERS if f"{word}/" in agent), "")
    system = next((name for word, name in SYSTEMS if word in agent), "")
    if browser and system:
        return f"{browser}, {system}"
    program = re.match(r"[A-Za-z][\w-]{0,30}", agent)
    return browser or system or (program.group() if program else "unknown")


def shortened(address: str) -> str:
    """The network of an address: /24 of IPv4, /48 of IPv6; "" of an unknown one."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return ""
    return str(ip_network(f"{parsed}/{24 if parsed.version == 4 else 48}", strict=False))


def _minute(moment: datetime) -> int:
    return int(moment.timestamp() // 60)
