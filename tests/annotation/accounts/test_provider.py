"""Sign-in through an OpenID Connect provider that the test serves, and faults planted in its answers."""

from __future__ import annotations

import io
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from joserfc.jwk import RSAKey

from annotation.accounts import factor_codes
from annotation.accounts.models import AccountEvent, ProviderIdentity, User
from annotation.jobs.diagnosis import check_provider
from tests.annotation.accounts.conftest import LONG, go, signed_in
from tests.annotation.accounts.identity_provider import IdentityProvider
from tests.deploy.test_settings import manage

pytestmark = pytest.mark.django_db


def refused(client: Client, answer: HttpResponse, sentence: str) -> bool:
    assert sentence in answer.content.decode(), answer.content.decode()
    return answer.status_code == 403 and not signed_in(client) and not ProviderIdentity.objects.exists()


def test_a_person_with_an_account_comes_in_and_is_known_from_then_on_by_what_the_provider_calls_them(
    client: Client, provider: IdentityProvider, ada: User
) -> None:
    page = client.get("/console/sign-in/?next=/console/new/").content.decode()
    assert "Sign in with the University" in page
    assert client.get(go(client))["Location"] == "/console/new/"
    assert signed_in(client)
    assert ProviderIdentity.objects.get().user == ada
    assert AccountEvent.objects.get().verb == "provider connected"
    provider.claims = {"sub": "person-1"}  # the address is not looked at again
    again = Client()
    again.get(go(again))
    assert signed_in(again)
    # Somebody else gets the address at the provider.
    provider.claims = {"sub": "person-2", "email": "ada@example.org", "email_verified": True}
    other = Client()
    assert "belongs to another person" in other.get(go(other)).content.decode()
    assert not signed_in(other)
    password = Client()
    password.post("/console/sign-in/", {"username": "ada", "password": LONG})
    assert signed_in(password)


def test_no_one_is_sent_to_another_site_afterwards(client: Client, provider: IdentityProvider, ada: User) -> None:
    assert client.get(go(client, "//evil.example/"))["Location"] == "/console/"


@pytest.mark.parametrize(
    "faults",
    [
        {"nonce": "another"},
        {"aud": "another-client"},
        {"exp": int(time.time()) - 3600, "iat": int(time.time()) - 7200},
        {"iss": "https://evil.example"},
        {"sub": None},
    ],
    ids=["nonce", "audience", "expired", "issuer", "subject"],
)
def test_an_id_token_with_a_wrong_claim_opens_nothing(
    client: Client, provider: IdentityProvider, ada: User, faults: dict[str, Any]
) -> None:
    provider.faults = faults
    assert refused(client, client.get(go(client)), "is not valid")


def test_an_id_token_signed_by_another_key_opens_nothing(client: Client, provider: IdentityProvider, ada: User) -> None:
    provider.signer = RSAKey.generate_key(2048, {"kid": "first"})
    assert refused(client, client.get(go(client)), "is not valid")
    provider.confused = True
    assert refused(client, client.get(go(client)), "is not valid")


def test_a_state_of_another_browser_opens_nothing(client: Client, provider: IdentityProvider, ada: User) -> None:
    address, other = go(client), Client()
    assert refused(other, other.get(address), "is not valid")
    query = parse_qs(urlsplit(address).query)
    changed = client.get("/console/provider/return/", {"code": query["code"][0], "state": "invented"})
    assert refused(client, changed, "is not valid")


def test_an_answer_is_worth_nothing_a_second_time(client: Client, provider: IdentityProvider, ada: User) -> None:
    address = go(client)
    client.get(address)
    client.post("/console/sign-out/")
    assert "is not valid" in client.get(address).content.decode()
    assert not signed_in(client)


@pytest.mark.parametrize("verified", [False, None, "false", "true"])
def test_an_address_that_is_not_verified_opens_nothing(
    client: Client, provider: IdentityProvider, ada: User, verified: Any
) -> None:
    provider.claims = {**provider.claims, "email_verified": verified}
    assert refused(client, client.get(go(client)), "does not say that your mail address is verified")


