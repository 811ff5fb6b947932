"""One's own tokens for this API, and keys for the Requester API. Each secret is shown once, when it is made."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, Query, Router, Schema, Status
from ninja.errors import HttpError

from annotation.accounts.models import AccessKey, ApiToken, User
from annotation.api.auth import caller
from annotation.api.responses import Page, Paged, gives, paged

router = Router(tags=["Account"])


class PersonOut(Schema):
    """Who calls. is_superuser: holds the role of an owner on every study."""

    username: str
    is_superuser: bool


class TokenIn(Schema):
    name: str = Field(min_length=1, max_length=60, description="What it is for.")


class TokenOut(Schema):
    """A token, without itself."""

    id: int
    name: str
    created_at: datetime
    revoked_at: datetime | None


class NewToken(TokenOut):
    """A token with itself, this once."""

    token: str


class KeyOut(Schema):
    """A key of the Requester API, without its secret."""

    key_id: str
    created_at: datetime
    revoked_at: datetime | None


class NewKey(KeyOut):
    """A key with its secret, this once."""

    secret_access_key: str


@router.get("/me", response=gives(PersonOut), summary="Who calls")
def me(request: HttpRequest) -> User:
    return caller(request)


@router.get("/tokens", response=gives(Paged[TokenOut]), summary="Your tokens, newest first")
def list_tokens(request: HttpRequest, page: Query[Page]) -> dict[str, Any]:
    return paged(ApiToken.objects.filter(user=caller(request)).order_by("-pk"), page)


@router.post("/tokens", response=gives(NewToken, 201), summary="Make a token")
def make_token(request: HttpRequest, given: TokenIn) -> Status[dict[str, object]]:
    row, token = ApiToken.objects.issue(caller(request), name=given.name, now=timezone.now())
    told = {"id": row.pk, "name": row.name, "created_at": row.created_at, "revoked_at": None, "token": token}
    return Status(201, told)


@router.delete("/tokens/{token}", response=gives(None, 204), summary="Revoke a token")
def revoke_token(request: HttpRequest, token: int) -> Status[None]:
    found = ApiToken.objects.filter(user=caller(request), pk=token).first()
    if found is None:
        raise HttpError(404, "You have no such token.")
    found.revoke(now=timezone.now())
    return Status(204, None)


@router.get("/keys", response=gives(Paged[KeyOut]), summary="Your keys of the Requester API, newest first")
def list_keys(request: HttpRequest, page: Query[Page]) -> dict[str, Any]:
    return paged(AccessKey.objects.filter(user=caller(request)).order_by("-pk"), page)


@router.post("/keys", response=gives(NewKey, 201), summary="Issue a key of the Requester API")
def make_key(request: HttpRequest) -> Status[dict[str, object]]:
    key, secret = AccessKey.objects.issue(caller(request))
    told = {"key_id": key.key_id, "created_at": key.created_at, "revoked_at": None, "secret_access_key": secret}
    return Status(201, told)


@router.delete("/keys/{key_id}", response=gives(None, 204), summary="Revoke a key of the Requester API")
def revoke_key(request: HttpRequest, key_id: str) -> Status[None]:
    found = AccessKey.objects.filter(user=caller(request), key_id=key_id).first()
    if found is None:
        raise HttpError(404, "You have no such key.")
    found.revoke(now=timezone.now())
    return Status(204, None)
