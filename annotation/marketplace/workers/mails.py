"""Mails to workers. Secrets are in mails only; only the mail says whether an address has an account."""

from __future__ import annotations

import logging
from smtplib import SMTPException

from django.core.mail import EmailMessage
from django.utils.translation import gettext as _

log = logging.getLogger(__name__)


class NotMailedError(Exception):
    """The mail server did not take the mail."""


def send(to: str, subject: str, *paragraphs: str) -> None:
    """Mail `paragraphs` to one address. Raises NotMailedError."""
    headers = {"Auto-Submitted": "auto-generated"}
    try:
        EmailMessage(subject, "\n\n".join([*paragraphs, ""]), to=[to], headers=headers).send()
    except (SMTPException, OSError) as error:
        log.warning("A mail to a worker could not be sent: %s", type(error).__name__)
        raise NotMailedError from None


def finish_registration(to: str, link: str) -> None:
    send(
        to,
        _("Finish your registration"),
        _("An account with this address was requested. Open this link to finish the registration:"),
        link,
        _("It works once, for three days. If it was not you, do nothing: no account is created."),
    )


def already_registered(to: str, sign_in: str) -> None:
    send(
        to,
        _("You have an account already"),
        _("A new account with this address was requested, but the address already has one. Sign in here:"),
        sign_in,
        _("There you can also reset your password or get a sign-in link by email. If it was not you, do nothing."),
    )


def sign_in_link(to: str, link: str) -> None:
    send(
        to,
        _("Your sign-in link"),
        _("Open this link to sign in:"),
        link,
        _("It works once, for one hour. Do not share it. If you did not ask for it, do nothing."),
    )


def reset_link(to: str, link: str) -> None:
    send(
        to,
        _("Choose a new password"),
        _("Open this link to choose a new password:"),
        link,
        _("It works once, for one hour. If you did not ask for it, do nothing: your password stays as it is."),
    )


def no_account(to: str, register: str) -> None:
    send(
        to,
        _("There is no account with this address"),
        _("A sign-in with this address was requested, but it has no account here."),
        _("You may have used another address. If it was not you, do nothing."),
        *([_("To register, open:"), register] if register else []),
    )


def confirm_address(to: str, link: str) -> None:
    send(
        to,
        _("Confirm your new address"),
        _("Open this link to use this address for your account:"),
        link,
        _("It works once, for three days. If you did not ask for it, do nothing."),
    )


def changed(to: str, what: str) -> None:
    """Mail the owner of an account about a change, without any secret."""
    send(
        to,
        _("Your account was changed"),
        what,
        _("If it was not you, reset your password at once and write to the people who run this site."),
    )
