"""One study from its texts to its end, every step taken by processes that are killed until one gets through."""

from __future__ import annotations

import io
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.core.management import call_command
from django.db import close_old_connections
from django.db.models import F
from django.utils import timezone

from annotation import settings as conf
from annotation.accounts.models import User
from annotation.design.lay_out import design
from annotation.exceptions import MarketError
from annotation.importing.add_texts import add_texts
from annotation.models import Decision, Hold, Intent, Study, Submission, Worker
from annotation.mturk.client import Market
from annotation.readers.records import TextRecord
from annotation.rehearsal.crowd.browser import Answer, Browser
from annotation.review import block, reject
from annotation.studies.create import Plan, create
from annotation.workers import hold, participation
from tests.faults import kill_points as points
from tests.faults.kill_points import Point
from tests.faults.servers import Nursery

RATERS = 2
# Reward 20 cents and fee 4; a bonus of 13 and its fee 3 (fair pay to a floor that 33 cents a HIT of 3 s make).
REWARD, FEE, BONUS, BONUS_FEE = 20, 4, 13, 3
SECONDS = 3
FLOOR = (REWARD + BONUS) * 3600 // SECONDS
THANKS = ("--everybody", "--subject", "Thank you", "--text", "Your ratings are in use.")

# How often a process is sent to a point at which none has died yet: the marketplace may refuse its call on the way.
TRIES = 4


@dataclass
class Tally:
    """Kills by point ("at a random moment" among them), and processes that ended by themselves."""

    kills: Counter[str] = field(default_factory=Counter)
    ended: int = 0

    @property
    def total(self) -> int:
        return sum(self.kills.values())

    @property
    def unreached(self) -> list[str]:
        """The named points at which nothing has died yet."""
        return sorted(name for name in points.ALL if not self.kills[name])


