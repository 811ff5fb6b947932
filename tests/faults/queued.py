"""A study whose every effect is carried out by two Celery workers that are killed, while their servers are restarted.

python -m tests.faults.queued POINT NTH celery ...     (a Celery process that will be killed at a point)
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from django.core.management import CommandError, call_command
from django.db import DatabaseError, connections

from annotation.models import Intent
from tests.faults.life import FLOOR, Life, Person, full
from tests.faults.servers import ROOT, PostgreSQL, Redis

CELERY = [sys.executable, "-m", "celery", "-A", "deploy"]


@dataclass
class Crew:
    """Two workers and a scheduler; whoever is found dead is replaced."""

    environment: dict[str, str]
    log: Any
    dice: random.Random
    kills: int = 0
    _running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __enter__(self) -> Crew:
        self.tend()
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._running.values():
            one.kill()
            one.wait(timeout=30)

    def tend(self) -> None:
        for name in ("one", "two"):
            words = ["worker", "--pool", "solo", "-n", f"{name}@faults", "-l", "ERROR", "--without-gossip"]
            self._start(name, [*CELERY, *words])
        schedule = os.path.join(os.path.dirname(self.log.name), "beat")  # noqa: PTH118, PTH120
        self._start("beat", [*CELERY, "beat", "-l", "ERROR", "-s", schedule, "--pidfile="])

    def _start(self, name: str, command: list[str]) -> None:
        known = self._running.get(name)
        if known is None or known.poll() is not None:
            self._running[name] = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdout=self.log, stderr=subprocess.STDOUT
            )

    def kill_one(self) -> None:
        """A worker, at a random moment, without a word."""
        victim = self._running[self.dice.choice(["one", "two"])]
        if victim.poll() is None:
            victim.send_signal(signal.SIGKILL)
            victim.wait(timeout=30)
            self.kills += 1
        self.tend()


@dataclass
class QueuedLife:
    """As Life, but everything goes over the queue. `restarts`: how often PostgreSQL and Redis were restarted."""

    life: Life
    crew: Crew
    postgres: PostgreSQL
    redis: Redis
    kills: int
    restarts: int = 0

    def live(self) -> None:
        life = self.life
        life.found()
        people = [Person(f"{life.name}-{who}") for who in ("bea", "cy", "dee")]
        self.command("publish", life.name, "--yes")
        self.until(self.published, kill=True, restart=self.postgres)
        people[0].rates(life.name)
        people[1].rates(life.name)
        self.until(lambda: full(life.study()), kill=True, restart=self.redis)
        life.leave_one_out()
        self.command("top_up", life.name)
        self.until(self.idle, kill=True)
        people[2].rates(life.name)
        self.until(lambda: full(life.study()) and self.read(), kill=True, restart=self.postgres)
        self.command("approve", life.name)
        self.until(self.idle, kill=True, restart=self.redis)
        self.command("fair_pay", life.name, "--pay", "--floor", str(FLOOR))
        self.until(self.idle, kill=True)
        self.command("expire", life.name)
        self.until(lambda: self.idle() and self.over())
        self.command("close", life.name)
        self.until(self.idle)

    def until(
        self, happened: Callable[[], bool], *, kill: bool = False, restart: PostgreSQL | Redis | None = None
    ) -> None:
        """Wait while workers are killed now and then; a server is restarted once in between."""
        end, next_kill = time.monotonic() + 240, time.monotonic() + self.crew.dice.uniform(1, 4)
        share = self.crew.kills + max(1, self.kills // 6)
        while not self._asked(happened) or (kill and self.crew.kills < share and self.crew.kills < self.kills):
            if time.monotonic() > end:
                raise TimeoutError(f"the queue did not finish: {self._left()}")
            if restart is not None and self.crew.kills > share - max(1, self.kills // 6):
                restart.restart()
                self.restarts, restart = self.restarts + 1, None
            if kill and time.monotonic() > next_kill and self.crew.kills < min(share, self.kills):
                self.crew.kill_one()
                next_kill = time.monotonic() + self.crew.dice.uniform(1, 5)
            self.crew.tend()
            time.sleep(0.2)

    def _asked(self, happened: Callable[[], bool]) -> bool:
        try:
            return happened()
        except DatabaseError:
            connections.close_all()
            return False

    def command(self, *words: str) -> None:
        """A person's command; while a server is away it is given again."""
        for _ in range(30):
            try:
                call_command(*words, stdout=self.crew.log, stderr=self.crew.log)
                return
            except (DatabaseError, CommandError, OSError) as error:
                connections.close_all()
                last = error
                time.sleep(1)
        raise last

    def published(self) -> bool:
        return self.idle() and not self.life.study().hits.filter(market_id=None).exists()

    def idle(self) -> bool:
        return not Intent.objects.filter(study=self.life.study()).exclude(state__in=["done", "dropped"]).exists()

    def read(self) -> bool:
        return not self.life.study().hits.filter(submissions__parse=None, submissions__isnull=False).exists()

    def over(self) -> bool:
        return not self.life.study().hits.exclude(market_status__in=["Reviewable", "Reviewing", "Disposed"]).exists()

    def _left(self) -> list[tuple[str, str, str]]:
        rows = Intent.objects.filter(study=self.life.study()).exclude(state="done")
        return list(rows.values_list("kind", "state", "outcome"))


def crewed(environment: dict[str, str], log: Any, dice: random.Random, stack: ExitStack) -> Crew:
    return stack.enter_context(Crew(environment, log, dice))
