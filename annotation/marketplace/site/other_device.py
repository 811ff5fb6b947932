"""Going on with another device: a personal address, also as a QR code, and the page behind it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.accounts.addresses import client_address, neighbourhood
from annotation.marketplace.core.rate_limits import TooOftenError, take
from annotation.marketplace.hits.catalogue import held_by
from annotation.marketplace.invitations import resume as resuming
from annotation.marketplace.models import Link, Participant, WorkerAccount
from annotation.marketplace.site import browser_cookie
from annotation.marketplace.site.host_guards import Visit, on_worker_host, too_often, worker_page
from annotation.marketplace.site.invitations import MISSES
from annotation.marketplace.workers import sessions


@worker_page
@require_http_methods(["GET", "HEAD", "POST"])
def other_device(request: HttpRequest, visit: Visit) -> HttpResponse:
    """What the address is for; by the button a new one, shown this once."""
    if visit.worker.channel is None:
        return redirect("hits:list")
    address = resuming.new_address(visit.worker, now=timezone.now()) if request.method == "POST" else ""
    context = {
        "visit": visit,
        "channel": visit.worker.channel,
        "address": address,
        "picture": qr_code(address) if address else "",
        "days": resuming.LIFE.days,
        "held": held_by(visit.worker).first(),
    }
    return render(request, "marketplace/channels/other_device.html", context)


def qr_code(address: str) -> SafeString:
    """The address as an SVG to be scanned: dark on light, whatever the colours of the page are."""
    import segno  # read where a code is shown, and on no other page

    drawn = segno.make(address, error="m").svg_inline(
        scale=5, border=4, dark="#000", light="#fff", omitsize=True, title=str(_("QR code of your personal address"))
    )
    return mark_safe(drawn)  # noqa: S308 - drawn by the library, of an address of our own


@on_worker_host
@require_http_methods(["GET", "HEAD", "POST"])
def resume(request: HttpRequest, token: str) -> HttpResponse:
    """Behind the address: looking changes nothing, for mail programs look, too; the button goes on here."""
    now = timezone.now()
    known = browser_cookie.participants_of(request)
    if request.method == "POST":
        person = resuming.go_on(token, known, now=now)
        if person is not None and person.worker is not None:
            return _signed_in(request, person.participant_id, person.worker)
    else:
        person = resuming.find_person(token, known, now=now)
    if person is None:
        try:
            take(MISSES, neighbourhood(client_address(request)), now=now)
        except TooOftenError as refusal:
            return too_often(request, refusal, participant=True)
    context = {"participant": True, "channel": person.channel if person else None, "token": token}
    response = render(request, "marketplace/channels/resume.html", context, status=200 if person else 404)
    patch_cache_control(response, private=True, no_store=True)
    return response


@on_worker_host
@require_http_methods(["GET", "HEAD", "POST"])
def continue_study(request: HttpRequest) -> HttpResponse:
    """After the session of this browser has ended: it is known whom it was, and the button goes on."""
    known = browser_cookie.participants_of(request)
    rows = Participant.objects.select_related("worker", "channel").filter(participant_id__in=known[-1:])
    # Past the date of their channel nobody is known by it any more, not by this browser either.
    person = rows.filter(worker__active=True, channel__purged_at=None).first()
    if person is None or person.worker is None:
        return redirect("hits:sign-in")
    if request.method == "POST":
        return _signed_in(request, person.participant_id, person.worker)
    personal = Link.objects.filter(participant=person).exists()
    context = {"participant": True, "channel": person.channel, "personal": personal}
    response = render(request, "marketplace/channels/continue_study.html", context)
    patch_cache_control(response, private=True, no_store=True)
    return response


def _signed_in(request: HttpRequest, participant_id: str, worker: WorkerAccount) -> HttpResponse:
    response = redirect("hits:list")
    browser_cookie.remember(request, response, participant_id)
    return sessions.sign_in(request, response, sessions.open_session(worker, now=timezone.now()))