@dataclass
class Life:
    """A study and what kills its processes. `doomed`: kills in each step; None: as many as there are points."""

    name: str
    pages: int
    nursery: Nursery
    tally: Tally
    dice: random.Random
    doomed: int | None = None
    # Without pause, top-up and bonuses.
    brief: bool = False
    say: Callable[[str], None] = print

    def study(self) -> Study:
        close_old_connections()
        return Study.objects.get(name=self.name)

    def found(self) -> None:
        """A study whose budget is what it will cost, to the cent: nothing more can be set aside."""
        now = timezone.now()
        if not self.brief:
            self.keep_out("eve", now)
        plan = Plan(raters_per_text=RATERS, texts_per_hit=2, reward_cents=REWARD)
        made = create(self.name, mode="rehearsal", plan=plan, actor="faults", now=now)
        texts = [TextRecord(f"r{i}", f"Reference {i} of {self.name}", "reference") for i in range(self.pages)]
        texts += [
            TextRecord(f"m{i}", f"Model text {i} of {self.name}", "model", generator="g") for i in range(self.pages)
        ]
        add_texts(made, texts, actor="faults", now=now)
        design(made, actor="faults", now=now)
        places = self.pages * RATERS + (not self.brief)
        each = REWARD + FEE + (0 if self.brief else BONUS + BONUS_FEE)
        Study.objects.filter(pk=made.pk).update(budget_cents=places * each, auto_approval_seconds=10**6)

    def live(self) -> None:
        """The whole life; each line is a step that is killed again and again."""
        self.found()
        people = [Person(f"{self.name}-{who}") for who in ("bea", "cy", "dee")]
        self.step("publish", "publish", points.DECIDING, options=["--yes"])
        self.work(points.CREATING)
        people[0].rates(self.name)
        if self.brief:
            people[1].rates(self.name)
            self.collect()
        else:
            self.interrupted(people)
            self.give_passes()
            self.work(points.GRANTING)
            self.refuse_one()
            self.work(points.REFUSING)
            self.turn_refusal()
            self.block_one()
            self.work(points.BLOCKING)
            self.unblock_one()
            self.work(points.UNBLOCKING)
        self.step("approve", "approve", points.DECIDING, options=["--yes"])
        self.work(points.APPROVING)
        if not self.brief:
            self.step("fair_pay", "fair_pay", points.DECIDING, options=["--pay", "--floor", str(FLOOR)])
            self.work(points.PAYING)
            self.step("notify", "notify", points.DECIDING, options=THANKS)
            self.work(points.WRITING)
        self.step("stop_recruitment", "stop_recruitment", points.DECIDING)
        self.work(points.EXPIRING)
        self.collect()
        self.step("close", "close", points.DECIDING)
        self.work(points.DELETING)

    def interrupted(self, people: Sequence[Person]) -> None:
        """A pause in the middle, and a rating that is replaced by a third person's."""
        self.collect()
        self.let_in()
        self.work(points.REVOKING)
        self.step("pause", "pause", points.DECIDING)
        self.work(points.EXPIRING)
        self.step("resume", "resume", points.DECIDING)
        self.work(points.PROLONGING)
        people[1].rates(self.name)
        self.collect()
        self.leave_one_out()
        self.step("top_up", "top_up", points.DECIDING)
        self.work(points.ADDING)
        people[2].rates(self.name)
        self.collect()

    def step(self, what: str, command: str, at: Sequence[Point], *, options: Sequence[str] = ()) -> None:
        """Run a command that decides, killed at every point in turn, until it ends by itself."""
        status = self.study().status
        for job in self._dooms([command, self.name, *options], at):
            for _ in range(self._tries(job)):
                if self._happened(what, status):
                    return
                if self._run(job) == [-9]:
                    break
        for _ in range(20):
            if self._happened(what, status) or self._run({"argv": [command, self.name, *options]}) == [0]:
                return
        raise AssertionError(f"{what} did not get through")

    def work(self, at: Sequence[Point]) -> None:
        """Two workers side by side, killed at every point in turn, until nothing waits."""
        argv = ["work", "--study", self.name, "--only", "market"]
        for job in self._dooms(argv, at):
            for _ in range(self._tries(job)):
                self._wait_for_due()
                if not self._open() or -9 in self._run(job, job):
                    break
        for _ in range(200):
            self._run({"argv": argv}, {"argv": argv})
            if not self._open():
                break
        failed = list(Intent.objects.filter(study=self.study(), state="failed").values_list("kind", "outcome"))
        if failed or self._open():
            raise AssertionError(f"{self.name}: {self._open()} wait, {failed} failed")

    def _open(self) -> list[tuple[str, str]]:
        """Effects that are not done."""
        rows = Intent.objects.filter(study=self.study(), state__in=["waiting", "taken"])
        return list(rows.values_list("kind", "outcome"))

    def _wait_for_due(self) -> None:
        """Until a row may be taken: what a killed process had in hands comes back after its lease."""
        until = time.monotonic() + (6 if self.doomed is None else 0)
        lease = timedelta(seconds=1)
        while time.monotonic() < until:
            now = timezone.now()
            mine = Intent.objects.filter(study=self.study())
            waiting = mine.filter(state="waiting").exclude(not_before__gt=now)
            if waiting.exists() or mine.filter(state="taken", taken_at__lt=now - lease).exists():
                return
            if not mine.filter(state__in=["waiting", "taken"]).exists():
                return
            time.sleep(0.1)

    def collect(self) -> None:
        """By messages and by polling, in processes that are killed."""
        argv = ["work", "--study", self.name, "--only", "market", "--collect"]
        for job in self._dooms(argv, points.COLLECTING):
            for _ in range(self._tries(job)):
                # A collector that lives would leave nothing to find for one that is to die at a new point.
                beside = [] if self._new(job) else [{"argv": ["collect", self.name]}]
                if self._run(job, *beside)[0] == -9:
                    break
        for _ in range(20):
            if self._run({"argv": ["collect", self.name]}) == [0]:
                return
        raise AssertionError("collecting did not get through")

    def leave_one_out(self) -> None:
        """A submission is left out of the analysis (and paid for): its rating is to be replaced."""
        one = Submission.objects.filter(hit__study=self.study()).order_by("pk")[0]
        Decision.objects.create(
            submission=one, matter="analysis", verdict="exclude", reason="asleep", at=timezone.now()
        )

    def keep_out(self, name: str, now: datetime) -> None:
        """Somebody is on hold when the study is made: its HITs ask for people without the mark."""
        worker = Worker.objects.known_as("assay", _told("create_worker", f"{self.name}-{name}")["worker_id"])
        until = now.date() + timedelta(days=30)
        hold.hold(worker, reason="Too fast twice.", until=until, actor=_user("ada"), now=now)

    def let_in(self) -> None:
        """The mark of whoever was on hold is to be taken back."""
        self.lift_holds()
        hold.open_again(now=timezone.now())

    def lift_holds(self) -> None:
        Hold.objects.filter(lifted_at=None).update(lifted_at=timezone.now())

    def give_passes(self) -> None:
        """What markets are asked for that know no pass by themselves: everybody who took part is given it."""
        study, market = self.study(), Market(conf.endpoint())
        type_id = _until_answered(lambda: market.once_pass(f"Assay: {participation.scope_of(study)}"))
        participation.grant_passes(study, Submission.objects.filter(hit__study=study).select_related("worker"), type_id)

    def refuse_one(self) -> None:
        """Two people refuse to pay for a submission, without a window."""
        study, now = self.study(), timezone.now()
        one = self._refused()
        reject.propose_rejection(study, one, reason="Handed in without having been read.", actor=_user("ada"), now=now)
        reject.confirm_rejection(study, one, actor=_user("bob"), now=now, window=timedelta(0))

    def turn_refusal(self) -> None:
        """They were wrong: it is to be paid after all."""
        reject.reverse_rejection(
            self.study(), self._refused(), reason="It had been read.", actor=_user("ada"), now=timezone.now()
        )

    def block_one(self) -> None:
        block.block(
            self.study(), self._refused().worker, reason="Pastes what others wrote.", actor="ada", now=timezone.now()
        )

    def unblock_one(self) -> None:
        block.unblock(self.study(), self._refused().worker, actor="ada", now=timezone.now())

    def _refused(self) -> Submission:
        return Submission.objects.filter(hit__study=self.study()).select_related("hit", "worker").order_by("-pk")[0]

    def _happened(self, what: str, before: str) -> bool:
        """Whether a killed process had done it all: then the next one would refuse, or do nothing."""
        return what in {"pause", "resume", "stop_recruitment", "close"} and self.study().status != before

    def _dooms(self, argv: list[str], at: Sequence[Point]) -> list[dict[str, Any]]:
        """A job for every point and one at a random moment, or `doomed` of them by chance.

        Points at which nothing has died yet come first, in their order: while there is still something to do there.
        """
        jobs: list[dict[str, Any]] = [{"argv": argv, "point": one.name, "nth": 1} for one in at]
        first = [] if self.doomed is not None else [job for job in jobs if self._new(job)]
        others = [job for job in jobs if job not in first]
        for job in others:
            job["nth"] = self.dice.choice([1, 1, 1, 2])
        others.append({"argv": argv, "after": self.dice.uniform(0.02, 0.5)})
        self.dice.shuffle(others)
        return [*first, *others][: self.doomed]

    def _new(self, job: dict[str, Any]) -> bool:
        """Whether nothing has died at the job's point yet."""
        return "point" in job and not self.tally.kills[job["point"]]

    def _tries(self, job: dict[str, Any]) -> int:
        return TRIES if self.doomed is None and self._new(job) else 1

    def _run(self, *jobs: dict[str, Any]) -> list[int]:
        found = self.nursery.run(*jobs)
        for job, status in zip(jobs, found, strict=True):
            if status == -9:
                self.tally.kills[job.get("point") or "a random moment"] += 1
            else:
                self.tally.ended += 1
        return found


