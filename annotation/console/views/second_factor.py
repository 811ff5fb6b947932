"""The second factor: the step after the password, and one's own settings of it."""

from __future__ import annotations

from typing import Any

import segno
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.accounts import factor_codes as factors
from annotation.accounts import sessions
from annotation.accounts.models import User
from annotation.console.forms.sign_in import FactorCode, FirstCode
from annotation.console.permission import console_page, visitor


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def step(request: HttpRequest) -> HttpResponse:
    """After the password: the code; and for an owner who must have a second factor and has none, its beginning."""
    user: User | None = getattr(request, "half_signed_in", None)
    if user is None:
        return redirect("console:studies")
    has_factor = factors.factor_of(user) is not None
    form = (FactorCode if has_factor else FirstCode)(request.POST or None)
    context: dict[str, Any] = {"name": user.get_username(), "next": _goal(request), "form": form}
    if not has_factor and not factors.is_required(user):
        return _passed(request, context["next"])
    if request.method == "POST" and form.is_valid():
        codes = _answered(user, form, has_factor)
        if codes is not None:
            passed = _passed(request, context["next"])
            if has_factor:
                return passed
            response = render(request, "console/second_factor_codes.html", {**context, "codes": codes})
            patch_cache_control(response, private=True, no_store=True)
            return response
    page = "second_factor_step" if has_factor else "second_factor_begin"
    response = render(request, f"console/{page}.html", {**context, **({} if has_factor else _enrolment(user))})
    response.status_code = 422 if form.errors else 200
    patch_cache_control(response, private=True, no_store=True)
    return response


def _answered(user: User, form: FactorCode, has_factor: bool) -> list[str] | None:
    """Recovery codes to show, none where there was a factor before; None and an error in the form for a wrong code."""
    code, now = form.cleaned_data["code"], timezone.now()
    try:
        if has_factor:
            answered: list[str] | None = [] if factors.is_right(user, code, now=now) else None
        else:
            answered = factors.confirm(user, code, now=now)
    except factors.WaitError as error:
        form.add_error("code", _waits(error))
        return None
    if answered is None:
        form.add_error(
            "code", _("This code is not right, or it was used before. Wait for the next one, and check the clock.")
        )
    return answered


def _waits(error: factors.WaitError) -> str:
    sentence = ngettext(
        "There were too many wrong codes. Try again in %(minutes)d minute.",
        "There were too many wrong codes. Try again in %(minutes)d minutes.",
        error.minutes,
    )
    return sentence % {"minutes": error.minutes}


def _passed(request: HttpRequest, goal: str) -> HttpResponse:
    """Signed in from now on, in a session with another key."""
    key = request.session.session_key
    request.session[factors.STATE] = factors.PASSED
    request.session.cycle_key()
    sessions.rename_session(key, request.session.session_key)
    return redirect(goal)


def _goal(request: HttpRequest) -> str:
    goal = request.POST.get("next") or request.GET.get("next", "")
    inside = url_has_allowed_host_and_scheme(goal, {request.get_host()}, require_https=request.is_secure())
    return goal if inside else reverse("console:studies")


def _enrolment(user: User) -> dict[str, str]:
    secret = factors.begin(user)
    return {
        "secret": " ".join(secret[start : start + 4] for start in range(0, len(secret), 4)),
        "picture": segno.make(factors.app_address(user), error="m").svg_data_uri(scale=5, border=4, light="#fff"),
    }


@console_page
def settings_page(request: HttpRequest) -> HttpResponse:
    """Add a second factor; or what there is of it."""
    return _shown(request)


def _shown(request: HttpRequest, **more: Any) -> HttpResponse:
    user = visitor(request)
    factor = factors.factor_of(user)
    context = {
        "factor": factor,
        "required": factors.is_required(user),
        "form": FactorCode() if factor else FirstCode(),
        **({} if factor else _enrolment(user)),
        **more,
    }
    form = context["form"]
    return render(request, "console/second_factor.html", context, status=422 if form.errors else 200)


@require_POST
@console_page
def add(request: HttpRequest) -> HttpResponse:
    """Switch it on by a first code. The recovery codes are shown this once, and other sessions end."""
    user, form = visitor(request), FirstCode(request.POST)
    codes = _answered(user, form, has_factor=False) if form.is_valid() else None
    if codes is None:
        return _shown(request, form=form)
    request.session[factors.STATE] = factors.PASSED
    sessions.end_sessions(user, actor=user.get_username(), now=timezone.now(), keep=request.session.session_key)
    return _shown(request, codes=codes)


@require_POST
@console_page
def renew(request: HttpRequest) -> HttpResponse:
    user, form = visitor(request), FactorCode(request.POST)
    if not form.is_valid() or _answered(user, form, has_factor=True) is None:
        return _shown(request, form=form)
    return _shown(request, codes=factors.renew_codes(user, now=timezone.now()))


@require_POST
@console_page
def remove(request: HttpRequest) -> HttpResponse:
    user, form = visitor(request), FactorCode(request.POST)
    if factors.is_required(user):
        sentence = _(
            "Owners of this installation must have a second factor. To use another app, have an administrator run "
            "manage.py second_factor NAME --reset."
        )
        form.add_error(None, sentence)
        return _shown(request, form=form)
    if not form.is_valid() or _answered(user, form, has_factor=True) is None:
        return _shown(request, form=form)
    factors.remove(user, actor=user.get_username(), now=timezone.now())
    messages.success(request, _("Second factor removed."))
    return redirect("console:keys-factor")
