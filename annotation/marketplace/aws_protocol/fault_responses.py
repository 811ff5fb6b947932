"""Faults on demand as a caller meets them: throttled, failed, or carried out but never answered."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from waitress.channel import ClientDisconnected

from annotation.marketplace.aws_protocol.errors import WireError, service_fault
from annotation.marketplace.core.faults import Fault, strikes


class AnswerDroppedError(Exception):
    """The call was carried out and committed, and its answer shall not arrive."""


def refuse_on_demand() -> None:
    """Raise WireError, before anything was done, when this call is one to throttle or to fail."""
    throttled, failed = strikes(Fault.THROTTLE), strikes(Fault.FAIL)
    if throttled:
        raise WireError("ThrottlingException", "Rate exceeded")
    if failed:
        raise service_fault()


def drop_on_demand(*, committed: bool) -> None:
    """Raise AnswerDroppedError when this is a call that wrote, and one whose answer is to be dropped."""
    if committed and strikes(Fault.DROP):
        raise AnswerDroppedError


def no_answer() -> HttpResponseBase:
    """A response of which not a byte is sent: our server closes the connection instead."""
    return StreamingHttpResponse(_hang_up())


def _hang_up() -> Iterator[bytes]:
    # Waitress sends the head with the first bytes of the body, and on this error only closes the socket.
    raise ClientDisconnected
    yield b""
