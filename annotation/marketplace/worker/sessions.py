"""How a worker is recognised: one-time links, and a session cookie of the worker site's own.

Both run by the real time and are stored as hashes.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from annotation.marketplace.models import OneTimeLink, WorkerAccount, WorkerSession

COOKIE = "assay_worker"
LINK_LIFE = timedelta(days=7)
SESSION_LIFE = timedelta(days=14)


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def new_link(worker: WorkerAccount, *, now: datetime) -> str:
    """The address of a new one-time sign-in link for `worker`."""
    token = secrets.token_urlsafe(32)
    OneTimeLink.objects.create(worker=worker, token_hash=_hashed(token), created_at=now, expires_at=now + LINK_LIFE)
    return settings.WORKER_ORIGIN + reverse("hits:enter", args=[token])


@transaction.atomic
def use_link(token: str, *, now: datetime) -> str | None:
    """Spend a link: the token of a new session, or None when the link is unknown, spent or too old."""
    links = OneTimeLink.objects.filter(token_hash=_hashed(token), used_at=None, expires_at__gt=now, worker__active=True)
    link = links.first()
    # The update decides: of two uses at the same moment one finds used_at already set.
    if link is None or not links.filter(pk=link.pk).update(used_at=now):
        return None
    return start(link.worker_id, now=now)


def start(worker_pk: int, *, now: datetime) -> str:
    """The token of a new session for the worker."""
    session = secrets.token_urlsafe(32)
    WorkerSession.objects.filter(expires_at__lte=now).delete()
    WorkerSession.objects.create(
        worker_id=worker_pk, token_hash=_hashed(session), created_at=now, expires_at=now + SESSION_LIFE
    )
    return session


def worker_of(request: HttpRequest, *, now: datetime) -> WorkerAccount | None:
    """The worker whose session cookie came with `request`."""
    token = request.COOKIES.get(COOKIE)
    if not token:
        return None
    found = WorkerSession.objects.filter(token_hash=_hashed(token), expires_at__gt=now, worker__active=True)
    session = found.select_related("worker__channel__requester__consent").first()
    return session.worker if session else None


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
    token = request.COOKIES.get(COOKIE, "")
    WorkerSession.objects.filter(token_hash=_hashed(token)).delete()
    response.delete_cookie(COOKIE, path=reverse("hits:list"), samesite="Lax")
