"""Which network addresses a notification may be sent to, asked again at every delivery."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from django.conf import settings

from annotation.marketplace.errors import InvalidParameterError

_HOST = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?")
_NAT64 = IPv6Network("64:ff9b::/96")


@dataclass(frozen=True)
class Place:
    """A receiver's address, taken apart: `host` is for the Host header and the certificate, `path` has the query."""

    secure: bool
    host: str
    port: int
    path: str


def place_of(url: str) -> Place:
    """Raises InvalidParameterError unless `url` is a plain https address (http, too, in development)."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise InvalidParameterError(f"{url[:80]!r} is not an address.") from None
    schemes = {"https", "http"} if settings.MARKETPLACE_DEVELOPMENT else {"https"}
    if parts.scheme not in schemes or not parts.hostname:
        raise InvalidParameterError(f"An endpoint is an https address, not {url[:80]!r}.")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise InvalidParameterError("An endpoint's address holds no user name, password or fragment.")
    if len(url) > 500 or not url.isascii() or any(character <= " " for character in url):
        raise InvalidParameterError("An endpoint's address has at most 500 ASCII characters and no spaces.")
    if not _HOST.fullmatch(parts.hostname) and ":" not in parts.hostname:
        raise InvalidParameterError(f"{parts.hostname[:80]!r} is not the name of a host.")
    secure = parts.scheme == "https"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Place(secure, parts.hostname, port or (443 if secure else 80), path)


def resolved(place: Place) -> list[str]:
    """The addresses of `place` now, every one of them allowed. Raises InvalidParameterError, OSError (unknown name).

    All must be allowed, so that a name with one public and one private address is refused whichever comes first; and
    the caller connects to what was checked, so that a name cannot point elsewhere a moment later.
    """
    rows = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(row[4][0]).partition("%")[0] for row in rows))
    for address in addresses:
        if not settings.MARKETPLACE_DEVELOPMENT and not is_public(ip_address(address)):
            raise InvalidParameterError(f"{place.host} is at {address}, which is not a public address.")
    return addresses


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether `address` belongs to the public network; an IPv4 address inside an IPv6 one counts as what it is."""
    if isinstance(address, IPv6Address):
        inside = address.ipv4_mapped or address.sixtofour or (address.teredo and address.teredo[1])
        if inside is None and address in _NAT64:
            inside = IPv4Address(int(address) & 0xFFFFFFFF)
        if inside is not None:
            return is_public(inside)
    return address.is_global and not address.is_multicast
