"""Where one is signed in, and for owners of the installation where others are."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.accounts import sessions
from annotation.accounts.models import AccountEvent, ConsoleSession, User
from annotation.console.permission import console_page, refused, visitor

EVENTS = 20


@console_page
def listing(request: HttpRequest) -> HttpResponse:
    user = visitor(request)
    context = {
        "rows": sessions.sessions_of(user, now=timezone.now()),
        "here": request.session.session_key,
        "events": AccountEvent.objects.filter(user=user).order_by("-pk")[:EVENTS],
    }
    return render(request, "console/sessions.html", context)


@require_POST
@console_page
def end(request: HttpRequest, number: int) -> HttpResponse:
    """Sign out one of one's own browsers; this one too."""
    user = visitor(request)
    row = get_object_or_404(ConsoleSession, user=user, pk=number)
    if row.session_token == request.session.session_key:
        logout(request)
        return redirect("console:sign-in")
    sessions.end_session(row, actor=user.get_username(), now=timezone.now())
    messages.success(request, _("Session ended."))
    return redirect("console:keys-sessions")


@require_POST
@console_page
def end_others(request: HttpRequest) -> HttpResponse:
    user = visitor(request)
    sessions.end_sessions(user, actor=user.get_username(), now=timezone.now(), keep=request.session.session_key)
    messages.success(request, _("Your other sessions have ended."))
    return redirect("console:keys-sessions")


@console_page
def accounts(request: HttpRequest) -> HttpResponse:
    """Accounts of the installation, with their sessions: for its owners."""
    if not visitor(request).is_superuser:
        return refused(request, _("Only an owner of this installation can see its accounts"), status=403)
    limit = timezone.now() - timedelta(seconds=settings.SESSION_COOKIE_AGE)
    valid = Count("console_sessions", filter=Q(console_sessions__seen_at__gt=limit))
    people = User.objects.annotate(sessions=valid).select_related("second_factor")
    events = AccountEvent.objects.select_related("user").order_by("-pk")[:EVENTS]
    return render(request, "console/accounts.html", {"people": people.order_by("username"), "events": events})


@require_POST
@console_page
def end_all_of(request: HttpRequest, number: int) -> HttpResponse:
    """Sign somebody out everywhere; oneself everywhere but here."""
    user = visitor(request)
    if not user.is_superuser:
        return refused(request, _("Only an owner of this installation can end sessions of others"), status=403)
    person = get_object_or_404(User, pk=number)
    sessions.end_sessions(person, actor=user.get_username(), now=timezone.now(), keep=request.session.session_key)
    messages.success(request, _("The sessions of %(name)s have ended.") % {"name": person.get_username()})
    return redirect("console:keys-accounts")
