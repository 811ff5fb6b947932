"""Ways in for people with an account of their own: by password, by a mailed link, by registration."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from annotation.accounts.addresses import client_address, neighbourhood
from annotation.marketplace.core import clock
from annotation.marketplace.core.rate_limits import TooOftenError
from annotation.marketplace.models import Assignment
from annotation.marketplace.site.forms import AddressForm, PasswordForm, RegistrationForm, SignInForm
from annotation.marketplace.site.host_guards import form_page, not_mailed, note, on_worker_host, too_often
from annotation.marketplace.workers import registration, sessions
from annotation.marketplace.workers.mails import NotMailedError

form_methods = require_http_methods(["GET", "HEAD", "POST"])


@form_methods
@sensitive_post_parameters("password")
@on_worker_host
def sign_in(request: HttpRequest) -> HttpResponse:
    """By address or worker id and password. Strangers are sent here: hence 401 for the empty form."""
    form = SignInForm(request.POST or None)
    goal = request.POST.get("next") or request.GET.get("next", "")
    if not form.is_valid():
        status = 422 if form.is_bound else 401
        context = {"goal": goal, "recorded": _is_recorded(goal)}
        return form_page(request, "marketplace/sign_in.html", form, status=status, **context)
    who, password = form.cleaned_data["who"], form.cleaned_data["password"]
    try:
        session = registration.sign_in(who, password, client=_client(request), now=timezone.now())
    except TooOftenError as refusal:
        return too_often(request, refusal)
    if session is None:
        form.add_error(None, _("Wrong email address, worker ID or password."))
        return form_page(request, "marketplace/sign_in.html", form, status=401, goal=goal)
    return sessions.sign_in(request, redirect(_inside(request, goal)), session)


def _is_recorded(goal: str) -> bool:
    """Whether the page that was asked for is of an assignment that is submitted: who was signed out while they worked
    reads that nothing is lost. Assignment ids cannot be guessed."""
    try:
        page = resolve(goal)
    except Resolver404:
        return False
    # The page of the task, too: Back leads there after the session has ended.
    if page.view_name not in {"hits:done", "hits:work"}:
        return False
    rows = Assignment.objects.filter(assignment_id=page.kwargs["assignment_id"])
    return rows.filter(state__in=Assignment.SUBMITTED_STATES).exists()


@form_methods
@on_worker_host
def ask_link(request: HttpRequest) -> HttpResponse:
    """Have a sign-in link mailed."""
    return _mail(request, "link")


@form_methods
@on_worker_host
def forgotten(request: HttpRequest) -> HttpResponse:
    """Have a link to a new password mailed."""
    return _mail(request, "password")


@form_methods
@sensitive_post_parameters("password")
@on_worker_host
def reset(request: HttpRequest, token: str) -> HttpResponse:
    """Choose a new password by a mailed link; opening the page does not spend it."""
    link = sessions.find_link(token, registration.Purpose.RESET, now=timezone.now())
    if link is None:
        return _dead_link(request)
    form = PasswordForm(request.POST or None, owner=link.worker)
    if not form.is_valid():
        return form_page(request, "marketplace/reset.html", form, account=link.worker)
    session = registration.reset(token, form.cleaned_data["password"], now=timezone.now())
    return _dead_link(request) if session is None else sessions.sign_in(request, redirect("hits:list"), session)


@form_methods
@sensitive_post_parameters("password")
@on_worker_host
def register(request: HttpRequest) -> HttpResponse:
    if not settings.WORKER_REGISTRATION:
        return note(
            request,
            reason="closed",
            title=_("Registration is closed"),
            text=_("New workers need an invitation. Ask the people who run this site for a link."),
            status=403,
        )
    form = RegistrationForm(request.POST or None)
    if not form.is_valid():
        return form_page(request, "marketplace/register.html", form)
    cleaned, now = form.cleaned_data, timezone.now()
    terms = settings.WORKER_TERMS_VERSION
    try:
        registration.count_mail(cleaned["email"], client=_client(request), now=now)
        registration.register(cleaned["called"], cleaned["email"], cleaned["password"], terms=terms, now=now)
    except TooOftenError as refusal:
        return too_often(request, refusal)
    except NotMailedError:
        return not_mailed(request)
    return _look_into_mail(request, cleaned["email"], _("Open the link in it to finish your registration."))


@form_methods
@on_worker_host
def finish(request: HttpRequest, token: str) -> HttpResponse:
    """The mailed link of a registration: a page with one button, so that link checkers finish nothing."""
    now = timezone.now()
    pending = registration.registration_of(token, now=now)
    if request.method != "POST" and pending is not None:
        return render(request, "marketplace/finish.html", {"registration": pending})
    worker = registration.finish(token, now=now, market_now=clock.now()) if request.method == "POST" else None
    if worker is None:
        return _dead_link(request)
    session = sessions.open_session(worker, now=now)
    return sessions.sign_in(request, redirect("hits:welcome"), session)


@require_safe
@on_worker_host
def terms(request: HttpRequest) -> HttpResponse:
    return render(request, "marketplace/terms.html", {"version": settings.WORKER_TERMS_VERSION})


def _mail(request: HttpRequest, what: str) -> HttpResponse:
    form = AddressForm(request.POST or None)
    if not form.is_valid():
        return form_page(request, "marketplace/ask_mail.html", form, what=what)
    email, now = form.cleaned_data["email"], timezone.now()
    mail = {"link": registration.mail_sign_in_link, "password": registration.mail_reset_link}[what]
    try:
        registration.count_mail(email, client=_client(request), now=now)
        mail(email, now=now)
    except TooOftenError as refusal:
        return too_often(request, refusal)
    except NotMailedError:
        return not_mailed(request)
    return _look_into_mail(request, email, _("Open the link in it within an hour."))


def _look_into_mail(request: HttpRequest, email: str, what: str) -> HttpResponse:
    sentence = _("We have sent a mail to %(email)s.") % {"email": email}
    unwanted = _("If it does not arrive in a few minutes, check your spam folder.")
    return note(
        request,
        reason="mailed",
        title=_("Check your email"),
        text=f"{sentence} {what} {unwanted}",
    )


def _dead_link(request: HttpRequest) -> HttpResponse:
    return note(
        request,
        reason="link",
        title=_("This link cannot be used"),
        text=_("It may have been used before, or be too old. You can ask for a new one on the sign-in page."),
        status=403,
    )


def _client(request: HttpRequest) -> str:
    return neighbourhood(client_address(request))


def _inside(request: HttpRequest, goal: str) -> str:
    """`goal` if it is a page of the worker site, else the list."""
    is_local = goal.startswith("/hits/") and url_has_allowed_host_and_scheme(goal, allowed_hosts=None)
    return goal if is_local else "hits:list"
