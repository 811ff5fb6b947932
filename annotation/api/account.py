"""The caller's tokens for this API, and keys for the Requester API. Each secret is shown once, when it is created."""

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
    """Who calls. is_superuser: has the role of an owner on every study."""

    username: str
    is_superuser: bool


class TokenIn(Schema):
    name: str = Field(min_length=1, max_length=60, description="What it is for.")


class TokenOut(Schema):
    """A token, without its value."""

    id: int
    name: str
    created_at: datetime
    revoked_at: datetime | None


class NewToken(TokenOut):
    """A token with its value, which is shown only once."""

    token: str


class KeyOut(Schema):
    """A key of the Requester API, without its secret."""

    key_id: str
    created_at: datetime
    revoked_at: datetime | None


class NewKey(KeyOut):
    """A key with its secret, which is shown only once."""

    secret_access_key: str


@router.get("/me", response=gives(PersonOut), summary="Who calls")
def me(request: HttpRequest) -> User:
    return caller(request)


@router.get("/tokens", response=gives(Paged[TokenOut]), summary="Your tokens, newest first")
def list_tokens(request: HttpRequest, page: Query[Page]) -> dict[str, Any]:
    return paged(ApiToken.objects.filter(user=caller(request)).order_by("-pk"), page)


@router.post("/tokens", response=gives(NewToken, 201), summary="Create a token")
def make_token(request: HttpRequest, body: TokenIn) -> Status[dict[str, object]]:
    row, token = ApiToken.objects.issue(caller(request), name=body.name, now=timezone.now())
    new_token = {"id": row.pk, "name": row.name, "created_at": row.created_at, "revoked_at": None, "token": token}
    return Status(201, new_token)


@router.delete("/tokens/{token}", response=gives(None, 204), summary="Revoke a token")
def revoke_token(request: HttpRequest, token: int) -> Status[None]:
    token_row = ApiToken.objects.filter(user=caller(request), pk=token).first()
    if token_row is None:
        raise HttpError(404, "You have no such token.")
    token_row.revoke(now=timezone.now())
    return Status(204, None)


@router.get("/keys", response=gives(Paged[KeyOut]), summary="Your keys of the Requester API, newest first")
def list_keys(request: HttpRequest, page: Query[Page]) -> dict[str, Any]:
    return paged(AccessKey.objects.filter(user=caller(request)).order_by("-pk"), page)


@router.post("/keys", response=gives(NewKey, 201), summary="Issue a key of the Requester API")
def make_key(request: HttpRequest) -> Status[dict[str, object]]:
    key, secret = AccessKey.objects.issue(caller(request))
    new_key = {"key_id": key.key_id, "created_at": key.created_at, "revoked_at": None, "secret_access_key": secret}
    return Status(201, new_key)


@router.delete("/keys/{key_id}", response=gives(None, 204), summary="Revoke a key of the Requester API")
def revoke_key(request: HttpRequest, key_id: str) -> Status[None]:
    key = AccessKey.objects.filter(user=caller(request), key_id=key_id).first()
    if key is None:
        raise HttpError(404, "You have no such key.")
    key.revoke(now=timezone.now())
    return Status(204, None)
