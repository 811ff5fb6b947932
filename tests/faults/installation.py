"""An installation as an operator starts it (`python -m deploy start`), whose processes can be found and killed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from deploy.settings.environment import read_file
from tests.faults.guardian import guarded
from tests.faults.servers import ROOT, PostgreSQL, Redis, free_port, wait_for

# Words of a command line, and the process of the declaration that it belongs to.
NAMES = (
    ("gunicorn", "web"),
    ("marketplace_deliver", "notifications"),
    ("--only=files", "reading"),
    ("--every=2", "work"),
    ("celery,market", "market"),
    ("computing", "computing"),
    ("files", "files"),
    ("beat", "beat"),
)
SETTINGS = "tests.faults.installed_settings"
# On a machine that others keep busy.
START_SECONDS = 300.0
# Processor seconds, and seconds since it was begun, after which a process is past its start and at work.
AT_WORK_SECONDS, AT_WORK_AGE = 0.9, 5.0
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Victim:
    """A process of the installation: its id, the name in the declaration, and whether another of that name began it."""

    pid: int
    name: str
    is_child: bool

    @property
    def title(self) -> str:
        return f"{self.name}, a process that it began" if self.is_child else self.name


@dataclass
class Installation:
    """A running installation: `environment` is what its commands need."""

    folder: Path
    port: int
    environment: dict[str, str]
    postgres: PostgreSQL | None
    redis: Redis | None
    supervisor: subprocess.Popen[bytes]

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def var(self) -> Path:
        return self.folder / "var"

    def victims(self) -> list[Victim]:
        """Every process that belongs to the installation, but for the one that starts the others."""
        rows = {
            pid: (parent, name) for pid, parent, name in installation_processes(self.var) if pid != self.supervisor.pid
        }
        return [Victim(pid, name, parent in rows) for pid, (parent, name) in rows.items()]

    def victims_at_work(self) -> list[Victim]:
        """Those past their start: of a process that is killed before, nothing can be lost."""
        victims = self.victims()
        working = {victim.pid for victim in victims if is_at_work(victim)}
        # The first process of the web never reads the project: it is at work where those that it began are.
        serving = any(victim.pid in working for victim in victims if victim.name == "web" and victim.is_child)
        return [
            victim
            for victim in victims
            if victim.pid in working or (serving and victim.name == "web" and not victim.is_child)
        ]

    def log(self) -> str:
        """What all processes wrote."""
        texts = [path.read_text(errors="replace") for path in sorted((self.var / "logs").glob("*.log"))]
        return "\n".join([*texts, (self.folder / "start.log").read_text(errors="replace")])

    def restart(self, environment: Mapping[str, str] | None = None) -> None:
        """Stop every process, and start them again with other variables."""
        self.stop()
        self.environment |= environment or {}
        self.supervisor = _start(self.folder, self.port, self.environment)
        wait_for(self.answers, "the web process", START_SECONDS)

    def stop(self) -> None:
        self.supervisor.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.supervisor.wait(timeout=30)
        self.supervisor.kill()
        for victim in self.victims():
            with suppress(ProcessLookupError):
                os.kill(victim.pid, signal.SIGKILL)

    def answers(self) -> bool:
        try:
            return httpx.get(f"{self.origin}/health/live", trust_env=False, timeout=5).status_code == 200
        except httpx.TransportError:
            return False


@contextmanager
def installed(
    engine: str,
    *,
    broker: bool = False,
    extra: Mapping[str, str] | None = None,
    folder: Path | None = None,
    balance: str = "100000.00",
) -> Iterator[Installation]:
    """Prepare an installation in an empty folder and start it; ended and deleted afterwards."""
    made = Path(tempfile.mkdtemp(prefix="assay-installed-", dir=folder))
    with guarded(made):
        yield from _installed(made, engine, broker=broker, extra=extra, balance=balance)


def _installed(
    made: Path, engine: str, *, broker: bool, extra: Mapping[str, str] | None, balance: str
) -> Iterator[Installation]:
    postgres = PostgreSQL(made) if engine == "postgresql" else None
    redis = Redis(made) if broker else None
    port = free_port()
    environment = installation_environment(made, port, postgres, redis) | dict(extra or {})
    running = None
    try:
        words = ["prepare", "--hosts", "127.0.0.1,localhost", "--contact", "ada@example.org"]
        with (made / "start.log").open("a") as log:
            subprocess.run(
                [sys.executable, "-m", "deploy", *words],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=log,
                check=True,
            )
        environment |= read_file(made / "var" / "installation.env") | {"DJANGO_SETTINGS_MODULE": SETTINGS}
        credit = [sys.executable, "manage.py", "create_requester", "lab", "--balance", balance]
        subprocess.run(credit, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
        running = Installation(made, port, environment, postgres, redis, _start(made, port, environment))
        wait_for(running.answers, "the web process", START_SECONDS)
        yield running
    except BaseException:
        for file in [made / "start.log", *sorted((made / "var" / "logs").glob("*.log"))]:
            sys.stderr.write(f"--- {file.name}\n{file.read_text(errors='replace')[-1500:]}\n")
        raise
    finally:
        if running is not None:
            running.stop()
        for server in (redis, postgres):
            if server is not None:
                with suppress(subprocess.CalledProcessError):
                    server.stop()
        shutil.rmtree(made, ignore_errors=True)


def _start(folder: Path, port: int, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    with (folder / "start.log").open("a") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "deploy", "start", "--without-proxy", "--address", f"127.0.0.1:{port}"],
            cwd=ROOT,
            env=dict(environment),
            stdout=log,
            stderr=log,
        )


def installation_environment(
    folder: Path, port: int, postgres: PostgreSQL | None, redis: Redis | None
) -> dict[str, str]:
    """The variables by which the commands and processes of an installation in this folder know it."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": SETTINGS,
        "ASSAY_VAR": str(folder / "var"),
        "DATABASE_URL": postgres.url if postgres else f"sqlite:///{folder / 'var' / 'assay.sqlite3'}",
        "CELERY_BROKER_URL": redis.url if redis else "",
        "WORKER_ORIGIN": f"http://127.0.0.1:{port}",
        "CONSOLE_ORIGIN": f"http://127.0.0.1:{port}",
        "HIT_ORIGIN": f"http://localhost:{port}",
        "MARKETPLACE_FEES": "mturk",
        "MTURK_FEES": "mturk",
        "TRUSTED_PROXIES": "0",
        # What a killed process had in hands comes back after this time (ten minutes without it).
        "INTENT_LEASE_SECONDS": "2",
        "POLL_SECONDS": "2",
        "LOG_LEVEL": "ERROR",
    }


