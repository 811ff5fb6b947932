"""Members of a study, and links by which colleagues become members or get an account."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.core.cache import cache
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.accounts.addresses import client_address, neighbourhood
from annotation.accounts.models import User
from annotation.console.form_errors import attach_errors
from annotation.console.forms.members import InviteMember, NewAccount
from annotation.console.forms.studies import Enrol
from annotation.console.permission import console_page, refused, study_page, visitor
from annotation.console.views.sign_in import BACKEND
from annotation.models import MemberInvitation, Role, Study
from annotation.studies import invite_member as inviting
from annotation.studies.access import role_reaches
from annotation.studies.members import enrol
from annotation.studies.role_deeds import roles_described

# Links that lead nowhere, from one network: guessing is hopeless, and this keeps it from being work.
MAX_UNKNOWN, UNKNOWN_SECONDS = 30, 600


@study_page()
def people(request: HttpRequest, study: Study) -> HttpResponse:
    """Everybody sees who is here; an owner changes it."""
    return _shown(request, study)


def _shown(request: HttpRequest, study: Study, **more: Any) -> HttpResponse:
    form = more.get("form")
    context = {
        "study": study,
        "members": study.memberships.select_related("user").order_by("user__username"),
        "pending": inviting.pending_invitations(study, now=timezone.now()),
        "roles": roles_described(),
        "enrol": Enrol(),
        "inviting": InviteMember(),
        **more,
    }
    return render(request, "console/people.html", context, status=422 if form and form.errors else 200)


@require_POST
@study_page(Role.OWNER)
def save(request: HttpRequest, study: Study) -> HttpResponse:
    """Give somebody with an account a role, or take it away."""
    form = Enrol(request.POST)
    if form.is_valid():
        role = None if "remove" in request.POST else form.cleaned_data["role"]
        with attach_errors(form):
            enrol(study, form.cleaned_data["user"], role, actor=request.user.get_username(), now=timezone.now())
            messages.success(request, _("Members updated."))
            return redirect("console:people", study.uuid)
    return _shown(request, study, enrol=form, form=form)


@require_POST
@study_page(Role.OWNER)
def invite(request: HttpRequest, study: Study) -> HttpResponse:
    """A new link, shown this once."""
    form = InviteMember(request.POST)
    if form.is_valid():
        with attach_errors(form, above=True):
            role = form.cleaned_data["invited_role"]
            issued = inviting.invite_member(study, role, by=visitor(request), now=timezone.now())
            return _shown(request, study, issued=issued)
    return _shown(request, study, inviting=form, form=form)


@require_POST
@study_page(Role.OWNER)
def revoke(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    invitation = get_object_or_404(MemberInvitation, study=study, pk=number)
    if inviting.revoke_invitation(invitation, by=visitor(request), now=timezone.now()):
        messages.success(request, _("Invitation link revoked."))
    return redirect("console:people", study.uuid)


@console_page
def colleagues(request: HttpRequest) -> HttpResponse:
    """Links to accounts of this installation: for its owners. A new one is shown this once."""
    if not visitor(request).is_superuser:
        return refused(request, _("Only an owner of this installation can invite colleagues to it"), status=403)
    context: dict[str, Any] = {"pending": inviting.pending_invitations(None, now=timezone.now())}
    if request.method == "POST":
        context["issued"] = inviting.invite_colleague(by=visitor(request), now=timezone.now())
    return render(request, "console/colleagues.html", context)


@require_POST
@console_page
def revoke_colleague(request: HttpRequest, number: int) -> HttpResponse:
    if not visitor(request).is_superuser:
        return refused(request, _("Only an owner of this installation can invite colleagues to it"), status=403)
    invitation = get_object_or_404(MemberInvitation, study=None, pk=number)
    if inviting.revoke_invitation(invitation, by=visitor(request), now=timezone.now()):
        messages.success(request, _("Invitation link revoked."))
    return redirect("console:keys-colleagues")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Opening a link shows what it gives; it is spent by the button below, as programs that follow links do not."""
    try:
        invitation = inviting.find_invitation(token, now=timezone.now())
        response = _joined(request, invitation, token)
    except inviting.InvitationError as error:
        response = _unusable(request, str(error))
    patch_cache_control(response, private=True, no_store=True)
    return response


def _joined(request: HttpRequest, invitation: MemberInvitation, token: str) -> HttpResponse:
    user = visitor(request) if request.user.is_authenticated else None
    form = None if user else NewAccount(request.POST or None)
    may_join = invitation.study is not None if user else form is not None and form.is_valid()
    if request.method == "POST" and may_join:
        return _accepted(request, token, user, form)
    held = inviting.role_held(invitation, user) if user and invitation.study else ""
    context = {
        "invitation": invitation,
        "deeds": [deed for role, deeds in roles_described() for deed in deeds if role_reaches(invitation.role, role)],
        "form": form,
        "held": Role(held).label if held else "",
        "enough": bool(held) and role_reaches(held, Role(invitation.role)),
        "sign_in": f"{reverse('console:sign-in')}?next={request.path}",
    }
    return render(request, "console/join.html", context, status=422 if form and form.errors else 200)


def _accepted(request: HttpRequest, token: str, user: User | None, form: NewAccount | None) -> HttpResponse:
    """The account and the role come together, or neither does."""
    with transaction.atomic():
        member = user or (form.save() if form else User())
        invitation = inviting.accept_invitation(token, member, now=timezone.now())
    if user is None:
        login(request, member, backend=BACKEND)
    if invitation.study is None:
        return redirect("console:studies")
    messages.success(request, _("You are a member of this study now."))
    return redirect("console:overview", invitation.study.uuid)


def _unusable(request: HttpRequest, sentence: str) -> HttpResponse:
    """Why a link leads nowhere; after many such from one network only that there were many."""
    key = f"join:{neighbourhood(client_address(request))}"
    cache.add(key, 0, UNKNOWN_SECONDS)
    if cache.incr(key) > MAX_UNKNOWN:
        return refused(request, _("Too many attempts. Try again in ten minutes."), status=429)
    return refused(request, _("This link cannot be used"), text=sentence, status=404)
