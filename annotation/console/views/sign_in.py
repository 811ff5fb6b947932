"""Coming in and going out. Tries to sign in are counted by name and address (axes)."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.accounts import links
from annotation.accounts.provider import is_configured
from annotation.accounts.sessions import end_sessions
from annotation.console.forms.sign_in import FirstPassword, SignIn
from annotation.console.permission import refused

BACKEND = "django.contrib.auth.backends.ModelBackend"


class PasswordPage(LoginView):
    """Name and password; and a way to the provider of the installation where there is one."""

    authentication_form = SignIn
    template_name = "console/sign_in.html"
    next_page = "console:studies"
    redirect_authenticated_user = True

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        name = settings.OIDC_NAME if is_configured() else ""
        return super().get_context_data(**context, provider_name=name)


_password_page = PasswordPage.as_view()


def sign_in(request: HttpRequest) -> HttpResponseBase:
    """Name and password; whoever has given them and owes the second factor goes on to it."""
    if hasattr(request, "half_signed_in") and request.method == "GET":
        return redirect(f"{reverse('console:second-factor')}?{urlencode({'next': request.GET.get('next', '')})}")
    return _password_page(request)


sign_out = LogoutView.as_view(next_page=reverse_lazy("console:sign-in"))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Spend a one-time link by choosing a password; opening it does not spend it, as programs that follow links do."""
    link = links.find(token, now=timezone.now())
    if link is None:
        text = _("A link works once and for three days. Ask your administrator for a new one (manage.py sign_in_link).")
        return refused(request, _("This link cannot be used"), text=text, status=403)
    form = FirstPassword(link.user, request.POST or None)
    if not form.is_valid() or links.spend(token, now=timezone.now()) is None:
        response = render(request, "console/enter.html", {"form": form, "name": link.user.get_username()})
        patch_cache_control(response, private=True, no_store=True)
        return response
    user = form.save()
    login(request, user, backend=BACKEND)
    end_sessions(user, actor=user.get_username(), now=timezone.now(), keep=request.session.session_key)
    return redirect("console:studies")
