"""Serve the whole project on this machine with waitress."""

from __future__ import annotations

import argparse
import gc
import io
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.wsgi import get_wsgi_application
from django.utils import timezone
from waitress import create_server

from annotation.accounts.links import first_owner_link
from annotation.accounts.models import User
from annotation.management.keep_running import keep_running
from annotation.models import Study
from annotation.pricing.currency import USUAL_CURRENCIES
from annotation.settings import DEVELOPMENT_ACCOUNT

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

HOST = "127.0.0.1"
DELIVERY_SECONDS = 1.0
# A browser keeps two or more connections open. Beyond waitress's usual hundred no new visitor would be answered
# until one of them ends, and with select instead of poll none beyond 1,024 files.
CROWD: dict[str, Any] = {"connection_limit": 2_000, "backlog": 2_048, "asyncore_use_poll": True}
WORK_SECONDS = "2"
# Who holds a lock in the database waits for Python's own lock after each statement, behind up to this long of another
# request's computing. With Python's usual 5 ms, 60 people who enter a drawn study at once halve what the site does.
SWITCH_SECONDS = 0.0005
PLAY_MONEY = "100000"
QUEUE = "console"
ORIGINS = ("WORKER_ORIGIN", "HIT_ORIGIN", "CONSOLE_ORIGIN")


def demo_size(text: str) -> tuple[int, int]:
    """TEXTSxRATERS, as two whole numbers."""
    texts, _, raters = text.partition("x")
    if not (texts.isdecimal() and raters.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} does not have the form TEXTSxRATERS, such as 40x10")
    return int(texts), int(raters)


