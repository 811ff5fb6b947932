"""One-time links into the console: for the first owner, and for who has forgotten a password."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from itertools import chain, count

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
    """Return a link for the first owner of an installation (the account is created with the first link); None once
    an owner has signed in."""
    owners = list(User.objects.filter(is_superuser=True).order_by("pk"))
    if any(owner.last_login or owner.has_usable_password() for owner in owners):
        return None
    return new_link(owners[0] if owners else make_owner(_name_of_owner()), now=now)


def make_owner(name: str) -> User:
    """The user of that name, who owns the installation from now on: sees every study and the administration."""
    owner, _ = User.objects.get_or_create(username=name)
    if not owner.password:
        owner.set_unusable_password()
    owner.is_superuser = owner.is_staff = owner.is_active = True
    owner.save()
    return owner


def _name_of_owner() -> str:
    """Return a name that no account in use has."""
    names = chain([OWNER], (f"{OWNER}-{number}" for number in count(2)))
    used = {user.username for user in User.objects.filter(username__startswith=OWNER) if _in_use(user)}
    return next(name for name in names if name not in used)


def _in_use(user: User) -> bool:
    return bool(user.last_login or user.has_usable_password() or not user.is_active or user.memberships.exists())


def _unspent(token: str, now: datetime) -> QuerySet[EntryLink]:
    return EntryLink.objects.filter(token_hash=_hashed(token), used_at=None, expires_at__gt=now, user__is_active=True)


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
