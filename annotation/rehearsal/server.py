"""The whole project served on loopback for as long as a rehearsal lasts."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
from django.conf import settings

from annotation.exceptions import AssayError

PATIENCE = 60.0  # seconds until the server must answer


class ServerError(AssayError):
    """The rehearsal's server did not start."""


@contextmanager
def served() -> Iterator[str]:
    """Serve at WORKER_ORIGIN in a process of its own; ends it afterwards. Yields the origin.

    Raises ServerError when nothing answers within a minute, with what the server said.
    """
    origin: str = settings.WORKER_ORIGIN
    port = urlsplit(origin).port or 80
    command = [sys.executable, str(settings.ROOT / "manage.py"), "serve", "--port", str(port)]
    log = settings.VAR / f"serve-{port}.log"
    with log.open("w+") as told:
        process = subprocess.Popen(command, stdout=told, stderr=subprocess.STDOUT)  # noqa: S603 - our own command
        try:
            if not _answers(origin, process):
                raise ServerError(f"The server did not start at {origin}; {log} says why.")
            yield origin
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE)
    log.unlink()


def _answers(origin: str, process: subprocess.Popen[bytes]) -> bool:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            httpx.get(f"{origin}/hits/", trust_env=False, timeout=5)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return True
    return False
