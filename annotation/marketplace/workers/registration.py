"""Accounts that workers open and keep themselves: register, sign in by password, new passwords and addresses.

No response reveals whether an address has an account: both cases take the same path, a mail included. All by real time.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.urls import reverse

from annotation.marketplace.core.rate_limits import Limit, forget, pardon, take
from annotation.marketplace.ids import worker_id as new_worker_id
from annotation.marketplace.models import OneTimeLink, Registration, WorkerAccount
from annotation.marketplace.workers import mails, sessions

Purpose = OneTimeLink.Purpose

MAILED_LIFE = timedelta(hours=1)
REGISTRATION_LIFE = timedelta(days=3)

WINDOW, HOUR = timedelta(minutes=15), timedelta(hours=1)
# From one address to one account, to one account from anywhere, from one address to any account. A class may sit
# behind one address, so the last is wide; an account that others have locked is still entered by a mailed link.
SIGN_IN_PAIR = Limit("sign-in-pair", 10, WINDOW)
SIGN_IN_ACCOUNT = Limit("sign-in-account", 100, HOUR)
SIGN_IN_ADDRESS = Limit("sign-in-address", 200, WINDOW)
MAIL_TO = Limit("mail-to", 4, HOUR)
MAIL_FROM = Limit("mail-from", 100, HOUR)
PASSWORD_AGAIN = Limit("password-again", 10, WINDOW)


def lowered(email: str) -> str:
    """An address as accounts are found by."""
    return email.strip().lower()


def count_mail(email: str, *, client: str, now: datetime) -> None:
    """Count a mail to `email` that a visitor at `client` caused. Raises TooOftenError."""
    take(MAIL_FROM, client, now=now)
    take(MAIL_TO, lowered(email), now=now)


def with_address(email: str) -> WorkerAccount | None:
    """Whose confirmed address `email` is, or to whom alone an operator has given it."""
    rows: QuerySet[WorkerAccount] = WorkerAccount.objects.alias(low=Lower("email")).filter(low=lowered(email))
    if (owner := rows.filter(email_confirmed_at__isnull=False).first()) is not None:
        return owner if owner.active else None
    candidates = list(rows.filter(active=True)[:2])
    return candidates[0] if len(candidates) == 1 else None


def sign_in(who: str, password: str, *, client: str, now: datetime) -> str | None:
    """The token of a new session for the address or worker id `who`; None when they do not fit.

    Raises TooOftenError after too many tries that failed.
    """
    account = lowered(who)
    limits = ((SIGN_IN_ADDRESS, client), (SIGN_IN_ACCOUNT, account), (SIGN_IN_PAIR, f"{account} {client}"))
    for limit, subject in limits:
        take(limit, subject, now=now)
    worker = with_address(who) if "@" in who else _with_worker_id(who)
    if not _fits(worker, password) or worker is None:
        return None
    pardon(SIGN_IN_ADDRESS, client)
    pardon(SIGN_IN_ACCOUNT, account)
    forget(SIGN_IN_PAIR, f"{account} {client}")
    return sessions.open_session(worker, now=now)


def _with_worker_id(who: str) -> WorkerAccount | None:
    return WorkerAccount.objects.filter(worker_id=who.strip().upper(), active=True).first()


def _fits(worker: WorkerAccount | None, password: str) -> bool:
    if worker is None or not worker.password:
        # Takes as long as a comparison, so that time does not tell either.
        make_password(password)
        return False

    def better(raw: str) -> None:
        WorkerAccount.objects.filter(pk=worker.pk).update(password=make_password(raw))

    return check_password(password, worker.password, setter=better)


def knows_password(worker: WorkerAccount, password: str, *, now: datetime) -> bool:
    """Whether `password` is the worker's own, asked before a change; True for who has none. Raises TooOftenError."""
    if not worker.password:
        return True
    take(PASSWORD_AGAIN, worker.worker_id, now=now)
    if not _fits(worker, password):
        return False
    forget(PASSWORD_AGAIN, worker.worker_id)
    return True


def register(called: str, email: str, password: str, *, terms: str, now: datetime) -> None:
    """Mail `email` a link that finishes the registration, or to its owner that there is an account.

    Raises NotMailedError; then nothing is stored.
    """
    Registration.objects.filter(expires_at__lte=now).delete()
    token = secrets.token_urlsafe(32)
    registration = Registration(
        called=called, email=lowered(email), password=make_password(password), terms_version=terms,
        token_hash=sessions.hashed(token), created_at=now, expires_at=now + REGISTRATION_LIFE,
    )  # fmt: skip
    if with_address(email) is not None:
        mails.already_registered(registration.email, _page("hits:sign-in"))
        return
    registration.save(force_insert=True)
    try:
        mails.finish_registration(registration.email, _page("hits:finish", token))
    except mails.NotMailedError:
        registration.delete()
        raise


