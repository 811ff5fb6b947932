"""Which pages answer on which host: requester HTML never shares a host with a worker's session."""

from __future__ import annotations

import socket
from functools import lru_cache
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})


def host_of(origin: str) -> str:
    """The host of an origin, without port: ports do not separate cookies."""
    return urlsplit(origin).hostname or ""


def canonical_host(address: str) -> str:
    """The host as a browser compares it: IPv4 in every notation is one, as are letters' cases and encodings."""
    host = host_of(address).rstrip(".")
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except (OSError, ValueError):
        pass
    try:
        return host.encode("idna").decode().lower()
    except UnicodeError:
        return host.lower()


def site_hosts() -> tuple[str, ...]:
    """The hosts of our three origins, with a local machine's other names: no link of a task may lead there."""
    return _hosts_of(settings.WORKER_ORIGIN, settings.HIT_ORIGIN, settings.CONSOLE_ORIGIN)


@lru_cache(maxsize=16)
def _hosts_of(*origins: str) -> tuple[str, ...]:
    hosts = {canonical_host(origin) for origin in origins}
    return tuple(sorted(hosts | (LOCAL if hosts & LOCAL else frozenset())))


def hosts_differ() -> bool:
    """Return whether worker pages and HIT frames have different hosts."""
    return host_of(settings.WORKER_ORIGIN) != host_of(settings.HIT_ORIGIN)


def answers_on(request: HttpRequest, origin: str) -> bool:
    """Whether a page that belongs to `origin` may answer `request`."""
    return not hosts_differ() or host_of(f"//{request.get_host()}") == host_of(origin)


def frames_may_be_served() -> bool:
    """Requester HTML is served from a host of its own only; one shared host is for development."""
    return hosts_differ() or settings.MARKETPLACE_DEVELOPMENT
