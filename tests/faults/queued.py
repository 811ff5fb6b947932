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
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from django.core.management import CommandError, call_command
from django.db import DatabaseError, connections

from annotation.marketplace import models as market
from annotation.models import Intent, Submission
from tests.faults import kill_points as points
from tests.faults.kill_points import Point
from tests.faults.life import FLOOR, THANKS, Life, Person, Tally, full
from tests.faults.servers import ROOT, PostgreSQL, Redis

CELERY = [sys.executable, "-m", "celery", "-A", "deploy"]
DOOMED = [sys.executable, "-m", "tests.faults.doomed"]
WORKERS = ("one", "two")
# When all is done, workers may still be on their way to a point; so long is waited for them.
LINGER = 15.0


@dataclass
class Crew:
    """Two workers and a scheduler; whoever is found dead is replaced.

    `at`: points at which workers shall die before anything else happens to them; each new worker is sent to the next.
    """

    environment: dict[str, str]
    log: Any
    dice: random.Random
    tally: Tally
    at: list[str] = field(default_factory=list)
    _running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _sent: dict[str, str] = field(default_factory=dict)

    def __enter__(self) -> Crew:
        self.tend()
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._running.values():
            one.kill()
            one.wait(timeout=30)

    def send(self, at: Sequence[Point]) -> None:
        """From now on workers die at these points, as far as nobody has died there yet; both are replaced."""
        self._send([point.name for point in at if not self.tally.kills[point.name]])

    def send_both(self, at: Point) -> None:
        """Whoever of the two comes there first dies at this point."""
        self._send([at.name] * len(WORKERS))

    def _send(self, names: list[str]) -> None:
        self.at = names
        self._sent.clear()
        if self.at:
            for name in WORKERS:
                self._running[name].kill()
                self._running[name].wait(timeout=30)
                self._running.pop(name)
        self.tend()

    def tend(self) -> None:
        """Count who has died at a point, and replace the dead."""
        for name in WORKERS:
            found = self._running.get(name)
            if found is not None and found.poll() is None:
                continue
            point = self._sent.pop(name, None)
            if found is not None and point is not None and found.returncode == -signal.SIGKILL:
                self.tally.kills[point] += 1
            self._start(name)
        schedule = os.path.join(os.path.dirname(self.log.name), "beat")  # noqa: PTH118, PTH120
        if "beat" not in self._running or self._running["beat"].poll() is not None:
            self._run("beat", [*CELERY, "beat", "-l", "ERROR", "-s", schedule, "--pidfile="])

    def _start(self, name: str) -> None:
        command = CELERY
        if self.at:
            self._sent[name] = self.at.pop(0)
            command = [*DOOMED, self._sent[name]]
        self._run(
            name, [*command, "worker", "--pool", "solo", "-n", f"{name}@faults", "-l", "ERROR", "--without-gossip"]
        )

    def _run(self, name: str, command: list[str]) -> None:
        self._running[name] = subprocess.Popen(
            command, cwd=ROOT, env=self.environment, stdout=self.log, stderr=subprocess.STDOUT
        )

    def kill_one(self) -> None:
        """A worker that was sent nowhere, at a random moment, without a word."""
        name = self.dice.choice(WORKERS)
        victim = self._running[name]
        if victim.poll() is None and name not in self._sent:
            victim.send_signal(signal.SIGKILL)
            victim.wait(timeout=30)
            self.tally.kills["a random moment"] += 1
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
        self.until(self.published, at=points.CREATING, restart=self.postgres)
        people[0].rates(life.name)
        self.command("pause", life.name)
        self.until(self.idle, at=points.EXPIRING)
        self.command("resume", life.name)
        self.until(self.idle, at=points.PROLONGING)
        self.crew.send(points.REVOKING)
        life.lift_holds()
        self.until(lambda: self.took_back() and self.idle(), at=points.REVOKING, sent=True)
        self.collects(people[1], restart=self.redis)
        # From here on the workers replace ratings by themselves.
        self.command("top_up", life.name, "--always", "yes")
        self.crew.send((*points.DECIDING, *points.ADDING, *points.PROLONGING))
        life.leave_one_out()
        self.until(lambda: self.topped_up() and self.idle())
        self.collects(people[2], restart=self.postgres)
        self.decides()
        self.command("approve", life.name)
        self.until(self.idle, at=points.APPROVING, restart=self.redis)
        self.command("fair_pay", life.name, "--pay", "--floor", str(FLOOR))
        self.until(self.idle, at=points.PAYING)
        self.crew.send(points.WRITING)
        self.command("notify", life.name, *THANKS)
        self.until(self.idle, at=points.WRITING, sent=True)
        self.command("stop_recruitment", life.name)
        self.until(lambda: self.idle() and self.over())
        self.command("close", life.name)
        self.until(self.idle, at=points.DELETING)

    def collects(self, person: Person, *, restart: PostgreSQL | Redis) -> None:
        """The person hands in one HIT for each point at which nobody has died, then the others."""
        for point in points.COLLECTING * 2:
            if self.crew.tally.kills[point.name]:
                continue
            self.crew.send_both(point)
            if not person.rates(self.life.name, most=1):
                break
            self.until(lambda: bool(self.crew.tally.kills[point.name]) or self.all_read())  # noqa: B023
        person.rates(self.life.name)
        collected = lambda: full(self.life.study()) and self.all_read()  # noqa: E731
        self.until(collected, at=points.COLLECTING, sent=True, restart=restart)

    def decides(self) -> None:
        """Everybody is given a pass; one is refused and blocked, wrongly."""
        self.crew.send(points.GRANTING)
        self.life.give_passes()
        self.until(self.idle, at=points.GRANTING, sent=True)
        self.crew.send(points.REFUSING)
        self.life.refuse_one()
        self.until(self.idle, at=points.REFUSING, sent=True)
        self.life.turn_refusal()
        self.crew.send(points.BLOCKING)
        self.life.block_one()
        self.until(self.idle, at=points.BLOCKING, sent=True)
        self.crew.send(points.UNBLOCKING)
        self.life.unblock_one()
        self.until(self.idle, at=points.UNBLOCKING, sent=True)

    def until(
        self,
        happened: Callable[[], bool],
        *,
        at: Sequence[Point] = (),
        sent: bool = False,
        restart: PostgreSQL | Redis | None = None,
    ) -> None:
        """Wait while workers are killed, at the points of the step (`sent`: sent before) and now and then.

        A server is restarted once in between.
        """
        if at and not sent:
            self.crew.send(at)
        tally, dice = self.crew.tally, self.crew.dice
        begun, done_at = tally.total, 0.0
        share, end = min(begun + max(1, self.kills // 6), self.kills), time.monotonic() + 300
        next_kill = time.monotonic() + dice.uniform(1, 4)
        while not done_at or (at and tally.total < share and time.monotonic() < done_at + LINGER):
            if time.monotonic() > end:
                raise TimeoutError(f"the queue did not finish: {self._left()}")
            if restart is not None and tally.total > begun:
                restart.restart()
                self.restarts, restart = self.restarts + 1, None
            if at and not self.crew.at and time.monotonic() > next_kill and tally.total < share:
                self.crew.kill_one()
                next_kill = time.monotonic() + dice.uniform(1, 5)
            self.crew.tend()
            if not self._asked(happened):
                done_at = 0.0
            elif not done_at:
                done_at = time.monotonic()
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

    def all_read(self) -> bool:
        """Whether all that was handed in on the marketplace is here, and read."""
        keys = Intent.objects.filter(study=self.life.study(), kind="create_hit").values("key")
        handed_in = market.Assignment.objects.filter(
            hit__annotation__in=keys, state__in=market.Assignment.SUBMITTED_STATES
        )
        here = Submission.objects.filter(hit__study=self.life.study(), parse__isnull=False)
        return handed_in.count() == here.count()

    def took_back(self) -> bool:
        return Intent.objects.filter(study=self.life.study(), kind="revoke", state="done").exists()

    def topped_up(self) -> bool:
        return Intent.objects.filter(study=self.life.study(), kind="add_places").exists()

    def over(self) -> bool:
        return not self.life.study().hits.exclude(market_status__in=["Reviewable", "Reviewing", "Disposed"]).exists()

    def _left(self) -> list[tuple[str, str, str]]:
        rows = Intent.objects.filter(study=self.life.study()).exclude(state="done")
        return list(rows.values_list("kind", "state", "outcome"))


def crewed(environment: dict[str, str], log: Any, dice: random.Random, tally: Tally, stack: ExitStack) -> Crew:
    return stack.enter_context(Crew(environment, log, dice, tally))
