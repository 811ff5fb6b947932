"""A provider of identities, and somebody with an account."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.test import Client

from annotation.accounts.models import User
from tests.annotation.accounts.identity_provider import IdentityProvider, serving

LONG = "quite a long pass phrase"


@pytest.fixture
def provider(settings: Any) -> Iterator[IdentityProvider]:
    with serving(IdentityProvider("assay", "a secret")) as served:
        settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID = served.issuer, served.client_id
        settings.OIDC_CLIENT_SECRET, settings.OIDC_NAME = served.secret, "the University"
        yield served


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", email="Ada@Example.org", password=LONG)


def go(client: Client, goal: str = "/console/new/") -> str:
    """To the provider and back: the address at which one arrives."""
    sent = client.get("/console/provider/", {"next": goal})
    assert sent.status_code == 302, sent.content.decode()
    return httpx.get(sent["Location"]).headers["Location"].removeprefix("http://127.0.0.1:8000")


def signed_in(client: Client) -> bool:
    return client.get("/console/").status_code == 200
