"""Simulated people whom the stub of Prolific sends: most finish, some in ways that a study must bear."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import httpx

from annotation.rehearsal.crowd.browser import SiteError
from annotation.rehearsal.crowd.panel import PanelVisit
from annotation.rehearsal.passers import Passer
from annotation.rehearsal.prolific_stub.controls import Controls

FINISHED = "finished"
# What the first people do; whoever comes later finishes.
FATES = (
    FINISHED,
    "returned the place",
    "ran out of time",
    "did not agree",
    "entered a wrong code",
    "closed the tab at the end",
    "returned the submission after the end",
)
FULL = httpx.codes.CONFLICT


@dataclass
class PanelCrowd:
    """People by number, who come to each active study until its places are taken."""

    stub: Controls
    seed: int = 1
    say: Callable[[str], object] = print
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    fates: dict[str, Iterator[str]] = field(default_factory=dict)

    def come(self) -> Counter[str]:
        """Whoever comes now to the studies that are active: how many of each fate."""
        happened: Counter[str] = Counter()
        for study in self.stub.read_facts()["studies"]:
            while study["status"] in ("ACTIVE", "PUBLISHING"):
                fate = self._visit(str(study["id"]))
                if not fate:
                    break
                happened[fate] += 1
        return happened

    def _visit(self, study: str) -> str:
        """The next person's visit; "" where there is no place for them."""
        number = next(self.numbers)
        try:
            came = self.stub.arrive(number, study)
        except httpx.HTTPStatusError as error:
            if error.response.status_code == FULL:
                return ""
            raise
        fate = next(self.fates.setdefault(study, itertools.chain(FATES, itertools.repeat(FINISHED))))
        try:
            self._play(number, study, came["address"], fate)
        except SiteError as error:
            # A place that was left here a moment ago is open here after the next pass of the work loop.
            self.say(f"Person {number} could not take part: {error}")
            self.stub.return_place(number, study)
            self.fates[study] = itertools.chain([fate], self.fates[study])
            return ""
        return fate

    def _play(self, number: int, study: str, address: str, fate: str) -> None:
        with PanelVisit(address) as visit:
            if fate == "did not agree":
                self.stub.complete(number, visit.decline(), study)
                # They do what Prolific asks them for.
                self.stub.return_place(number, study)
            elif fate in ("returned the place", "ran out of time"):
                visit.begin()
                end = self.stub.return_place if fate == "returned the place" else self.stub.time_out
                end(number, study)
            else:
                visit.work(Passer(str(number), self.seed))
                if fate != "closed the tab at the end":
                    code = "WRONG" if fate == "entered a wrong code" else visit.go_back()
                    self.stub.complete(number, code, study)
                if fate == "returned the submission after the end":
                    self.stub.return_place(number, study)
