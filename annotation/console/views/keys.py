"""Keys of the Requester API: issued for oneself, shown once, revoked."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.accounts.models import AccessKey
from annotation.console.permission import console_page, visitor


@console_page
def keys(request: HttpRequest) -> HttpResponse:
    """One's own keys; a new one comes with its secret, this once."""
    issued = None
    if request.method == "POST":
        issued = AccessKey.objects.issue(visitor(request))
    mine = AccessKey.objects.filter(user=visitor(request)).order_by("-created_at")
    return render(request, "console/keys.html", {"keys": mine, "issued": issued})


@require_POST
@console_page
def revoke(request: HttpRequest, key_id: str) -> HttpResponse:
    get_object_or_404(AccessKey, user=visitor(request), key_id=key_id).revoke(now=timezone.now())
    messages.success(request, _("The key no longer signs anything."))
    return redirect("console:keys")
