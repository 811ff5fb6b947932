"""One POST to a receiver, within a few seconds whatever the receiver does. Redirects are not followed."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection

from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.notifications.addresses import Place, place_of, resolved

# Seconds for a connection, and for the whole exchange.
CONNECT_SECONDS = 3.0
TOTAL_SECONDS = 5.0
MAX_ADDRESSES = 3


class NotDeliveredError(Exception):
    """The receiver was not reached, or did not answer with 2xx; the sentence says which."""


def post(url: str, body: bytes, headers: Mapping[str, str]) -> None:
    """Send `body` to `url`. Raises NotDeliveredError."""
    try:
        place = place_of(url)
        status = _status(place, _connected(place, resolved(place)), body, headers)
    except (InvalidParameterError, OSError, HTTPException) as error:
        raise NotDeliveredError(f"{type(error).__name__}: {error}"[:300]) from error
    if not 200 <= status < 300:
        raise NotDeliveredError(f"The receiver answered {status}.")


def _connected(place: Place, addresses: list[str]) -> socket.socket:
    """A connection to one of the checked `addresses`: the name is not looked up again. Raises OSError."""
    failure = OSError(f"{place.host} has no address")
    for address in addresses[:MAX_ADDRESSES]:
        try:
            return socket.create_connection((address, place.port), timeout=CONNECT_SECONDS)
        except OSError as error:
            failure = error
    raise failure


def _status(place: Place, connected: socket.socket, body: bytes, headers: Mapping[str, str]) -> int:
    carrier = connected
    if place.secure:
        context = ssl.create_default_context()
        carrier = context.wrap_socket(connected, server_hostname=place.host, do_handshake_on_connect=False)
    # Time-outs of sockets count from byte to byte; a receiver that drips is cut off by the watch.
    late = threading.Event()
    watch = threading.Timer(TOTAL_SECONDS, _cut, [carrier, late])
    watch.daemon = True
    watch.start()
    # The class decides only which port goes unsaid in the Host header: the connection is there already.
    connection = (HTTPSConnection if place.secure else HTTPConnection)(place.host, place.port)
    connection.sock = carrier
    try:
        if isinstance(carrier, ssl.SSLSocket):
            carrier.do_handshake()
        connection.request("POST", place.path, body=body, headers={**headers, "Connection": "close"})
        status = connection.getresponse().status
    finally:
        watch.cancel()
        connection.close()
        carrier.close()
    if late.is_set():
        raise TimeoutError(f"no whole answer within {TOTAL_SECONDS:g} s")
    return status


def _cut(carrier: socket.socket, late: threading.Event) -> None:
    # Below TLS, whose own shutdown is not for two threads. The exchange may have ended at this very moment.
    late.set()
    with suppress(OSError):
        socket.socket.shutdown(carrier, socket.SHUT_RDWR)
