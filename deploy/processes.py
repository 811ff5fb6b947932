"""The processes of an installation, declared once.

From these rows come the compose file and the systemd units (deploy/forms.py writes them, and a test holds them equal),
and what `python -m deploy start` runs on one machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deploy.settings.environment import PACKAGE, ROOT

# With a broker (Celery's workers and scheduler), without one (the embedded work loop), or either way.
Queue = Literal["broker", "loop", "either"]

PORT = 8000
MANAGE = ("python", "-m", f"{PACKAGE}manage")
CELERY = ("python", "-m", "celery", "-A", f"{PACKAGE}deploy")
# Two processes use two cores; four threads each answer while a long page is computed.
WEB_PROCESSES, WEB_THREADS = 2, 4
# How long a connection without a request stays open. Whoever keeps connections (the proxy 30 s, clients 5 s and more)
# must give one up first: a request that meets the closing gets no answer, and a form is not sent twice by a proxy.
KEEP_ALIVE_SECONDS = 75


@dataclass(frozen=True, slots=True)
class Process:
    """A process that runs until it is stopped. command: its words, where "{address}" is the address to listen on and
    "{var}" the folder of the installation's files. optional: started only where its operator asks for it."""

    name: str
    purpose: str
    command: tuple[str, ...]
    queue: Queue = "either"
    optional: bool = False

    def words(self, *, address: str, var: str) -> list[str]:
        """The command with its address and folder."""
        return [word.replace("{address}", address).replace("{var}", var) for word in self.command]


WEB = Process(
    "web",
    "console, worker site, tasks, Requester API",
    (
        *("python", "-m", "gunicorn", "deploy.wsgi", "--bind={address}", "--log-level=warning"),
        *(f"--workers={WEB_PROCESSES}", f"--threads={WEB_THREADS}", "--timeout=120", "--worker-tmp-dir=/dev/shm"),
        f"--keep-alive={KEEP_ALIVE_SECONDS}",
    ),
)
NOTIFICATIONS = Process(
    "notifications", "the marketplace's notifications", (*MANAGE, "marketplace_deliver", "--every=1")
)
WORK = Process("work", "marketplace actions, collecting, jobs, scoring", (*MANAGE, "work", "--every=2"), "loop")
MARKET = Process(
    "market", "marketplace actions, collecting", (*CELERY, "worker", "-Q", "celery,market", "-c2"), "broker"
)
COMPUTING = Process("computing", "jobs, parsing answers", (*CELERY, "worker", "-Q", "computing", "-c1"), "broker")
FILES = Process("files", "reading uploaded files", (*CELERY, "worker", "-Q", "files", "-c1"), "broker")
READING = Process("reading", "reading uploaded files", (*MANAGE, "work", "--every=2", "--only=files"), "loop")
SCORING = Process("scoring", "language models", (*CELERY, "worker", "-Q", "scoring", "-Psolo"), "broker", optional=True)
BEAT = Process("beat", "the scheduler", (*CELERY, "beat", "--schedule={var}/beat"), "broker")
PROXY = Process(
    "proxy",
    "HTTPS, with certificates that it gets and renews",
    ("caddy", "run", "--config", str(ROOT / "deploy" / "proxy" / "Caddyfile"), "--adapter", "caddyfile"),
)

PROCESSES = (WEB, NOTIFICATIONS, WORK, READING, MARKET, COMPUTING, FILES, SCORING, BEAT, PROXY)


def processes_of(*, broker: bool) -> tuple[Process, ...]:
    """The processes of an installation with a broker, or without one."""
    kind = "broker" if broker else "loop"
    return tuple(process for process in PROCESSES if process.queue in {kind, "either"})
