"""Settings of oneself: a password, tokens for programs, keys of the Requester API; and what this installation is."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation import settings as conf
from annotation.accounts.models import AccessKey, ApiToken
from annotation.accounts.sessions import end_sessions, rename_session
from annotation.console.forms.sign_in import NewPassword, NewToken
from annotation.console.permission import console_page, visitor


@console_page
def keys(request: HttpRequest) -> HttpResponse:
    """The page; a new key comes with its secret, this once."""
    issued = AccessKey.objects.issue(visitor(request)) if request.method == "POST" else None
    return _shown(request, issued=issued)


def _shown(request: HttpRequest, **more: Any) -> HttpResponse:
    user = visitor(request)
    context = {
        "keys": AccessKey.objects.filter(user=user).order_by("-created_at"),
        "tokens": ApiToken.objects.filter(user=user).order_by("-pk"),
        "password": NewPassword(user),
        "token": NewToken(),
        "endpoint": settings.MTURK_ENDPOINT_URL,
        "queue": bool(settings.CELERY_BROKER_URL),
        "chromium": bool(conf.chromium()),
    }
    wrong = next((form for form in more.values() if getattr(form, "errors", None)), None)
    return render(request, "console/keys.html", {**context, **more, "form": wrong}, status=422 if wrong else 200)


@require_POST
@console_page
def password(request: HttpRequest) -> HttpResponse:
    form = NewPassword(visitor(request), request.POST)
    if not form.is_valid():
        return _shown(request, password=form)
    key, user = request.session.session_key, form.save()
    update_session_auth_hash(request, user)
    rename_session(key, request.session.session_key)
    end_sessions(user, actor=user.get_username(), now=timezone.now(), keep=request.session.session_key)
    messages.success(request, _("Password changed. Your other sessions have ended."))
    return redirect("console:keys")


@require_POST
@console_page
def make_token(request: HttpRequest) -> HttpResponse:
    """A token for the web API, shown this once."""
    form = NewToken(request.POST)
    if not form.is_valid():
        return _shown(request, token=form)
    token = ApiToken.objects.issue(visitor(request), name=form.cleaned_data["name"], now=timezone.now())
    return _shown(request, made=token)


@require_POST
@console_page
def revoke_token(request: HttpRequest, token: int) -> HttpResponse:
    get_object_or_404(ApiToken, user=visitor(request), pk=token).revoke(now=timezone.now())
    messages.success(request, _("Token revoked."))
    return redirect("console:keys")


@require_POST
@console_page
def revoke(request: HttpRequest, key_id: str) -> HttpResponse:
    get_object_or_404(AccessKey, user=visitor(request), key_id=key_id).revoke(now=timezone.now())
    messages.success(request, _("Key revoked."))
    return redirect("console:keys")
