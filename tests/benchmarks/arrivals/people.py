"""The simulated arrivals: one after another or fifty at a time inside, on the marketplace's own clock."""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from annotation.accounts.models import User
from annotation.marketplace.assignments import accept_submit
from annotation.marketplace.core import clock
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.ids import worker_id
from annotation.marketplace.models import Assignment, Hit, Requester, WorkerAccount
from annotation.marketplace.operations import TABLE, Call
from annotation.marketplace.workers.open_accounts import fund
from tests.marketplace.question_samples import html_question

STUDY = "arrivals"
ALLOWED = timedelta(hours=1)
STAY_SECONDS = (600, 1800)
# Of those who drop out: half return the task, half let the time run out; a quarter of all come back later.
RETURNING, BACK = 0.5, 0.25


@dataclass(frozen=True)
class Plan:
    """Cells with places and drop-out, how many people are inside at a time, and the seed of everything."""

    places: int
    drop_out: Mapping[str, float]
    inside: int = 50
    hits: int = 5
    seed: int = 1


@dataclass
class Book:
    """What is known of everybody, from what they did: kept beside the marketplace's own rows."""

    cells: Sequence[str]
    places: int
    cell: dict[int, str] = field(default_factory=dict)
    finished: Counter[str] = field(default_factory=Counter)
    deadlines: dict[int, datetime] = field(default_factory=dict)

    def inside(self, now: datetime) -> Counter[str]:
        """People who hold a task whose time is not over."""
        return Counter(self.cell[person] for person, deadline in self.deadlines.items() if deadline > now)

    def counts(self, now: datetime) -> dict[str, int]:
        inside = self.inside(now)
        return {cell: self.finished[cell] + inside[cell] for cell in self.cells}

    def least_filled(self, now: datetime) -> tuple[str, ...]:
        """The cells that a newcomer may be put into."""
        counts = {cell: count for cell, count in self.counts(now).items() if count < self.places}
        return tuple(cell for cell in self.cells if cell in counts and counts[cell] == min(counts.values()))


@dataclass
class Arrivals:
    """What happened: for each newcomer their number, the cells they could be put into and the one they were."""

    drawn: list[tuple[int, tuple[str, ...], str]] = field(default_factory=list)
    misplaced: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    over: list[str] = field(default_factory=list)
    returned: int = 0
    stale: int = 0
    rejoined: int = 0
    turned_away: int = 0
    inside: list[int] = field(default_factory=list)
    finished: dict[str, int] = field(default_factory=dict)


def publish(plan: Plan, now: datetime) -> Requester:
    """A requester with the study: each cell's places in some HITs."""
    requester = Requester.objects.create(user=User.objects.create(username=f"lab {plan.seed}"), created_at=now)
    fund(requester, balance=10_000_000, now=now)
    for cell in plan.drop_out:
        for number in range(plan.hits):
            places = plan.places // plan.hits + (number < plan.places % plan.hits)
            parameters = {
                "Title": "Rate a text",
                "Description": "Read it.",
                "Reward": "0.10",
                "MaxAssignments": places,
                "LifetimeInSeconds": 31_000_000,
                "AssignmentDurationInSeconds": int(ALLOWED.total_seconds()),
                "AutoApprovalDelayInSeconds": 2_000_000,
                "Question": html_question(),
                "Keywords": f"assay:cell={STUDY}.{cell}",
            }
            TABLE["CreateHIT"].handler(Call(requester, now, "arrivals"), parameters)
    return requester