def test_a_closed_account_stays_closed(client: Client, provider: IdentityProvider, ada: User) -> None:
    User.objects.update(is_active=False)
    assert refused(client, client.get(go(client)), "Your account here is closed")
    User.objects.update(is_active=True)
    client.get(go(client))
    User.objects.update(is_active=False)
    assert not signed_in(client)
    assert "Your account here is closed" in client.get(go(client)).content.decode()


def test_without_an_account_one_comes_in_only_from_a_domain_that_the_owner_names(
    client: Client, provider: IdentityProvider, settings: Any
) -> None:
    assert refused(client, client.get(go(client)), "No account here has your mail address")
    settings.OIDC_DOMAINS = ["example.com"]
    assert refused(client, client.get(go(client)), "No account here has your mail address")
    settings.OIDC_DOMAINS = ["example.org"]
    client.get(go(client))
    assert signed_in(client)
    made = User.objects.get()
    assert (made.username, made.is_superuser, made.is_staff, made.has_usable_password()) == ("ada", False, False, False)
    assert not made.memberships.exists()


def test_two_accounts_with_one_address_are_told_apart_by_no_one(
    client: Client, provider: IdentityProvider, ada: User
) -> None:
    User.objects.create_user("other", email="ada@example.org")
    assert refused(client, client.get(go(client)), "Several accounts have your mail address")


def test_the_second_factor_is_wanted_after_the_provider_too(
    client: Client, provider: IdentityProvider, ada: User
) -> None:
    import pyotp

    assert factor_codes.confirm(ada, pyotp.TOTP(factor_codes.begin(ada)).now(), now=timezone.now())
    client.get(go(client))
    assert not signed_in(client)
    assert client.get("/console/sign-in/")["Location"].startswith("/console/second-factor/")


def test_a_provider_that_is_away_or_is_another_is_a_sentence_and_a_fault_of_the_doctor(
    client: Client, provider: IdentityProvider, ada: User, settings: Any
) -> None:
    assert [symptom.state for symptom in check_provider(timezone.now())] == ["ok"]
    provider.stated_issuer = "https://another.example"
    assert refused(client, client.get("/console/provider/"), "names another issuer")
    assert "calls itself https://another.example" in next(check_provider(timezone.now())).sentence
    settings.OIDC_ISSUER = "http://127.0.0.1:9"
    assert refused(client, client.get("/console/provider/"), "the University does not answer")
    assert next(check_provider(timezone.now())).state == "fault"


def test_without_a_provider_there_is_no_button_and_no_way(client: Client) -> None:
    assert "Sign in with" not in client.get("/console/sign-in/").content.decode().replace("Sign in with another", "")
    assert [client.get(f"/console/provider/{rest}").status_code for rest in ("", "return/")] == [404, 404]
    assert list(check_provider(timezone.now())) == []


def test_the_address_of_an_account_is_set_by_a_command(ada: User) -> None:
    User.objects.create_user("bo")
    out = io.StringIO()
    call_command("account_address", "bo", "bo@example.org", stdout=out)
    assert out.getvalue() == "bo: bo@example.org\n"
    with pytest.raises(CommandError, match="The account ada has this address"):
        call_command("account_address", "bo", "ADA@example.org")
    with pytest.raises(CommandError, match="is not a mail address"):
        call_command("account_address", "bo", "nowhere")
    ProviderIdentity.objects.create(user=ada, issuer="https://x.example", subject="1", bound_at=timezone.now())
    call_command("account_address", "ada", "--disconnect", stdout=out)
    assert not ProviderIdentity.objects.exists()


def test_an_issuer_without_encryption_is_refused() -> None:
    found = manage("check", OIDC_ISSUER="http://login.example.org")
    assert found.returncode == 2
    assert "OIDC_ISSUER must be an address such as https://login.example.org" in found.stderr
