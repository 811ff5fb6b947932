"""Public addresses of notifications: the certificate, and the links that messages carry."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from annotation.marketplace.models import Endpoint, SigningKey
from annotation.marketplace.notifications.envelope import CLOSE, CONFIRM, MAIL, endpoint_by


@require_safe
def certificate(request: HttpRequest, fingerprint: str) -> HttpResponse:
    """The certificate of a signing key, as PEM. Old ones stay: messages signed with them may be on their way."""
    row = SigningKey.objects.filter(fingerprint=fingerprint).first()
    if row is None:
        raise Http404
    return HttpResponse(row.certificate, content_type="application/x-pem-file")


@require_safe
@never_cache
def confirm(request: HttpRequest) -> HttpResponse:
    """What a receiver visits to say that it wants the messages; the token came to its address only."""
    endpoint = _named(request, CONFIRM)
    if request.method == "GET":
        Endpoint.objects.filter(pk=endpoint.pk, confirmed_at=None, closed_at=None).update(confirmed_at=timezone.now())
    return _xml_response("ConfirmSubscription", f"<SubscriptionArn>{endpoint.arn}</SubscriptionArn>")


@require_safe
@never_cache
def close(request: HttpRequest) -> HttpResponse:
    """What a receiver visits to get no more messages."""
    endpoint = _named(request, CLOSE)
    if request.method == "GET":
        Endpoint.objects.filter(pk=endpoint.pk, closed_at=None).update(closed_at=timezone.now())
    return _xml_response("Unsubscribe", "")


@csrf_exempt  # whoever can post here holds the token that came by mail
@never_cache
def confirm_mail(request: HttpRequest, secret: str) -> HttpResponse:
    """The page of a mail that asks whether notifications are wanted; its button says yes."""
    endpoint = _at_mail(secret, CONFIRM)
    if request.method == "POST":
        Endpoint.objects.filter(pk=endpoint.pk, confirmed_at=None, closed_at=None).update(confirmed_at=timezone.now())
        endpoint.refresh_from_db()
    return render(request, "marketplace/notice_mail.html", {"endpoint": endpoint, "asks": "confirm"})


@csrf_exempt  # as above
@never_cache
def close_mail(request: HttpRequest, secret: str) -> HttpResponse:
    """The page on which somebody ends notifications by mail, by its button."""
    endpoint = _at_mail(secret, CLOSE)
    if request.method == "POST":
        Endpoint.objects.filter(pk=endpoint.pk, closed_at=None).update(closed_at=timezone.now())
        endpoint.refresh_from_db()
    return render(request, "marketplace/notice_mail.html", {"endpoint": endpoint, "asks": "close"})


def _at_mail(secret: str, purpose: str) -> Endpoint:
    endpoint = endpoint_by(secret, MAIL[purpose])
    if endpoint is None:
        raise Http404
    return endpoint


def _named(request: HttpRequest, purpose: str) -> Endpoint:
    endpoint = endpoint_by(request.GET.get("Token", ""), purpose)
    if endpoint is None or request.GET.get("TopicArn") != endpoint.arn:
        raise Http404
    return endpoint


def _xml_response(action: str, result: str) -> HttpResponse:
    document = f"<{action}Response><{action}Result>{result}</{action}Result></{action}Response>"
    return HttpResponse(document, content_type="text/xml")