class Person:
    """Somebody who does every HIT of a study that is offered, in the same way."""

    def __init__(self, name: str) -> None:
        self._name = name

    def rates(self, study: str, *, most: int | None = None) -> int:
        """How many HITs of the study were on offer and are done now; `most`: no more than so many."""
        done = 0
        with Browser(_told("create_worker", self._name)["sign_in_url"]) as browser:
            for offer in list(browser.offers()):
                if done == most:
                    break
                sheet = browser.preview(offer)
                if not any(study in item.text for item in sheet.fields):
                    continue
                sheet = browser.accept(offer)
                each = SECONDS * 1000 // len(sheet.fields)
                browser.hand_in(sheet, [Answer("Typical", each)] * len(sheet.fields))
                done += 1
        return done


def full(study: Study) -> bool:
    """Whether every place was filled and collected."""
    return not study.hits.filter(collected__lt=F("max_assignments")).exists()


def _user(name: str) -> User:
    return User.objects.get_or_create(username=name)[0]


def _until_answered(call: Callable[[], str]) -> str:
    """Ask a marketplace that throttles and fails until it answers."""
    for _ in range(20):
        try:
            return call()
        except MarketError:
            time.sleep(0.2)
    return call()


def _told(command: str, *words: str) -> dict[str, str]:
    out = io.StringIO()
    call_command(command, *words, "--json", stdout=out)
    found: dict[str, str] = json.loads(out.getvalue())
    return found