class Life:
    """One study from its first arrival until every place is finished."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.dice = plan, random.Random(plan.seed)
        self.now = clock.now()
        self.requester = publish(plan, self.now)
        self.book, self.seen = Book(tuple(plan.drop_out), plan.places), Arrivals()
        self.events: list[tuple[datetime, int, str, int]] = []
        self.order = self.people = 0
        self.workers: dict[int, WorkerAccount] = {}
        leaving = sum(plan.drop_out.values()) / len(plan.drop_out)
        usual = sum(STAY_SECONDS) / 2
        # Half of those who leave do so half way, the others hold their place until the time is over.
        away = RETURNING * usual / 2 + (1 - RETURNING) * ALLOWED.total_seconds()
        self.pause = ((1 - leaving) * usual + leaving * away) / plan.inside

    def run(self, max_arrivals: int) -> Arrivals:
        """Let people come until all places are finished, or so many have come."""
        self._later("arrives", 0, self.now)
        while self.events and sum(self.book.finished.values()) < self.plan.places * len(self.book.cells):
            self.now, _, step, person = heapq.heappop(self.events)
            if step == "arrives":
                if self.people >= max_arrivals:
                    break
                self._later("arrives", 0, self.now + timedelta(seconds=self.dice.expovariate(1 / self.pause)))
                self.people += 1
                self._enter(self.people)
            elif step == "back":
                self._enter(person)
            else:
                self._end(step, person)
        self.seen.finished = {cell: self.book.finished[cell] for cell in self.book.cells}
        return self.seen

    def _later(self, step: str, person: int, at: datetime) -> None:
        self.order += 1
        heapq.heappush(self.events, (at, self.order, step, person))

    def _enter(self, person: int) -> None:
        """Press the button of whatever HIT of the study the list shows."""
        allowed, full = self.book.least_filled(self.now), self._is_full(person)
        try:
            held = accept_submit.accept(self._some_hit(), worker=self._worker(person), now=self.now)
        except WorkRefusedError as refused:
            self.seen.turned_away += 1
            if refused.reason != "full" or not full:
                self.seen.misplaced.append(f"person {person} was refused ({refused.reason})")
            return
        cell = Hit.objects.values_list("hit_type__cell", flat=True).get(pk=held.hit_id).rpartition(".")[2]
        if person not in self.book.cell:
            self.book.cell[person] = cell
            self.seen.drawn.append((person, allowed, cell))
            if cell not in allowed:
                self.seen.misplaced.append(f"person {person} is in {cell}, of {', '.join(allowed) or 'no cell'}")
        else:
            self.seen.rejoined += 1
            if cell != self.book.cell[person]:
                self.seen.moved.append(f"person {person} was in {self.book.cell[person]} and is in {cell}")
        self.book.deadlines[person] = held.deadline
        self._plan_end(person, held)

    def _is_full(self, person: int) -> bool:
        counts = self.book.counts(self.now)
        cells = [self.book.cell[person]] if person in self.book.cell else self.book.cells
        return all(counts[cell] >= self.plan.places for cell in cells)

    def _some_hit(self) -> str:
        rows = Hit.objects.filter(requester=self.requester).order_by("pk").values_list("hit_id", flat=True)
        return rows[self.dice.randrange(len(self.book.cells) * self.plan.hits)]

    def _worker(self, person: int) -> WorkerAccount:
        if person not in self.workers:
            name = worker_id()
            self.workers[person] = WorkerAccount.objects.create(worker_id=name, name=name, created_at=self.now)
        return self.workers[person]

    def _plan_end(self, person: int, held: Assignment) -> None:
        inside = self.book.inside(self.now)
        self.seen.inside.append(sum(inside.values()))
        for cell in self.book.cells:
            if self.book.finished[cell] + inside[cell] > self.plan.places:
                self.seen.over.append(f"{cell} holds {self.book.finished[cell] + inside[cell]} people")
        leaves = self.dice.random() < self.plan.drop_out[self.book.cell[person]]
        stay = timedelta(seconds=self.dice.uniform(*STAY_SECONDS))
        if not leaves:
            self._later("submits", person, self.now + stay)
        elif self.dice.random() < RETURNING:
            self._later("returns", person, self.now + stay / 2)
        else:
            self._later("runs out", person, held.deadline)

    def _end(self, step: str, person: int) -> None:
        del self.book.deadlines[person]
        rows = Assignment.objects.filter(worker=self.workers[person]).order_by("-pk")
        if step == "submits":
            try:
                accept_submit.submit(rows[0], [("q", "1")], answer="<a/>", now=self.now, received_at=self.now)
            except WorkRefusedError as refused:
                self.seen.misplaced.append(f"person {person} could not submit ({refused.reason})")
                return
            self.book.finished[self.book.cell[person]] += 1
            return
        if step == "returns":
            accept_submit.return_assignment(rows[0], now=self.now)
            self.seen.returned += 1
        else:
            # Nothing calls anything here: the session is stale, and whoever comes next must not count it.
            self.seen.stale += 1
        if self.dice.random() < BACK:
            self._later("back", person, self.now + timedelta(seconds=self.dice.uniform(60, 7200)))
