"""One-time links into the console: for the first owner, and for who has forgotten a password."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse

from annotation.accounts.models import EntryLink, User

LIFE = timedelta(days=3)
OWNER = "owner"


def new_link(user: User, *, now: datetime, life: timedelta = LIFE) -> str:
    """The address of a new link that signs `user` in once; links that were made before are worth nothing then."""
    token = secrets.token_urlsafe(32)
    EntryLink.objects.filter(user=user, used_at=None).delete()
    EntryLink.objects.create(user=user, token_hash=_hashed(token), created_at=now, expires_at=now + life)
    return f"{settings.CONSOLE_ORIGIN}{reverse('console:enter', args=[token])}"


def find(token: str, *, now: datetime) -> EntryLink | None:
    """The unspent link, or None when it is unknown, spent or too old."""
    return _unspent(token, now).select_related("user").first()


def spend(token: str, *, now: datetime) -> User | None:
    """Whom the link signs in, once: of two uses at the same moment one finds it spent."""
    link = find(token, now=now)
    if link is None or not _unspent(token, now).filter(pk=link.pk).update(used_at=now):
        return None
    return link.user


def first_owner_link(*, now: datetime) -> str | None:
    """A link for the owner of an installation that nobody has entered yet (the account is made with the first);
    None from then on."""
    owners = list(User.objects.filter(is_superuser=True).order_by("pk"))
    if any(one.last_login or one.has_usable_password() for one in owners):
        return None
    owner = owners[0] if owners else User.objects.create_user(OWNER, is_superuser=True, is_staff=True)
    return new_link(owner, now=now)


def _unspent(token: str, now: datetime) -> QuerySet[EntryLink]:
    return EntryLink.objects.filter(token_hash=_hashed(token), used_at=None, expires_at__gt=now, user__is_active=True)


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
