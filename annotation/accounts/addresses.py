"""Where a request comes from, for rate limits and guards."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The client's IP address, or "" when it is unknown.

    X-Forwarded-For is believed only as far as it was written by our own proxies: with TRUSTED_PROXIES = n, the n-th
    entry from its end. Without proxies, or where the header is shorter or odd, the peer's own address counts.
    """
    peer = str(request.META.get("REMOTE_ADDR", ""))
    proxies: int = settings.TRUSTED_PROXIES
    hops = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",")]
    if not proxies or len(hops) < proxies:
        return peer
    try:
        return str(ip_address(hops[-proxies]))
    except ValueError:
        return peer


def neighbourhood(address: str) -> str:
    """What rate limits count by: an IPv4 address, or the /64 network that an IPv6 customer moves in freely."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(IPv6Address(int(parsed) >> 64 << 64))
    return str(parsed)
