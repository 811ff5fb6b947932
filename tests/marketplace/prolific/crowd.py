"""A study at the stand-in for Prolific, and the people whom it sends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

from annotation.marketplace.core import clock
from annotation.marketplace.prolific.work import run_due
from annotation.rehearsal.prolific_stub.controls import Controls
from tests.marketplace.channels.guests import TAG, Guest, tasks
from tests.marketplace.channels.test_managed import service
from tests.marketplace.people import Lab, Person

DRAFT = {
    "Description": "Read a short text and say what you think of it.",
    "Minutes": 5,
    "RewardMinor": 100,
    "Places": 4,
    "Devices": ["desktop", "mobile"],
    "Labels": ["ai_evaluation"],
    "Filters": [
        {"FilterId": "current-country-of-residence", "Values": ["1"]},
        {"FilterId": "age", "Lower": 18.0, "Upper": 60.0},
    ],
}
REASON = "The answers were the same for every text, and each text was open for less than a second. " * 2


@dataclass
class Crowd:
    """The lab's study at Prolific and who comes from there."""

    lab: Lab
    guest: Callable[[], Guest]
    stub: Controls

    @cached_property
    def service(self) -> Any:
        return service(self.lab)

    def draft(self, name: str = "prolific", **changes: Any) -> dict[str, Any]:
        """A channel to Prolific with a complete draft."""
        channel: dict[str, Any] = self.service.create_channel(Study=TAG, Kind="prolific", Name=name)
        self.complete_draft(channel["ChannelId"], **changes)
        return channel

    def complete_draft(self, channel: str, **changes: Any) -> None:
        """Fill in the draft of a channel."""
        self.service.set_prolific_draft(ChannelId=channel, **{**DRAFT, **changes})

    def request(self, channel: str) -> None:
        """Request publishing at the price that is shown."""
        total = self.service.quote_prolific_study(ChannelId=channel)["TotalMinor"]
        self.service.publish_prolific_study(ChannelId=channel, TotalMinor=total)

    def publish(self, **changes: Any) -> str:
        """A study that people come to, with one task; its channel's id."""
        tasks(self.lab, 1, Reward="1.00")
        return self.publish_draft(**changes)

    def publish_draft(self, **changes: Any) -> str:
        """The same for tasks that are there."""
        channel: str = self.draft(**changes)["ChannelId"]
        self.request(channel)
        self.run()
        return channel

    def run(self, minutes: int = 0) -> None:
        """A pass of the work loop, some minutes from now."""
        run_due(now=clock.now() + timedelta(minutes=minutes))

    @property
    def study(self) -> str:
        """The id at Prolific of the only study."""
        (study,) = self.stub.read_facts()["studies"]
        return str(study["id"])

    def arrive(self, number: int) -> Person:
        """A person whom Prolific sends, at their task."""
        return self.guest().enter(self.stub.arrive(number, self.study)["address"])

    def finish(self, number: int, *, person: Person | None = None) -> Person:
        """A person who does the task and comes back to Prolific with its code."""
        person = person or self.arrive(number)
        for hit in person.offers():
            person.do({"HITId": hit})
        back = person.site.get(f"{person.origin}/hits/end/back/", follow_redirects=False).headers["location"]
        self.stub.complete(number, back.partition("cc=")[2])
        return person

    def read(self, channel: str) -> dict[str, Any]:
        """The study as the requester reads it."""
        return dict(self.service.get_prolific_study(ChannelId=channel))

    def submissions(self, channel: str) -> list[dict[str, Any]]:
        """Its submissions as the requester reads them."""
        return list(self.service.list_prolific_submissions(ChannelId=channel)["Submissions"])
