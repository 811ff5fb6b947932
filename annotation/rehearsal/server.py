"""The whole project served on loopback for as long as a rehearsal lasts."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
from django.conf import settings

from annotation.exceptions import AssayError
from annotation.management.commands.serve import ORIGINS, follow_port
from annotation.rehearsal.crowd.browser import trusted
from annotation.rehearsal.ports import free_port, is_free

PATIENCE = 60.0  # seconds until the server must answer


class ServerError(AssayError):
    """The rehearsal's server did not start."""


@contextmanager
def served(*, tell: Callable[[str], object] = lambda sentence: None) -> Iterator[str]:
    """Serve at WORKER_ORIGIN in a process of its own; ends it afterwards. Yields the origin.

    If another program uses that port, which may have another database, serve on a free one; `tell` gets a sentence
    about it. Raises ServerError when nothing answers within a minute, with what the server said. A site
    over HTTPS is already served by another process, behind a proxy.
    """
    if urlsplit(settings.WORKER_ORIGIN).scheme == "https":
        yield _served_already()
        return
    origin_port = urlsplit(settings.WORKER_ORIGIN).port or 80
    port = origin_port if is_free(origin_port) else free_port()
    if port != origin_port:
        tell(f"Something else listens on port {origin_port}; the rehearsal has port {port}")
    with _moved_to(port) as environment:
        origin: str = settings.WORKER_ORIGIN
        command = [*settings.MANAGE, "serve", "--port", str(port)]
        log = settings.VAR / f"serve-{port}.log"
        with log.open("w+") as output:
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment)  # noqa: S603
            try:
                if not _answers(origin, process):
                    raise ServerError(f"The server did not start at {origin}; {log} says why.")
                yield origin
            finally:
                process.terminate()
                process.wait(timeout=PATIENCE)
    log.unlink()


def _served_already() -> str:
    origin: str = settings.WORKER_ORIGIN
    try:
        httpx.get(f"{origin}/hits/", trust_env=False, verify=trusted(), timeout=PATIENCE)
    except httpx.TransportError as error:
        raise ServerError(
            f"{origin} does not answer: {error}. A rehearsal serves no HTTPS itself: start the site and its proxy "
            "first, and name the file of a certificate of your own by --ca-bundle."
        ) from None
    return origin


@contextmanager
def _moved_to(port: int) -> Iterator[dict[str, str]]:
    """The addresses of this machine at that port, here and in the environment of a process to be started."""
    names = (*ORIGINS, "MTURK_ENDPOINT_URL", "MTURK_FEES")
    before = {name: getattr(settings, name) for name in names}
    follow_port(port)
    try:
        yield {**os.environ, **{name: getattr(settings, name) for name in names}}
    finally:
        for name, value in before.items():
            setattr(settings, name, value)


def _answers(origin: str, process: subprocess.Popen[bytes]) -> bool:
    until = time.monotonic() + PATIENCE
    # One client for all looks: each client reads the certificates, 30 ms that the starting server could have.
    with httpx.Client(trust_env=False, timeout=5) as visitor:
        while time.monotonic() < until and process.poll() is None:
            try:
                visitor.get(f"{origin}/hits/")
            except httpx.TransportError:
                time.sleep(0.1)
            else:
                return True
    return False
