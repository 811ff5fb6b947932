"""Sign-in through the OpenID Connect provider of the installation."""

from __future__ import annotations

from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.accounts import provider
from annotation.console.permission import refused
from annotation.console.views.sign_in import BACKEND
from annotation.studies.group_roles import apply_groups

GOAL = "provider_goal"


@never_cache
@require_safe
def start(request: HttpRequest) -> HttpResponseBase:
    """To the provider. Where one wanted to go is kept in the session, not in an address."""
    if not provider.is_configured():
        raise Http404
    goal = request.GET.get("next", "")
    inside = url_has_allowed_host_and_scheme(goal, {request.get_host()}, require_https=request.is_secure())
    request.session[GOAL] = goal if inside else reverse("console:studies")
    try:
        return provider.send_to_provider(request)
    except provider.ProviderError as error:
        return _not_signed_in(request, error)


@never_cache
@require_safe
def arrive(request: HttpRequest) -> HttpResponseBase:
    """Back from the provider."""
    if not provider.is_configured():
        raise Http404
    goal = request.session.pop(GOAL, reverse("console:studies"))
    try:
        person, groups = provider.person_from_provider(request, now=timezone.now())
    except provider.ProviderError as error:
        return _not_signed_in(request, error)
    apply_groups(person, groups, now=timezone.now())
    login(request, person, backend=BACKEND)
    return redirect(goal)


def _not_signed_in(request: HttpRequest, error: provider.ProviderError) -> HttpResponse:
    return refused(request, _("You were not signed in"), text=str(error), status=403)
