"""Whom a rate limit counts: the peer, or what our own proxies say of it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client, RequestFactory

from annotation.accounts.addresses import client_address, neighbourhood
from annotation.marketplace.models import WorkerAccount
from annotation.marketplace.workers.registration import SIGN_IN_PAIR

PEER = "127.0.0.1"


@pytest.mark.parametrize(
    ("proxies", "header", "address"),
    [
        (0, None, PEER),
        (0, "192.0.2.1", PEER),
        (1, None, PEER),
        (1, "203.0.113.5", "203.0.113.5"),
        (1, "192.0.2.1, 203.0.113.5", "203.0.113.5"),
        (2, "192.0.2.1, 203.0.113.5, 10.0.0.1", "203.0.113.5"),
        (2, "203.0.113.5", PEER),
        (1, "nonsense", PEER),
        (1, "203.0.113.5,", PEER),
        (1, " 2001:db8::1 ", "2001:db8::1"),
    ],
)
def test_the_header_is_believed_as_far_as_our_proxies_wrote_it(
    settings: Any, proxies: int, header: str | None, address: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    headers = {} if header is None else {"x-forwarded-for": header}
    assert client_address(RequestFactory().get("/", headers=headers)) == address


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("203.0.113.5", "203.0.113.5"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::"),
        ("2001:db8:1:2:bbbb::2", "2001:db8:1:2::"),
        ("::ffff:203.0.113.5", "203.0.113.5"),
        ("", ""),
    ],
)
def test_a_customers_own_network_counts_as_one(address: str, counted: str) -> None:
    assert neighbourhood(address) == counted


@pytest.fixture
def tries(client: Client, settings: Any, db: None) -> Any:
    """Tries to sign in, each said to come from other hops; the statuses."""
    settings.WORKER_ORIGIN = settings.HIT_ORIGIN = "http://testserver"
    WorkerAccount.objects.create(name="ann", worker_id="A1", created_at="2026-11-20T00:00:00Z")

    def tried(*hops: str) -> list[int]:
        form = {"who": "A1", "password": "no"}
        return [client.post("/hits/sign-in/", form, headers={"x-forwarded-for": hop}).status_code for hop in hops]

    return tried


def test_without_proxies_made_up_hops_get_nobody_further(tries: Any, settings: Any) -> None:
    settings.TRUSTED_PROXIES = 0
    made_up = [f"192.0.2.{number}" for number in range(SIGN_IN_PAIR.max_tries + 1)]
    assert tries(*made_up) == [401] * SIGN_IN_PAIR.max_tries + [429]


def test_behind_a_proxy_only_its_own_hop_counts(tries: Any, settings: Any) -> None:
    settings.TRUSTED_PROXIES = 1
    made_up = [f"192.0.2.{number}, 203.0.113.5" for number in range(SIGN_IN_PAIR.max_tries + 1)]
    assert tries(*made_up) == [401] * SIGN_IN_PAIR.max_tries + [429]
    assert tries("203.0.113.5, 203.0.113.6") == [401]
