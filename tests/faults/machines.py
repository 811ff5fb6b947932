"""Kill processes of an installation of several machines, each with an address and a folder of its own.

    python -m tests.faults.machines --kills 100 --minutes 10    # writes its section of docs/reliability.md

Two machines serve the web (127.0.0.2 and .3), two have Celery's workers (which listen on no address; the first has beat
and the notifications too), one PostgreSQL and Redis (.6), one S3 (.7: the test server of moto). They share no folder;
each has the file of secrets and settings. A forwarder on 127.0.0.1 leads people to either web machine. What ends is
started again.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

import httpx

from deploy.settings.environment import read_file
from tests.faults.guardian import guarded
from tests.faults.installation import (
    SETTINGS,
    START_SECONDS,
    Installation,
    Victim,
    installation_environment,
    installation_processes,
    is_at_work,
)
from tests.faults.installed import live_through, page
from tests.faults.outside_faults import Store
from tests.faults.sections import write_section
from tests.faults.servers import ROOT, PostgreSQL, Redis, free_port, wait_for

WEB = {"web-1": "127.0.0.2", "web-2": "127.0.0.3"}
WORKERS = {
    "workers-1": ("market", "computing", "files", "beat", "notifications"),
    "workers-2": ("market", "computing", "files"),
}
DATABASE, STORAGE = "127.0.0.6", "127.0.0.7"
TITLE = "six machines"
TEXTS = b"id,text,source\na,A text.,reference\n"
HEAD = """## Several machines