def installation_processes(var: Path) -> Iterator[tuple[int, int, str]]:
    """Process, parent and name of everything that works on the installation in this folder."""
    marker = f"ASSAY_VAR={var}".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if marker not in (entry / "environ").read_bytes().split(b"\0"):
                continue
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            parent = int((entry / "stat").read_text("latin-1").rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if name := next((name for word, name in NAMES if word in words), ""):
            yield int(entry.name), parent, name


@dataclass
class Killer(threading.Thread):
    """Kills a process of the installation by chance every few seconds, until it is stopped."""

    installation: Installation
    dice: random.Random
    most: int
    pause: tuple[float, float]
    # Seconds after which nothing is killed any more.
    lasts: float = 1e9
    kills: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self._ended = threading.Event()

    __hash__ = threading.Thread.__hash__

    def run(self) -> None:
        ends = time.monotonic() + self.lasts
        while not self._ended.wait(self.dice.uniform(*self.pause)) and self.kills.total() < self.most:
            if time.monotonic() > ends:
                break
            if not self.installation.answers():
                continue
            # First the kind, then the process: else the many of the web would be met alone.
            victims: dict[str, list[Victim]] = {}
            for victim in self.installation.victims_at_work():
                victims.setdefault(victim.title, []).append(victim)
            if not victims:
                continue
            chosen = self.dice.choice(victims[self.dice.choice(sorted(victims))])
            with suppress(ProcessLookupError):
                os.kill(chosen.pid, signal.SIGKILL)
                self.kills[chosen.title] += 1

    def stop(self) -> None:
        self._ended.set()
        self.join()


def is_at_work(victim: Victim) -> bool:
    """Whether the process is past its start."""
    # Celery's children come from a process that is past its start; those of the web read the project themselves.
    if victim.is_child and victim.name != "web":
        return True
    try:
        fields = Path(f"/proc/{victim.pid}/stat").read_text("latin-1").rpartition(")")[2].split()
    except OSError:
        return False
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / TICKS
    return age >= AT_WORK_AGE and (int(fields[11]) + int(fields[12])) / TICKS >= AT_WORK_SECONDS
