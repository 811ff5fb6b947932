"""How a worker is recognised: one-time links, and a session cookie of the worker site's own.

Both run by the real time and are stored as hashes.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import rotate_token
from django.urls import reverse

from annotation.marketplace.core import due_times
from annotation.marketplace.core.due_times import Moment
from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.models import OneTimeLink, WorkerAccount, WorkerSession

Purpose = OneTimeLink.Purpose

COOKIE = "assay_worker"
LINK_LIFE = timedelta(days=7)
SESSION_LIFE = timedelta(days=14)


def hashed(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_link(worker: WorkerAccount, *, now: datetime, life: timedelta = LINK_LIFE, email: str = "") -> str:
    """The address of a new one-time sign-in link for `worker`, mailed to `email` or handed over (the default)."""
    token = new_token(worker, Purpose.SIGN_IN, now=now, life=life, email=email)
    return settings.WORKER_ORIGIN + reverse("hits:enter", args=[token])


def new_token(worker: WorkerAccount, purpose: str, *, now: datetime, life: timedelta, email: str) -> str:
    """The token of a new one-time link."""
    token = secrets.token_urlsafe(32)
    OneTimeLink.objects.create(
        worker=worker, purpose=purpose, email=email, token_hash=hashed(token), created_at=now, expires_at=now + life
    )
    return token


def find_link(token: str, purpose: str, *, now: datetime) -> OneTimeLink | None:
    """The unspent link of `purpose`, or None when it is unknown, spent or too old."""
    return _unspent(token, purpose, now).select_related("worker").first()


def spend(token: str, purpose: str, *, now: datetime) -> OneTimeLink | None:
    """Spend a link; None when that cannot be done. Of two uses at the same moment one finds it spent."""
    link = find_link(token, purpose, now=now)
    if link is None or not _unspent(token, purpose, now).filter(pk=link.pk).update(used_at=now):
        return None
    return link


@transaction.atomic
def use_link(token: str, *, now: datetime) -> str | None:
    """Spend a sign-in link: the token of a new session, or None when the link is unknown, spent or too old."""
    link = spend(token, Purpose.SIGN_IN, now=now)
    if link is None:
        return None
    if link.email and link.email == link.worker.email and link.worker.email_confirmed_at is None:
        confirm(link.worker, link.email, now=now)
    return open_session(link.worker, now=now)


def confirm(worker: WorkerAccount, email: str, *, now: datetime) -> bool:
    """Make `email` the confirmed address of `worker`, who has read mail there; False when it is another's."""
    try:
        with transaction.atomic():
            WorkerAccount.objects.filter(pk=worker.pk).update(email=email, email_confirmed_at=now)
    except IntegrityError:
        return False
    return True


def open_session(worker: WorkerAccount, *, now: datetime) -> str:
    """The token of a new session of `worker`."""
    session = secrets.token_urlsafe(32)
    WorkerSession.objects.filter(expires_at__lte=now).delete()
    WorkerSession.objects.create(
        worker=worker, token_hash=hashed(session), created_at=now, expires_at=now + SESSION_LIFE
    )
    return session


def end_all(worker: WorkerAccount, *, but: HttpRequest | None = None) -> None:
    """Sign `worker` out everywhere (except where `but` comes from), and make links that are under way useless."""
    sessions = WorkerSession.objects.filter(worker=worker)
    if but is not None:
        sessions = sessions.exclude(token_hash=hashed(but.COOKIES.get(COOKIE, "")))
    sessions.delete()
    OneTimeLink.objects.filter(worker=worker, used_at=None).delete()


def _unspent(token: str, purpose: str, now: datetime) -> QuerySet[OneTimeLink]:
    rows = OneTimeLink.objects.filter(token_hash=hashed(token), purpose=purpose, used_at=None, expires_at__gt=now)
    return rows.filter(worker__active=True)


_SESSION = Prepared(
    lambda token_hash: (
        WorkerSession.objects.select_related("worker__channel__requester__consent")
        .annotate(**due_times.columns())
        .filter(token_hash=token_hash)
    ),
    str,
)


def visitor_of(request: HttpRequest, *, now: datetime) -> tuple[WorkerAccount, Moment] | None:
    """The worker whose session cookie came with `request`, and the market's moment."""
    token = request.COOKIES.get(COOKIE)
    for session in _SESSION(hashed(token)) if token else ():
        if session.expires_at > now and session.worker.active:
            return session.worker, due_times.moment_of(session)
    return None


def worker_of(request: HttpRequest, *, now: datetime) -> WorkerAccount | None:
    """The worker whose session cookie came with `request`."""
    visitor = visitor_of(request, now=now)
    return visitor[0] if visitor else None


def sign_in(request: HttpRequest, response: HttpResponse, session: str) -> HttpResponse:
    """Let `request`'s browser go on with `session`: the one it had before ends, and the forms' token changes."""
    WorkerSession.objects.filter(token_hash=hashed(request.COOKIES.get(COOKIE, ""))).delete()
    rotate_token(request)
    remember(response, session)
    return response


def remember(response: HttpResponse, session: str) -> None:
    """Put the session's cookie on `response`: for the worker site's own pages, out of reach of scripts."""
    response.set_cookie(
        COOKIE,
        session,
        max_age=int(SESSION_LIFE.total_seconds()),
        path=reverse("hits:list"),
        secure=urlsplit(settings.WORKER_ORIGIN).scheme == "https",
        httponly=True,
        samesite="Lax",
    )


def forget(request: HttpRequest, response: HttpResponse) -> None:
    """End the session of `request`."""
    rotate_token(request)
    token = request.COOKIES.get(COOKIE, "")
    WorkerSession.objects.filter(token_hash=hashed(token)).delete()
    response.delete_cookie(COOKIE, path=reverse("hits:list"), samesite="Lax")
