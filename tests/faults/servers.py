"""What a fault run stands on: a PostgreSQL and a Redis of its own on free ports, or a file; the project served."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.faults.guardian import guarded

ROOT = Path(__file__).resolve().parents[2]
SET_UP = """
import io
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("create_requester", "lab", balance="100000.00", json=True)
call_command("notification_endpoint", "queue", "events", "--requester", "lab", "--json")
call_command("marketplace_faults", **{faults}, stdout=io.StringIO())
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(happened: Callable[[], bool], what: str, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > until:
            raise TimeoutError(f"after {seconds:.0f} s still waiting for {what}")
        time.sleep(0.1)


class PostgreSQL:
    """A cluster in a folder, run as the user postgres where this is root."""

    def __init__(self, folder: Path, address: str = "127.0.0.1") -> None:
        self.address, self.port, self.folder = address, free_port(), folder / "postgresql"
        self._as = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        self.folder.mkdir()
        if self._as:
            account = pwd.getpwnam("postgres")
            os.chown(self.folder, account.pw_uid, account.pw_gid)
            folder.chmod(0o755)
        self._tell("initdb", "-N", "-A", "trust", "-U", "postgres", "-D", str(self.folder))
        self._start()

    @property
    def url(self) -> str:
        return f"postgres://postgres@{self.address}:{self.port}/postgres"

    def restart(self) -> None:
        """As after a crash: no connection is ended politely, the log is replayed."""
        self._tell("pg_ctl", "-D", str(self.folder), "-m", "immediate", "-w", "stop")
        self._start()

    def stop(self) -> None:
        self._tell("pg_ctl", "-D", str(self.folder), "-m", "immediate", "-w", "stop")

    def _start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses={self.address} -c max_connections=100"
        log = str(self.folder / "log")
        self._tell("pg_ctl", "-D", str(self.folder), "-l", log, "-o", options, "-w", "start")

    def _tell(self, program: str, *words: str) -> None:
        found = shutil.which(program) or str(sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))[-1])
        subprocess.run([*self._as, found, *words], check=True, stdout=subprocess.DEVNULL, cwd="/")


class Redis:
    """A Redis that keeps nothing: what it held is lost when it is restarted."""

    def __init__(self, folder: Path, address: str = "127.0.0.1") -> None:
        self.address, self.port, self._folder = address, free_port(), folder
        self._start()

    @property
    def url(self) -> str:
        return f"redis://{self.address}:{self.port}/0"

    def restart(self) -> None:
        self.stop()
        self._start()

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    def _start(self) -> None:
        words = ["--port", str(self.port), "--bind", self.address, "--save", "", "--dir", str(self._folder)]
        self._process = subprocess.Popen(["redis-server", *words], stdout=subprocess.DEVNULL)

        def answers() -> bool:
            with socket.socket() as probe:
                return probe.connect_ex((self.address, self.port)) == 0

        wait_for(answers, "Redis")


class Nursery:
    """Runs commands side by side in processes that can be killed; the exit statuses (-9: killed)."""

    def __init__(self, environment: dict[str, str], log: Any) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.nursery"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )

    def run(self, *jobs: dict[str, Any]) -> list[int]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(jobs) + "\n")
        self._process.stdin.flush()
        found: list[int] = json.loads(self._process.stdout.readline())
        return found

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)


def manage(environment: dict[str, str], *words: str) -> str:
    command = [sys.executable, str(ROOT / "manage.py"), *words]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"manage.py {words[0]}: {done.stderr[-2000:]}")
    return done.stdout


@contextmanager
def process(command: list[str], environment: dict[str, str], log: Any) -> Iterator[subprocess.Popen[bytes]]:
    running = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        yield running
    finally:
        running.kill()
        running.wait(timeout=30)


@contextmanager
def world(
    engine: str, faults: Mapping[str, int], migrated: Path | None = None
) -> Iterator[tuple[dict[str, str], PostgreSQL | None, Redis | None, Any]]:
    """An installation with a requester and a queue, served: its environment, its servers, its log. All ended after.

    migrated: an empty SQLite database of this version, which is copied; without it the tables are made here.
    """
    folder = Path(tempfile.mkdtemp(prefix="assay-faults-"))
    with guarded(folder):
        yield from _world(folder, engine, faults, migrated)


def _world(
    folder: Path, engine: str, faults: Mapping[str, int], migrated: Path | None
) -> Iterator[tuple[dict[str, str], PostgreSQL | None, Redis | None, Any]]:
    postgres = redis = None
    log = (folder / "log").open("w+")
    try:
        if engine == "postgresql":
            postgres, redis = PostgreSQL(folder), Redis(folder)
        port = free_port()
        if migrated:
            shutil.copyfile(migrated, folder / "assay.sqlite3")
        environment = _environment(folder, port, postgres)
        told = manage(environment, "shell", "-v0", "-c", SET_UP.format(faults=dict(faults)))
        key, queue = (json.loads(line) for line in told.strip().splitlines()[-2:])
        environment |= {
            "MTURK_ACCESS_KEY": key["access_key"],
            "MTURK_SECRET_KEY": key["secret_key"],
            "MTURK_QUEUE_URL": queue["url"],
        }
        serve = [sys.executable, str(ROOT / "manage.py"), "serve", "--port", str(port), "--threads", "8"]
        with process(serve, environment, log) as web:
            wait_for(lambda: _answers(port) or web.poll() is not None, "the web server")
            yield environment, postgres, redis, log
    except BaseException:
        log.flush()
        sys.stderr.write((folder / "log").read_text()[-6000:])
        raise
    finally:
        log.close()
        for server in (redis, postgres):
            if server is not None:
                server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _environment(folder: Path, port: int, postgres: PostgreSQL | None) -> dict[str, str]:
    origin = f"http://127.0.0.1:{port}"
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "deploy.settings.development",
        "DATABASE_URL": postgres.url if postgres else f"sqlite:///{folder / 'assay.sqlite3'}",
        "CELERY_BROKER_URL": "",
        "WORKER_ORIGIN": origin,
        "HIT_ORIGIN": f"http://localhost:{port}",
        "CONSOLE_ORIGIN": origin,
        "MTURK_ENDPOINT_URL": f"{origin}/mturk/",
        # With a fee, so that its rows can be lost or doubled too.
        "MARKETPLACE_FEES": "mturk",
        "MTURK_FEES": "mturk",
        "INTENT_LEASE_SECONDS": "1",
        "LOG_LEVEL": "ERROR",
    }


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/hits/", trust_env=False, timeout=5).status_code < 500
    except httpx.TransportError:
        return False
