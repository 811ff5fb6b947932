"""A worker's own account: what is stored, password and address, signing out everywhere, closing."""

from __future__ import annotations

from typing import Any

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.accounts.addresses import client_address, neighbourhood
from annotation.marketplace.core.rate_limits import TooOftenError
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.models import WorkerAccount, WorkerSession
from annotation.marketplace.site.forms import (
    ChangeAddressForm,
    ChangePasswordForm,
    CloseForm,
    PreferencesForm,
    without_password,
)
from annotation.marketplace.site.host_guards import (
    Visit,
    form_page,
    not_mailed,
    note,
    on_worker_host,
    too_often,
    worker_page,
)
from annotation.marketplace.workers import close_account, countries, mails, registration, sessions

form_methods = require_http_methods(["GET", "HEAD", "POST"])


@form_methods
@worker_page
def account(request: HttpRequest, visit: Visit) -> HttpResponse:
    """What is stored about the worker, and what of it the worker may set."""
    worker = visit.worker
    stored = {"called": worker.called, "payee": worker.payee, "auto_accept": worker.auto_accept}
    form = PreferencesForm(request.POST or None, initial={**stored, "country": countries.stated_place(worker)})
    if form.is_valid() and _store_country(worker, form):
        WorkerAccount.objects.filter(pk=worker.pk).update(**{name: form.cleaned_data[name] for name in stored})
        return _back("saved")
    browsers = WorkerSession.objects.filter(worker=worker, expires_at__gt=timezone.now()).count()
    return form_page(request, "marketplace/account.html", form, visit=visit, browsers=browsers, said=_message(request))


def _store_country(worker: WorkerAccount, form: PreferencesForm) -> bool:
    """Keep the country of a valid form; an empty one changes nothing."""
    place = form.cleaned_data["country"]
    try:
        if place:
            countries.state(worker, *place, now=timezone.now())
    except countries.TooSoonError as refusal:
        when = refusal.until and date_format(refusal.until, "DATE_FORMAT")
        later = _("It can be changed from %(day)s on.") % {"day": when} if when else ""
        form.add_error("country", later or _("The people who run this site have set it. Write to them to change it."))
        return False
    return True


@form_methods
@sensitive_post_parameters("password", "old")
@worker_page
def password(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Choose a new password; every other browser is signed out."""
    worker = visit.worker
    form = ChangePasswordForm(request.POST or None, owner=worker)
    without_password(form, bool(worker.password))
    refused = _refused(request, visit, form, "marketplace/password.html")
    if refused is not None:
        return refused
    registration.set_password(worker, form.cleaned_data["password"])
    sessions.end_all(worker, but=request)
    _tell(worker.email, _("Your password was changed."))
    return _back("password")


@form_methods
@sensitive_post_parameters("old")
@worker_page
def address(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask for another address; it counts when the mail sent there has been answered."""
    form = ChangeAddressForm(request.POST or None)
    without_password(form, bool(visit.worker.password))
    refused = _refused(request, visit, form, "marketplace/address.html")
    if refused is not None:
        return refused
    email, now = form.cleaned_data["email"], timezone.now()
    try:
        registration.count_mail(email, client=neighbourhood(client_address(request)), now=now)
        registration.ask_for_address(visit.worker, email, now=now)
    except TooOftenError as refusal:
        return too_often(request, refusal)
    except mails.NotMailedError:
        return not_mailed(request)
    text = _("We have sent a mail to %(email)s. Your address changes when you open the link in it.")
    return note(request, reason="mailed", title=_("Check your email"), text=text % {"email": email})


@form_methods
@on_worker_host
def take_address(request: HttpRequest, token: str) -> HttpResponse:
    """The mailed link to a new address: a page with one button."""
    now = timezone.now()
    link = sessions.find_link(token, registration.Purpose.EMAIL, now=now)
    if request.method != "POST" and link is not None:
        return render(request, "marketplace/take_address.html", {"email": link.email})
    change = registration.take_address(token, now=now) if request.method == "POST" else None
    if change is None:
        text = _("It may have been used before, or be too old. You can ask for another on the page of your account.")
        return note(request, reason="link", title=_("This link cannot be used"), text=text, status=403)
    before = change[1]
    _tell(before, _("Your account has another email address now."))
    return _back("address")


@require_POST
@worker_page
def sign_out_everywhere(request: HttpRequest, visit: Visit) -> HttpResponse:
    """End every session but this one, and all links under way."""
    sessions.end_all(visit.worker, but=request)
    return _back("everywhere")


@form_methods
@sensitive_post_parameters("old")
@worker_page
def close(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Delete the account, after having said what goes, what stays and what is owed."""
    left = close_account.farewell(visit.worker)
    form = CloseForm(request.POST or None)
    without_password(form, bool(visit.worker.password))
    refused = _refused(request, visit, form, "marketplace/close.html", left=left)
    if refused is not None:
        return refused
    try:
        close_account.close(visit.worker, now=visit.now)
    except WorkRefusedError:
        form.add_error(None, _("Submit or return your open task before you delete your account."))
        return form_page(request, "marketplace/close.html", form, status=409, visit=visit, left=left)
    response = redirect("hits:gone")
    sessions.forget(request, response)
    return response


@require_safe
@on_worker_host
def account_deleted(request: HttpRequest) -> HttpResponse:
    text = _("Your account details were deleted. Thank you for your work.")
    return note(request, reason="gone", title=_("Your account is deleted"), text=text)


def _refused(request: HttpRequest, visit: Visit, form: Form, template: str, **context: Any) -> HttpResponse | None:
    """The page again, when the form or the worker's own password is not right; None when all is well."""
    try:
        if form.is_valid() and not registration.knows_password(
            visit.worker, form.cleaned_data.get("old", ""), now=timezone.now()
        ):
            form.add_error("old", _("This is not your password."))
    except TooOftenError as refusal:
        return too_often(request, refusal)
    return None if form.is_valid() else form_page(request, template, form, visit=visit, **context)


def _tell(email: str, what: str) -> None:
    """Mail of a change; the change holds also when the mail cannot go out."""
    if email:
        try:
            mails.changed(email, what)
        except mails.NotMailedError:
            return


def _back(message_key: str) -> HttpResponse:
    response = redirect("hits:account")
    response["Location"] += f"?said={message_key}"
    return response


def _message(request: HttpRequest) -> str:
    return {
        "saved": _("Saved."),
        "password": _("Your password is changed. Other browsers are signed out."),
        "address": _("Your new address is confirmed."),
        "everywhere": _("All other browsers are signed out."),
    }.get(request.GET.get("said", ""), "")
