"""How often one address may knock: counted in Django's cache, by a keyed hash of the address."""

from __future__ import annotations

from axes.helpers import get_client_ip_address
from django.core.cache import cache
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

WINDOW_SECONDS = 600
# Links, codes and tokens that do not exist.
MOST_MISSES = 30
# Newcomers by one address: a class behind one router comes at once.
MOST_ENTRIES = 300


def spend(request: HttpRequest, what: str, most: int) -> bool:
    """Count one more `what` from the address of `request`; False when it was too many within ten minutes."""
    key = _key(request, what)
    cache.add(key, 0, timeout=WINDOW_SECONDS)
    try:
        return cache.incr(key) <= most
    except ValueError:
        # It ran out between the two calls.
        return True


def spent(request: HttpRequest, what: str, most: int) -> bool:
    """Whether the address of `request` has used up its `what`."""
    return int(cache.get(_key(request, what), 0)) >= most


def _key(request: HttpRequest, what: str) -> str:
    address = get_client_ip_address(request) or ""
    return f"{what}:{salted_hmac('marketplace.limits', address, algorithm='sha256').hexdigest()[:32]}"
