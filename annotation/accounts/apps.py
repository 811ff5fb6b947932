from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.utils import timezone


class AccountsConfig(AppConfig):
    name = "annotation.accounts"
    label = "accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        user_logged_in.connect(_note_sign_in, dispatch_uid="accounts.sign-in")
        user_logged_out.connect(_note_sign_out, dispatch_uid="accounts.sign-out")


def _note_sign_in(request: Any, user: Any, **more: Any) -> None:
    """Every way of signing in comes by here: the session is written down, and whether a second factor is owed."""
    from annotation.accounts import factor_codes, sessions  # models are ready only now

    factor_codes.note_state(request, user)
    sessions.note_session(request, user, now=timezone.now())


def _note_sign_out(request: Any, user: Any, **more: Any) -> None:
    from annotation.accounts import sessions

    sessions.forget_session(request.session.session_key)
