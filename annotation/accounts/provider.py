"""Sign-in through an OpenID Connect provider: who comes from there, and which account is theirs.

The protocol is Authlib's (authorization code with PKCE, state, nonce; the signature, issuer, audience and times of the
ID token). Which account a person gets is decided here, and by default only an account that is there already.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import OAuth
from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from joserfc.errors import JoseError
from requests import RequestException

from annotation.accounts.models import AccountEvent, ProviderIdentity, User

SECONDS = 10.0
# A clock may be so far off.
LEEWAY_SECONDS = 60
# Of a public key: with a shared secret, or with none, whoever knows the client id could sign.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
FAILURES = (AuthlibBaseError, JoseError, RequestException, RuntimeError, ValueError, KeyError, TypeError)


class ProviderError(Exception):
    """Why nobody was signed in: a sentence for the person."""


def is_configured() -> bool:
    """Whether there is a provider."""
    return bool(settings.OIDC_ISSUER and settings.OIDC_CLIENT_ID)


def discovery_address() -> str:
    """Where the provider says what it has."""
    return f"{settings.OIDC_ISSUER.rstrip('/')}/.well-known/openid-configuration"


def send_to_provider(request: HttpRequest) -> HttpResponseBase:
    """Send the browser to the provider. Raises ProviderError."""
    try:
        answer: HttpResponseBase = _client().authorize_redirect(request, _return_address())
    except FAILURES as error:
        raise ProviderError(_away()) from error
    return answer


class Arrival(NamedTuple):
    """A person whom the provider sent back: the account, and the groups that the provider names."""

    user: User
    groups: frozenset[str]


def person_from_provider(request: HttpRequest, *, now: datetime) -> Arrival:
    """The account of the person whom the provider sent back, and their groups. Raises ProviderError."""
    if request.GET.get("error") == "access_denied":
        raise ProviderError(f"{settings.OIDC_NAME} did not let you in, or you stopped there.")
    client = _client()
    try:
        token = client.authorize_access_token(request, claims_options=_expected_claims(), leeway=LEEWAY_SECONDS)
        claims: dict[str, Any] = dict(token["userinfo"])
    except RequestException as error:
        raise ProviderError(_away()) from error
    except FAILURES as error:
        sentence = "The answer of {name} is not valid, or it is too old. Start again from the sign-in page."
        raise ProviderError(sentence.format(name=settings.OIDC_NAME)) from error
    return Arrival(account_of(claims, now=now), _groups(claims))


def _groups(claims: dict[str, Any]) -> frozenset[str]:
    """The names in the claim of groups, a list of words or one word; nothing of what has another form."""
    stated = claims.get(settings.OIDC_GROUPS_CLAIM)
    names = [stated] if isinstance(stated, str) else stated
    return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()


def account_of(claims: dict[str, Any], *, now: datetime) -> User:
    """The account of a person by the claims of a valid ID token. Raises ProviderError."""
    known = ProviderIdentity.objects.select_related("user").filter(issuer=settings.OIDC_ISSUER, subject=claims["sub"])
    if identity := known.first():
        return _let_in(identity.user)
    address = _verified_address(claims)
    with transaction.atomic():
        people = list(User.objects.filter(email__iexact=address)[:2])
        if len(people) > 1:
            raise ProviderError("Several accounts have your mail address. Ask an owner of this installation.")
        person = people[0] if people else _new_account(address)
        _let_in(person)
        try:
            with transaction.atomic():
                ProviderIdentity.objects.create(
                    user=person, issuer=settings.OIDC_ISSUER, subject=claims["sub"], bound_at=now
                )
        except IntegrityError as error:
            sentence = "The account with your mail address belongs to another person at {name}."
            raise ProviderError(sentence.format(name=settings.OIDC_NAME)) from error
        AccountEvent.objects.create(user=person, actor=person.get_username(), verb="provider connected", at=now)
    return person


def _let_in(person: User) -> User:
    if not person.is_active:
        raise ProviderError("Your account here is closed. Ask an owner of this installation.")
    return person


def _verified_address(claims: dict[str, Any]) -> str:
    address = str(claims.get("email") or "")
    # Only the truth value itself: some providers send words, and "false" is a word.
    if not address or claims.get("email_verified") is not True:
        raise ProviderError(f"{settings.OIDC_NAME} does not say that your mail address is verified.")
    return address


def _new_account(address: str) -> User:
    """A new account, which sees no study, where the owner lets people of that domain in."""
    name, _, domain = address.lower().rpartition("@")
    if domain not in settings.OIDC_DOMAINS:
        raise ProviderError(
            "No account here has your mail address. Ask an owner of this installation to enter it for your account "
            "(manage.py account_address NAME ADDRESS)."
        )
    names = [name, address.lower()]
    used = set(User.objects.filter(username__in=names).values_list("username", flat=True))
    free = next((choice for choice in names if choice not in used), None)
    if free is None:
        raise ProviderError("Another account has your name. Ask an owner of this installation.")
    person = User(username=free, email=address)
    person.set_unusable_password()
    person.save()
    return person


def _client() -> Any:
    """Return Authlib's client of the provider. Raises ProviderError where the provider names another issuer."""
    client = OAuth().register(
        "provider",
        client_id=settings.OIDC_CLIENT_ID,
        client_secret=settings.OIDC_CLIENT_SECRET,
        server_metadata_url=discovery_address(),
        client_kwargs={
            "scope": " ".join(settings.OIDC_SCOPES),
            "code_challenge_method": "S256",
            "default_timeout": SECONDS,
        },
    )
    try:
        stated = client.load_server_metadata()
        issuer, offered = stated["issuer"], stated.get("id_token_signing_alg_values_supported", ["RS256"])
    except FAILURES as error:
        raise ProviderError(_away()) from error
    if issuer.rstrip("/") != settings.OIDC_ISSUER.rstrip("/"):
        raise ProviderError("The provider names another issuer than OIDC_ISSUER. Ask an administrator.")
    algorithms = [algorithm for algorithm in offered if algorithm in ALGORITHMS]
    if not algorithms:
        raise ProviderError("The provider signs with no public key. Ask an administrator.")
    client.server_metadata["id_token_signing_alg_values_supported"] = algorithms
    return client


def _expected_claims() -> dict[str, Any]:
    issuer = settings.OIDC_ISSUER.rstrip("/")
    return {
        "iss": {"essential": True, "values": [issuer, f"{issuer}/"]},
        "aud": {"essential": True, "value": settings.OIDC_CLIENT_ID},
        "sub": {"essential": True},
        "exp": {"essential": True},
    }


def _return_address() -> str:
    return f"{settings.CONSOLE_ORIGIN}{reverse('console:provider-return')}"


def _away() -> str:
    return f"{settings.OIDC_NAME} does not answer. Try again later, or sign in with your password."