class Command(BaseCommand):
    help = "Serve the Requester API, the worker site and the console on 127.0.0.1 (port 0: any free port)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--threads", type=int, default=8)
        parser.add_argument("--work", action="store_true", help="also run the work loop, in a separate process")
        parser.add_argument(
            "--demo",
            nargs="?",
            const="40x10",
            type=demo_size,
            metavar="TEXTSxRATERS",
            help="if there is no study yet, rehearse small ones first (40 texts per source, 10 raters each)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        # A stop by a signal ends what was started here too, as Ctrl-C does.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        _listener(options["port"]).close()  # report a used port before anything is rehearsed
        if options["demo"] and not Study.objects.exists():
            texts, raters = options["demo"]
            self.stdout.write("There is no study yet. Rehearsing small ones as examples.")
            call_command(
                "rehearse",
                preset="all",
                name="demo",
                texts=texts,
                raters=raters,
                owner=_demo_owner(),
                stdout=self.stdout,
            )
        listener = _listener(options["port"])
        port = listener.getsockname()[1]
        follow_port(port, ORIGINS if not options["port"] else settings.DEFAULT_ORIGINS)
        if urlsplit(settings.WORKER_ORIGIN).port not in {None, port}:
            self.stderr.write(f"WORKER_ORIGIN is {settings.WORKER_ORIGIN}, but the port served is {port}.")
        server = served(listener, threads=options["threads"])
        # What is loaded by now stays: the search for unused objects need not go through it again and again.
        gc.collect()
        gc.freeze()
        sys.setswitchinterval(SWITCH_SECONDS)
        self.stdout.write(f"Serving http://{HOST}:{port}/ (stop with Ctrl-C)")
        if getattr(settings, "PSEUDONYM_KEY_DERIVED", False):
            self.stdout.write("PSEUDONYM_KEY is not set. This development installation derives it from SECRET_KEY.")
        if link := first_owner_link(now=timezone.now()):
            self.stdout.write(
                f"The console has no owner yet. To become the owner, open this link, which works once:\n  {link}"
            )
        sys.stdout.flush()
        open_development_account()
        _start_delivery()
        with _port_left_for_commands(port), _work_loop() if options["work"] else nullcontext():
            try:
                server.run()
            finally:
                server.close()


def served(listener: socket.socket, *, threads: int) -> Any:
    """A server on `listener`. What a proxy says of the visitor (X-Forwarded-...) is passed on where TRUSTED_PROXIES
    says that there is one; otherwise it is dropped, because then a visitor says it."""
    behind_proxy = bool(settings.TRUSTED_PROXIES)
    return create_server(
        application(),
        sockets=[listener],
        threads=threads,
        clear_untrusted_proxy_headers=not behind_proxy,
        **CROWD,
    )


def application() -> WSGIApplication:
    """The project for waitress, which leaves it to the application to send no body with the answer to a HEAD."""
    project = get_wsgi_application()

    def answered(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        answer = project(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return answer
        answer.close()
        return []

    return answered


def _start_delivery() -> None:
    """Notifications go out from a thread of their own: a receiver that is slow or dead holds up no request."""
    # By name: this side does not import the marketplace.
    go_on = {"every": DELIVERY_SECONDS}
    threading.Thread(target=call_command, args=["marketplace_deliver"], kwargs=go_on, daemon=True).start()


@contextmanager
def _port_left_for_commands(port: int) -> Iterator[None]:
    """Other commands of a development installation read the port from a file; of two servers the later one's."""
    file = settings.SERVED_PORT
    if file is None or not settings.MARKETPLACE_DEVELOPMENT:
        yield
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(str(port))
    try:
        yield
    finally:
        if file.exists() and file.read_text() == str(port):
            file.unlink()


@contextmanager
def _work_loop() -> Iterator[None]:
    """Run `manage.py work` in a process next to the server, so that heavy computing delays no page."""
    names = (*ORIGINS, "MTURK_QUEUE_URL", "MTURK_ENDPOINT_URL", "MTURK_FEES")
    addresses = {name: getattr(settings, name) for name in names}
    command = [*settings.MANAGE, "work", "--every", WORK_SECONDS, "--collect"]
    stop, log = threading.Event(), settings.VAR / "work.log"
    keeper = threading.Thread(target=keep_running, args=[command, {**os.environ, **addresses}, log, stop])
    try:
        keeper.start()
        yield
    finally:  # a stop by a signal may come at any moment, before the thread is there too
        stop.set()
        if keeper.ident is not None:
            keeper.join()


def _demo_owner() -> str | None:
    """The first superuser, else the first who can sign in; None on a new installation."""
    users = sorted(User.objects.filter(is_active=True).order_by("pk"), key=lambda user: not user.is_superuser)
    names = [user.get_username() for user in users if user.is_superuser or user.has_usable_password()]
    return names[0] if names else None


def open_development_account() -> None:
    """Open the account, with play money, by which console, work loop and commands reach the marketplace on the same
    machine; `settings.endpoint` finds its key."""
    if settings.MARKETPLACE_DEVELOPMENT and not settings.MTURK_ACCESS_KEY:
        known = User.objects.filter(username=DEVELOPMENT_ACCOUNT).exists()
        # A study pays in one currency, and nothing is converted: there is play money in each of the usual ones.
        balances = [word for code in USUAL_CURRENCIES for word in ("--balance", f"{PLAY_MONEY} {code}")]
        call_command("create_requester", DEVELOPMENT_ACCOUNT, *([] if known else balances), stdout=io.StringIO())
        if not settings.MTURK_QUEUE_URL and not settings.MTURK_TOPIC_ARN:
            settings.MTURK_QUEUE_URL = _development_queue()


def _development_queue() -> str:
    """Return the URL of the console's queue: replies to rejections come by no other way."""
    out = io.StringIO()
    call_command("notification_endpoint", "queue", QUEUE, "--requester", DEVELOPMENT_ACCOUNT, "--json", stdout=out)
    return str(json.loads(out.getvalue())["url"])


def _listener(port: int) -> socket.socket:
    if not 0 <= port <= 65_535:
        raise CommandError(f"Cannot serve on {HOST}:{port}: a port is a number from 0 (any free one) to 65535.")
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        advice = "" if port == 0 else " --port 0 takes any free port."
        raise CommandError(f"Cannot serve on {HOST}:{port}: {error.strerror}.{advice}") from None
    return listener


def follow_port(port: int, names: Iterable[str] = ORIGINS) -> None:
    """The port is known only now: the origins of these names take it over where they are on this machine, for this
    process."""
    before = settings.WORKER_ORIGIN
    for name in names:
        parts = urlsplit(getattr(settings, name))
        if parts.hostname in {"127.0.0.1", "localhost"}:
            setattr(settings, name, f"{parts.scheme}://{parts.hostname}:{port}")
    settings.MTURK_ENDPOINT_URL = settings.MTURK_ENDPOINT_URL.replace(f"{before}/", f"{settings.WORKER_ORIGIN}/", 1)