By `python -m tests.faults.machines`: two web machines, two with Celery's workers, one with PostgreSQL and Redis, one
with S3 (the test server of moto), on addresses 127.0.0.2 to .7 of one computer (workers listen on none), with folders
of their own and nothing shared but by database, broker and storage. Their processes are killed as above. Afterwards a
file is uploaded to each web machine, read by a machine of workers, and its job looked at on the other web machine.
"""


class Forwarder(threading.Thread):
    """Leads each connection to the next web machine that takes it."""

    def __init__(self, port: int, targets: list[tuple[str, int]]) -> None:
        super().__init__(daemon=True)
        self._listener = socket.create_server(("127.0.0.1", port), backlog=64)
        self._targets, self._next = targets, cycle(range(len(targets)))

    def run(self) -> None:
        while True:
            try:
                visitor, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._lead, args=[visitor], daemon=True).start()

    def stop(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _lead(self, visitor: socket.socket) -> None:
        first = next(self._next)
        for number in range(len(self._targets)):
            with suppress(OSError):
                target = socket.create_connection(self._targets[(first + number) % len(self._targets)], timeout=2)
                target.settimeout(None)
                threading.Thread(target=_pass_on, args=[target, visitor], daemon=True).start()
                _pass_on(visitor, target)
                return
        visitor.close()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while part := source.recv(65536):
            target.sendall(part)
    for each in (source, target):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()


@dataclass
class Machines(Installation):
    """The installation: `machines` are its folders, `rows` what runs on which."""

    machines: dict[str, Path] = field(default_factory=dict)
    rows: dict[tuple[str, str], subprocess.Popen[bytes]] = field(default_factory=dict)
    ended: threading.Event = field(default_factory=threading.Event)

    def keep(self) -> None:
        """Start each process, and start it again where it ends, until `stop`."""
        while not self.ended.wait(0.5):
            for machine, folder in self.machines.items():
                for name in ("web",) if machine in WEB else WORKERS[machine]:
                    running = self.rows.get((machine, name))
                    if running is None or running.poll() is not None:
                        self.rows[machine, name] = self._run(machine, name, folder)

    def _run(self, machine: str, name: str, folder: Path) -> subprocess.Popen[bytes]:
        address = f"{WEB.get(machine, '127.0.0.1')}:{self.port}"
        environment = self.environment | {"ASSAY_VAR": str(folder)}
        with (folder / "logs" / f"{name}.log").open("a") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "deploy", "run", name, "--address", address],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=log,
            )

    def victims(self) -> list[Victim]:
        found = []
        for machine, folder in self.machines.items():
            rows = {pid: (parent, name) for pid, parent, name in installation_processes(folder)}
            found += [Victim(pid, f"{machine}, {name}", parent in rows) for pid, (parent, name) in rows.items()]
        return found

    def victims_at_work(self) -> list[Victim]:
        victims = self.victims()
        plain = {victim.pid: Victim(victim.pid, victim.name.partition(", ")[2], victim.is_child) for victim in victims}
        working = {pid for pid, victim in plain.items() if is_at_work(victim)}
        # As in an installation of one machine, for the web of each.
        serving = {victim.name for victim in victims if victim.is_child and victim.pid in working}
        return [
            victim
            for victim in victims
            if victim.pid in working or (plain[victim.pid].name == "web" and victim.name in serving)
        ]

    def log(self) -> str:
        logs = [log for folder in self.machines.values() for log in sorted((folder / "logs").glob("*.log"))]
        return "\n".join(log.read_text(errors="replace") for log in logs)

    def stop(self) -> None:
        self.ended.set()
        time.sleep(1)
        for running in self.rows.values():
            running.terminate()
        for running in self.rows.values():
            with suppress(subprocess.TimeoutExpired):
                running.wait(timeout=20)
        for victim in self.victims():
            with suppress(ProcessLookupError):
                os.kill(victim.pid, 9)


@contextmanager
def six_machines() -> Iterator[Machines]:
    """Prepare the machines in empty folders and start them; ended and deleted afterwards."""
    made = Path(tempfile.mkdtemp(prefix="assay-machines-"))
    with guarded(made):
        postgres, redis, store = PostgreSQL(made, DATABASE), Redis(made, DATABASE), Store(STORAGE)
        port = free_port()
        environment = installation_environment(made, port, postgres, redis) | store.environment
        forwarder = Forwarder(port, [(address, port) for address in WEB.values()])
        forwarder.start()
        running = None
        try:
            folders = {name: made / name for name in ("operator", *WEB, *WORKERS)}
            _prepare(folders, environment)
            environment |= read_file(folders["operator"] / "installation.env") | {"DJANGO_SETTINGS_MODULE": SETTINGS}
            environment["ASSAY_VAR"] = str(folders["operator"])
            credit = [sys.executable, "manage.py", "create_requester", "lab", "--balance", "100000.00"]
            subprocess.run(credit, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
            served = {name: folder for name, folder in folders.items() if name != "operator"}
            running = Machines(made, port, environment, postgres, redis, None, machines=served)  # type: ignore[arg-type]
            threading.Thread(target=running.keep, daemon=True).start()
            wait_for(running.answers, "a web machine", START_SECONDS)
            yield running
        finally:
            if running is not None:
                running.stop()
            forwarder.stop()
            store.stop()
            for server in (redis, postgres):
                with suppress(subprocess.CalledProcessError):
                    server.stop()
            shutil.rmtree(made, ignore_errors=True)


def _prepare(folders: dict[str, Path], environment: dict[str, str]) -> None:
    """The first machine makes secrets and tables; each other gets the file and makes what lies in its own folder."""
    words = ["prepare", "--hosts", "127.0.0.1,localhost", "--contact", "ada@example.org"]
    for folder in folders.values():
        (folder / "logs").mkdir(parents=True)
        first = folders["operator"] / "installation.env"
        if first.exists():
            shutil.copy(first, folder / "installation.env")
        with (folder / "logs" / "start.log").open("a") as log:
            subprocess.run(
                [sys.executable, "-m", "deploy", *(words if not first.exists() else words[:1])],
                cwd=ROOT,
                env=environment | {"ASSAY_VAR": str(folder)},
                stdout=log,
                stderr=log,
                check=True,
            )


def files_that_no_worker_read(site: Installation) -> dict[str, int]:
    """Upload to each web machine, wait for the job on the other; how many did not come to their end."""
    from django.core.management import call_command

    token = io.StringIO()
    call_command("sign_in_link", "ada", "--create", "--owner", stdout=io.StringIO())
    call_command("tokens", "ada", "--new", "probe", stdout=token, stderr=io.StringIO())
    head = {"Authorization": f"Bearer {token.getvalue().strip()}", "Host": f"127.0.0.1:{site.port}"}
    at = [f"http://{address}:{site.port}/api/v1" for address in WEB.values()]
    for address in at:
        wait_for(lambda address=address: _lives(address), "a web machine", START_SECONDS)  # type: ignore[misc]
    lost = 0
    with httpx.Client(trust_env=False, timeout=60, headers=head) as client:
        for number, (here, there) in enumerate(zip(at, reversed(at), strict=True)):
            study = {"name": f"moved-{number}", "preset": "huse-2019", "mode": "rehearsal"}
            made = client.post(f"{here}/studies", json=study).raise_for_status().json()
            files = {"file": ("texts.csv", TEXTS, "text/csv")}
            sent = client.post(f"{here}/studies/{made['uuid']}/texts", files=files)
            job, ends = sent.raise_for_status().json(), time.monotonic() + 120
            while job["state"] not in {"done", "failed"} and time.monotonic() < ends:
                time.sleep(0.5)
                job = client.get(f"{there}/jobs/{job['uuid']}").raise_for_status().json()
            print(here, job["state"], job["problem"], flush=True)
            lost += job["state"] != "done" or job["outcome"].get("total_problems", 1) != 0
    return {"uploaded files that no worker read": lost}


def _lives(address: str) -> bool:
    with suppress(httpx.TransportError):
        return httpx.get(address.replace("/api/v1", "/health/live"), trust_env=False, timeout=5).status_code < 500
    return False


def main() -> int:
    """Run the machines and write the section; 1 where something is not 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.machines", description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--pages", type=int, default=8, help="HITs of a study")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--minutes", type=float, default=10.0, help="after which nothing is killed any more")
    options = parser.parse_args()
    whole = live_through(
        "machines",
        kills=options.kills,
        pages=options.pages,
        seed=options.seed,
        minutes=options.minutes,
        title=TITLE,
        site=six_machines(),
        after=files_that_no_worker_read,
    )
    write_section(ROOT / "docs" / "reliability.md", "machines", page([whole], options.kills, head=HEAD))
    bad = [f"{number} {name}." for name, number in whole.found.items() if number]
    print("\n".join(bad) or "Nothing lost, nothing paid twice.")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