def registration_of(token: str, *, now: datetime) -> Registration | None:
    """The registration that `token` finishes, while it may."""
    return Registration.objects.filter(token_hash=sessions.hashed(token), expires_at__gt=now).first()


@transaction.atomic
def finish(token: str, *, now: datetime, market_now: datetime) -> WorkerAccount | None:
    """Make the account that was asked for; None when the link is unknown, spent, too old, or the address taken."""
    registration = registration_of(token, now=now)
    if (
        registration is None
        or not Registration.objects.filter(pk=registration.pk).delete()[0]
        or with_address(registration.email)
    ):
        return None
    new_id = new_worker_id()
    worker = WorkerAccount(
        worker_id=new_id, name=f"registered {new_id}", called=registration.called, email=registration.email,
        email_confirmed_at=now, password=registration.password, terms_version=registration.terms_version,
        terms_accepted_at=registration.created_at, created_at=market_now,
    )  # fmt: skip
    try:
        with transaction.atomic():
            worker.save(force_insert=True)
    except IntegrityError:
        return None
    Registration.objects.filter(email=registration.email).delete()
    return worker


def mail_sign_in_link(email: str, *, now: datetime) -> None:
    """Mail a sign-in link to the owner of `email`, or that there is no account. Raises NotMailedError."""
    worker = with_address(email)
    if worker is None:
        mails.no_account(lowered(email), _registration())
        return
    mails.sign_in_link(worker.email, sessions.new_link(worker, now=now, life=MAILED_LIFE, email=worker.email))


def mail_reset_link(email: str, *, now: datetime) -> None:
    """Mail a link to a new password to the owner of `email`, or that there is no account. Raises NotMailedError."""
    worker = with_address(email)
    if worker is None:
        mails.no_account(lowered(email), _registration())
        return
    token = sessions.new_token(worker, Purpose.RESET, now=now, life=MAILED_LIFE, email=worker.email)
    mails.reset_link(worker.email, _page("hits:reset", token))


def reset(token: str, password: str, *, now: datetime) -> str | None:
    """Spend a reset link: the token of a new session, all others end; None when the link cannot be used."""
    # Hashing takes its time: before the transaction, not in it.
    password_hash = make_password(password)
    with transaction.atomic():
        link = sessions.spend(token, Purpose.RESET, now=now)
        if link is None:
            return None
        if link.email == link.worker.email and link.worker.email_confirmed_at is None:
            sessions.confirm(link.worker, link.email, now=now)
        WorkerAccount.objects.filter(pk=link.worker_id).update(password=password_hash)
        sessions.end_all(link.worker)
        return sessions.open_session(link.worker, now=now)


def set_password(worker: WorkerAccount, password: str) -> None:
    WorkerAccount.objects.filter(pk=worker.pk).update(password=make_password(password))


def ask_for_address(worker: WorkerAccount, email: str, *, now: datetime) -> None:
    """Mail a link to the new address; the account changes when it is opened. Raises NotMailedError.

    An address that another account has gets a mail that says so.
    """
    owner = with_address(email)
    if owner is not None and owner.pk != worker.pk:
        mails.already_registered(lowered(email), _page("hits:sign-in"))
        return
    token = sessions.new_token(worker, Purpose.EMAIL, now=now, life=REGISTRATION_LIFE, email=lowered(email))
    mails.confirm_address(lowered(email), _page("hits:take-address", token))


@transaction.atomic
def take_address(token: str, *, now: datetime) -> tuple[WorkerAccount, str] | None:
    """Spend a link to a new address: the account and its address before; None when it cannot be used."""
    link = sessions.spend(token, Purpose.EMAIL, now=now)
    if link is None or not sessions.confirm(link.worker, link.email, now=now):
        return None
    # Links that were mailed to the old address open nothing any more.
    OneTimeLink.objects.filter(worker=link.worker, used_at=None).exclude(email="").delete()
    return link.worker, link.worker.email


def _page(name: str, *arguments: str) -> str:
    return str(settings.WORKER_ORIGIN + reverse(name, args=arguments))


def _registration() -> str:
    """Where one registers; empty where registration is closed."""
    return _page("hits:register") if settings.WORKER_REGISTRATION else ""
