"""Which kind of device a browser runs on, as far as it says so."""

from __future__ import annotations

import re

from django.http import HttpRequest

MOBILE, TABLET, DESKTOP = "mobile", "tablet", "desktop"
_TABLET = re.compile(r"iPad|Tablet|PlayBook|Silk|Kindle")
_PHONE = re.compile(r"Mobi|iPhone|iPod")
_DESKTOP = re.compile(r"Windows NT|X11|CrOS")


def device_of(request: HttpRequest) -> str:
    """mobile, tablet or desktop; "" where the browser does not say. Nothing of it is stored.

    A Macintosh is not believed: tablets call themselves so.
    """
    agent = request.headers.get("User-Agent", "")
    if _TABLET.search(agent) or ("Android" in agent and not _PHONE.search(agent)):
        return TABLET
    if request.headers.get("Sec-CH-UA-Mobile") == "?1" or _PHONE.search(agent):
        return MOBILE
    return DESKTOP if _DESKTOP.search(agent) else ""
