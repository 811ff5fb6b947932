"""What a fault run on Prolific stands on: the stub, a database, the marketplace's server, processes that can be killed.

The marketplace is served by a child of this process, and every deed and pass is another child: none pays for starting
Python. Whichever dies at its point is followed by another; the server's socket stays open meanwhile.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.faults import kill_points

KILLED = -signal.SIGKILL


@dataclass(frozen=True)
class Doom:
    """The point at which a process is killed, when it comes there for the nth time; and a planted fault."""

    point: str = ""
    nth: int = 1
    plant: Callable[[], None] | None = None


class Site:
    """The installation. `market`: as the requester side calls the marketplace, for children only."""

    def __init__(self, stub: Any, listening: socket.socket) -> None:
        from annotation import settings as conf
        from annotation.management.commands.serve import application
        from annotation.mturk.client import Market

        self.stub, self._listening, self._server = stub, listening, 0
        self._application = application()
        # An answer that did not come is asked for again by the outbox, not by the client.
        self.market = Market(replace(conf.endpoint(), attempts=1))
        self.market._assay_client()
        # One clock: no child needs to ask the marketplace for its time.
        self.market._ahead = timedelta(0)

    def serve(self, doom: Doom | None = None) -> None:
        """Have the marketplace answer, by a process that dies at `doom`."""
        self.stop()
        self._server = self._child(self._answer, doom or Doom())

    def keep(self) -> None:
        """Set the database aside as it is now, for `renew`."""
        from django.db import connection, connections

        with connection.cursor() as cursor:
            # What is in the log only comes into the file.
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connections.close_all()
        shutil.copyfile(self._database, self._database.with_suffix(".ready"))

    @property
    def _database(self) -> Path:
        from django.db import connection

        return Path(connection.settings_dict["NAME"])

    def renew(self, **settings: bool) -> None:
        """Begin anew: an account without studies, with other settings, and the database that was kept.

        So each study costs the same, however many were before.
        """
        from django.db import connections

        self.stop()
        connections.close_all()
        for left in self._database.parent.glob(f"{self._database.name}-*"):
            left.unlink()
        shutil.copyfile(self._database.with_suffix(".ready"), self._database)
        self.stub.reset()
        self.stub.change_settings(currency="USD", **settings)
        self.serve()

    def stop(self) -> None:
        """End the server."""
        if self._server:
            os.kill(self._server, signal.SIGKILL)
            os.waitpid(self._server, 0)
            self._server = 0

    def run(self, deed: Callable[[], object], doom: Doom | None = None) -> tuple[int, bool]:
        """Carry out a deed in a child: its exit status, and whether the server has died meanwhile (another answers)."""
        child, has_died = self._child(deed, doom or Doom()), False
        while True:
            ended, status = os.wait()
            if ended == self._server:
                self._server, has_died = 0, True
                self.serve()
            elif ended == child:
                return os.waitstatus_to_exitcode(status), has_died

    @staticmethod
    def _child(deed: Callable[[], object], doom: Doom) -> int:
        from django.db import connections

        connections.close_all()
        if pid := os.fork():
            return pid
        status = 1
        try:
            if doom.plant:
                doom.plant()
            if doom.point:
                kill_points.doom(doom.point, doom.nth)
            deed()
            status = 0
        except BaseException:  # noqa: BLE001 - the child ends here, whatever it was
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)

    def _answer(self) -> None:
        from waitress import create_server

        create_server(self._application, sockets=[self._listening], threads=2, clear_untrusted_proxy_headers=True).run()


@contextmanager
def installation(migrated: Path | None) -> Iterator[Site]:
    """A database of its own, a running stub, the marketplace served, a requester whose account is connected."""
    from annotation.rehearsal.prolific_stub.process import running

    # Memory where there is some: what a killed process has written is there either way.
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="assay-prolific-", dir=memory if os.access(memory, os.W_OK) else None))
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(64)
    origin = f"http://127.0.0.1:{listening.getsockname()[1]}"
    if migrated:
        shutil.copyfile(migrated, folder / "assay.sqlite3")
    with running() as stub:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "deploy.settings.development",
            "DATABASE_URL": f"sqlite:///{folder / 'assay.sqlite3'}",
            "WORKER_ORIGIN": origin,
            "HIT_ORIGIN": origin.replace("127.0.0.1", "localhost"),
            "CONSOLE_ORIGIN": origin,
            "MTURK_ENDPOINT_URL": f"{origin}/mturk/",
            "PROLIFIC_API_URL": stub.url,
            "PROLIFIC_POLL_SECONDS": "0",
            "PROLIFIC_LEASE_SECONDS": "0",
            "MARKETPLACE_FEES": "none",
            "MTURK_FEES": "none",
            "LOG_LEVEL": "CRITICAL",
        }
        _set_up(migrated)
        site = Site(stub, listening)
        _read_ahead()
        site.serve()
        try:
            _connect(site)
            site.keep()
            yield site
        finally:
            site.stop()
            listening.close()
            shutil.rmtree(folder, ignore_errors=True)


def _set_up(migrated: Path | None) -> None:
    """Django, the tables, and a requester whose key the requester side signs with."""
    import io
    import json

    import django

    told = io.StringIO()
    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    if not migrated:
        call_command("migrate", verbosity=0)
    call_command("create_requester", "lab", balance="1000000.00", json=True, stdout=told)
    key = json.loads(told.getvalue().strip().splitlines()[-1])
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = key["access_key"], key["secret_key"]
    from annotation.accounts.models import User

    for name in ("ada", "ben"):
        User.objects.create_user(name)


def _read_ahead() -> None:
    """Children of this process find modules, addresses and certificates read already."""
    import gc

    from django.core.checks import run_checks
    from django.urls import get_resolver

    from annotation.marketplace.prolific import client

    for name in ("prolific.work", "operations", "assignments.accept_submit", "invitations.admission"):
        import_module(f"annotation.marketplace.{name}")
    get_resolver().url_patterns  # noqa: B018  it is read by being named
    run_checks()
    client._certificates()
    gc.freeze()
    gc.disable()


def _connect(site: Site) -> None:
    """Connect the account at Prolific and choose its project."""

    def connect() -> None:
        from annotation.mturk import prolific

        prolific.connect_account(site.market, site.stub.token)
        where = {"workspace_id": site.stub.workspace, "project_id": site.stub.project}
        prolific.choose_project(site.market, **where)

    site.stub.change_settings(currency="USD")
    status, _ = site.run(connect)
    if status:
        raise RuntimeError("the account was not connected")
