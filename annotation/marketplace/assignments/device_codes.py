"""assay:device, the keyword by which a requester asks for a code of the device from which each HIT is worked on.

The code is made of a random number in a cookie of the worker site, keyed with the requester: it tells one requester
whether two accounts use one browser, and nothing to anybody else. Nothing about the browser or its address goes in.
It is stored with the answers for DEVICE_CODE_DAYS, and deleted with them when they are withdrawn.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import salted_hmac

from annotation.marketplace.models import Assignment, AssignmentDevice

KEYWORD = "assay:device"
COOKIE = "assay_device"
COOKIE_LIFE = timedelta(days=365)


def is_requested(keywords: str) -> bool:
    """Whether `keywords`, separated by commas or spaces, hold the keyword, and this site gives codes at all."""
    return settings.DEVICE_CODES and KEYWORD in keywords.lower().replace(",", " ").split()


def code_of(requester: int, number: str) -> str:
    """Return the code by which a requester (primary key) knows the device with that number: 16 hexadecimal digits."""
    return salted_hmac("marketplace.device", f"{requester}:{number}", algorithm="sha256").hexdigest()[:16]


def note(request: HttpRequest, response: HttpResponse, held: Assignment, *, now: datetime) -> HttpResponse:
    """Keep the code of the device on which `held` is first worked on, where its requester asks for it."""
    if not is_requested(held.hit.hit_type.keywords):
        return response
    number = request.COOKIES.get(COOKIE, "")
    if not 20 <= len(number) <= 100:
        number = secrets.token_urlsafe(24)
    code = code_of(held.hit.requester_id, number)
    AssignmentDevice.objects.get_or_create(assignment=held, defaults={"code": code, "noted_at": now})
    response.set_cookie(
        COOKIE,
        number,
        max_age=int(COOKIE_LIFE.total_seconds()),
        path=reverse("hits:list"),
        secure=urlsplit(settings.WORKER_ORIGIN).scheme == "https",
        httponly=True,
        samesite="Lax",
    )
    return response
