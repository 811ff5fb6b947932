"""The second factor of an account: codes by time from an app, and printed recovery codes that each work once."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta

import pyotp
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from annotation.accounts import vault
from annotation.accounts.models import AccountEvent, SecondFactor, User

STATE, OWED, PASSED = "second_factor", "owed", "passed"
PERIOD_SECONDS = 30
# A clock may be one period off.
STEPS_OFF = (0, -1, 1)
RECOVERY_CODES = 10
MAX_FAILURES, WAIT = 10, timedelta(minutes=15)
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


class WaitError(Exception):
    """Too many wrong codes: none is tried for `minutes`."""

    def __init__(self, minutes: int) -> None:
        super().__init__(f"wait {minutes} minutes")
        self.minutes = minutes


def factor_of(user: User) -> SecondFactor | None:
    """The confirmed second factor of the user."""
    return SecondFactor.objects.filter(user=user).exclude(confirmed_at=None).first()


def is_required(user: User) -> bool:
    """Whether the installation lets this user in with a second factor only."""
    return bool(settings.SECOND_FACTOR_FOR_OWNERS and user.is_superuser)


def begin(user: User) -> str:
    """The secret for the user's app: the one that was shown before, until a code confirms it."""
    factor, _ = SecondFactor.objects.get_or_create(
        user=user, defaults={"sealed_secret": vault.seal(pyotp.random_base32())}
    )
    return vault.unseal(factor.sealed_secret)


def app_address(user: User) -> str:
    """The otpauth address that the user's app reads from a QR code."""
    address: str = pyotp.TOTP(begin(user)).provisioning_uri(name=user.get_username(), issuer_name="Assay")
    return address


def confirm(user: User, code: str, *, now: datetime) -> list[str] | None:
    """Switch the second factor on with a first code. Return the recovery codes, shown this once; None: a wrong code."""
    begin(user)
    with transaction.atomic():
        factor = SecondFactor.objects.select_for_update().get(user=user)
        if factor.confirmed_at:
            return None
        if not _accepted(factor, code, now=now, recovery=False):
            factor.save()
            return None
        factor.confirmed_at = now
        codes = _new_codes(factor)
        factor.save()
        AccountEvent.objects.create(user=user, actor=user.get_username(), verb="second factor added", at=now)
    return codes


def is_right(user: User, code: str, *, now: datetime) -> bool:
    """Whether the code is one of the app's, not used before, or a recovery code, which is spent. Raises WaitError."""
    with transaction.atomic():
        factor = SecondFactor.objects.select_for_update().exclude(confirmed_at=None).filter(user=user).first()
        if factor is None:
            return False
        accepted = _accepted(factor, code, now=now, recovery=True)
        factor.save()
        verb = "recovery code used" if len(_bare(code)) > 6 else ""
        if not accepted:
            verb = "wrong second factor"
        if verb:
            AccountEvent.objects.create(user=user, actor=user.get_username(), verb=verb, at=now)
    return accepted


def renew_codes(user: User, *, now: datetime) -> list[str]:
    """Ten new recovery codes, shown this once; those before are worth nothing then."""
    with transaction.atomic():
        factor = SecondFactor.objects.select_for_update().exclude(confirmed_at=None).get(user=user)
        codes = _new_codes(factor)
        factor.save()
        AccountEvent.objects.create(user=user, actor=user.get_username(), verb="recovery codes renewed", at=now)
    return codes


def remove(user: User, *, actor: str, now: datetime) -> bool:
    """Take the second factor away; return whether there was one."""
    deleted, _ = SecondFactor.objects.filter(user=user).exclude(confirmed_at=None).delete()
    if deleted:
        AccountEvent.objects.create(user=user, actor=actor, verb="second factor removed", at=now)
    return bool(deleted)


def ask_second_factor(answer: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: until the second factor was shown, nobody is signed in, by whichever way they came.

    Who has shown the first alone is `request.half_signed_in`, for the page that asks for the second.
    """

    def guarded(request: HttpRequest) -> HttpResponseBase:
        if settings.SESSION_COOKIE_NAME in request.COOKIES and hasattr(request, "user") and _is_owed(request):
            request.half_signed_in = request.user  # type: ignore[attr-defined]
            request.user = AnonymousUser()
        return answer(request)

    return guarded


def _is_owed(request: HttpRequest) -> bool:
    session = request.session
    if SESSION_KEY not in session or session.get(STATE) == PASSED:
        return False
    if session.get(STATE) != OWED and not settings.SECOND_FACTOR_FOR_OWNERS:
        return False
    return request.user.is_authenticated and (session.get(STATE) == OWED or is_required(request.user))


def note_state(request: HttpRequest, user: User) -> None:
    """At every sign-in: whether a second factor is owed."""
    request.session.pop(STATE, None)
    if factor_of(user):
        request.session[STATE] = OWED


def _accepted(factor: SecondFactor, code: str, *, now: datetime, recovery: bool) -> bool:
    """Try the code and count a failure. Raises WaitError."""
    if factor.waits_until and factor.waits_until > now:
        raise WaitError(max(1, -int((now - factor.waits_until).total_seconds() // 60)))
    bare = _bare(code)
    accepted = _is_of_app(factor, bare, now=now) if len(bare) <= 6 else recovery and _spend(factor, bare)
    if accepted:
        factor.failures, factor.waits_until = 0, None
        return True
    factor.failures += 1
    if factor.failures >= MAX_FAILURES:
        factor.failures, factor.waits_until = 0, now + WAIT
    return False


def _is_of_app(factor: SecondFactor, code: str, *, now: datetime) -> bool:
    app = pyotp.TOTP(vault.unseal(factor.sealed_secret), interval=PERIOD_SECONDS)
    present = int(now.timestamp()) // PERIOD_SECONDS
    for step in (present + off for off in STEPS_OFF):
        if step > factor.last_step and secrets.compare_digest(app.generate_otp(step).encode(), code.encode()):
            factor.last_step = step
            return True
    return False


def _spend(factor: SecondFactor, code: str) -> bool:
    hashed = _hashed(code)
    if hashed not in factor.recovery_hashes:
        return False
    factor.recovery_hashes = [other for other in factor.recovery_hashes if other != hashed]
    return True


def _new_codes(factor: SecondFactor) -> list[str]:
    codes = ["".join(secrets.choice(LETTERS) for _ in range(16)) for _ in range(RECOVERY_CODES)]
    factor.recovery_hashes = [_hashed(code) for code in codes]
    return ["-".join(code[start : start + 4] for start in range(0, 16, 4)) for code in codes]


def _bare(code: str) -> str:
    return "".join(letter for letter in code.lower() if letter.isascii() and letter.isalnum())


def _hashed(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
