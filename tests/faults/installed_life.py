"""A study's life in an installation: its processes do the work and are killed; people and commands try again."""

from __future__ import annotations

import io
import json
import os
import random
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from django.core.management import CommandError, call_command
from django.db import DatabaseError, connections

from annotation.exceptions import AssayError
from annotation.marketplace import models as market
from annotation.models import Intent, Submission
from tests.faults.life import FLOOR, THANKS, Life, Tally, full
from tests.faults.persistent import Met, Persistent

PATIENCE = 900.0
ANSWER = re.compile(r"<QuestionIdentifier>([^<]+)</QuestionIdentifier>\s*<FreeText>([^<]*)</FreeText>")


def inject_faults(faults: Mapping[str, int]) -> None:
    """Have the marketplace fail now and then."""
    call_command("marketplace_faults", **faults, stdout=io.StringIO())


def persist(deed: Callable[[], Any], *, patience: float = 400.0) -> Any:
    """Do it again until it gets through: a process that it needs may be dead."""
    ends = time.monotonic() + patience
    while True:
        try:
            return deed()
        except (DatabaseError, CommandError, AssayError, OSError) as error:
            connections.close_all()
            if time.monotonic() > ends:
                raise
            last = error
        time.sleep(0.5)
        del last


def link_of(who: str) -> Callable[[], str]:
    """A call that makes a link by which this person signs in."""

    def link() -> str:
        out = io.StringIO()
        persist(lambda: call_command("create_worker", who, "--json", stdout=out))
        return str(json.loads(out.getvalue())["sign_in_url"])

    return link


@dataclass
class InstalledLife:
    """One study, from its texts to its end."""

    name: str
    pages: int
    met: Met
    waited: float = 0.0
    life: Life = field(init=False)

    def __post_init__(self) -> None:
        self.life = Life(self.name, self.pages, None, Tally(), random.Random(1))  # type: ignore[arg-type]

    def study(self) -> Any:
        return self.life.study()

    def live(self) -> None:
        life = self.life
        persist(life.found)
        self.command("publish", self.name, "--yes")
        self.until(self.published, "publishing")
        self.rates("bea")
        self.command("pause", self.name)
        self.until(self.idle, "the pause")
        self.command("resume", self.name)
        self.until(self.idle, "going on")
        life.lift_holds()
        self.until(lambda: self.took_back() and self.idle(), "the end of a hold")
        self.rates("cy")
        self.until(self.all_here, "collecting")
        self.command("top_up", self.name, "--always", "yes")
        persist(life.leave_one_out)
        self.until(lambda: self.topped_up() and self.idle(), "the place that is added")
        self.rates("dee")
        self.until(self.all_here, "collecting the last")
        self.decides()
        self.command("approve", self.name, "--yes")
        self.until(self.idle, "approving")
        self.command("fair_pay", self.name, "--pay", "--floor", str(self.floor()))
        self.until(self.idle, "bonuses")
        self.command("notify", self.name, *THANKS)
        self.until(self.idle, "notices")
        self.command("stop_recruitment", self.name)
        self.until(lambda: self.idle() and self.over(), "the end of recruiting")
        self.command("close", self.name)
        self.until(self.idle, "closing")

    def decides(self) -> None:
        life = self.life
        for deed in (life.give_passes, life.refuse_one, life.turn_refusal, life.block_one, life.unblock_one):
            persist(deed)
            self.until(self.idle, deed.__name__)

    def floor(self) -> int:
        return FLOOR

    def rates(self, who: str) -> None:
        Persistent(link_of(f"{self.name}-{who}"), self.met).rates(self.name)
        if os.environ.get("FAULTS_LOG"):
            print(self.name, who, len(self.met.recorded), dict(self.met.answers), flush=True)

    def command(self, *words: str) -> None:
        """A person's command, again where it fails, until it or one before it got through."""
        before, what = self.study().status, words[0]

        def deed() -> None:
            if what in {"pause", "resume", "stop_recruitment", "close"} and self.study().status != before:
                return
            call_command(*words, stdout=io.StringIO(), stderr=io.StringIO())

        persist(deed)

    def until(self, happened: Callable[[], bool], what: str) -> None:
        """Wait for what the processes do by themselves."""
        ends = time.monotonic() + PATIENCE
        while True:
            with suppress(DatabaseError):
                if happened():
                    if os.environ.get("FAULTS_LOG"):
                        print(self.name, what, flush=True)
                    return
            if time.monotonic() > ends:
                raise TimeoutError(f"{self.name}: {what} did not come to its end: {self.open()}")
            time.sleep(0.3)

    def open(self) -> list[tuple[str, str, str]]:
        rows = Intent.objects.filter(study=self.study()).exclude(state__in=["done", "dropped"])
        return list(rows.values_list("kind", "state", "outcome"))

    def idle(self) -> bool:
        return not self.open()

    def published(self) -> bool:
        return self.idle() and not self.study().hits.filter(market_id=None).exists()

    def all_here(self) -> bool:
        """Whether every place is filled, and everything handed in is here and read."""
        return full(self.study()) and self.all_read()

    def all_read(self) -> bool:
        """Whether everything handed in is here and read."""
        keys = Intent.objects.filter(study=self.study(), kind="create_hit").values("key")
        there = market.Assignment.objects.filter(hit__annotation__in=keys, state__in=market.Assignment.SUBMITTED_STATES)
        here = Submission.objects.filter(hit__study=self.study(), parse__isnull=False)
        return there.count() == here.count()

    def took_back(self) -> bool:
        return Intent.objects.filter(study=self.study(), kind="revoke", state="done").exists()

    def topped_up(self) -> bool:
        return Intent.objects.filter(study=self.study(), kind="add_places").exists()

    def over(self) -> bool:
        return not self.study().hits.exclude(market_status__in=["Reviewable", "Reviewing", "Disposed"]).exists()


def acknowledged(met: Met) -> int:
    """Acknowledged submissions whose stored answers are missing, or differ from what was sent."""
    stored = {
        assignment: dict(ANSWER.findall(answer))
        for assignment, answer in market.Submission.objects.filter(
            assignment__assignment_id__in=list(met.recorded)
        ).values_list("assignment__assignment_id", "answer")
    }
    lost = 0
    for assignment, fields in met.recorded.items():
        held = stored.get(assignment, {})
        lost += any(held.get(name) != value for name, value in fields.items() if name != "assignmentId")
    return lost
