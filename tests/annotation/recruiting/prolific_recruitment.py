"""A study that recruits through the marketplace on the stand-in for Prolific."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.utils import timezone

from annotation.collecting.collect import collect
from annotation.jobs.celery_tasks import run_prolific
from annotation.models import Study
from annotation.mturk import prolific
from annotation.mturk.client import Market
from annotation.mturk.prolific import ChosenFilter, ProlificDraft
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from annotation.recruiting.open_channel import ChannelPlan, open_channel
from annotation.recruiting.publish_prolific import publish_on_prolific, set_draft
from annotation.rehearsal.prolific_stub.controls import Controls
from tests.marketplace.channels.guests import Guest
from tests.marketplace.people import Person


@dataclass
class Recruitment:
    """A study that recruits on the stand-in."""

    study: Study
    market: Market
    stub: Controls
    visitor: Callable[[], Guest]
    channel: str = ""

    def by(self, actor: str = "ada") -> dict[str, Any]:
        return {"market": self.market, "actor": actor, "now": timezone.now()}

    def run(self) -> None:
        """What the loop does: effects, then what is due at Prolific, then submissions."""
        work(Q(), market=self.market, clock=timezone.now)
        run_prolific()
        collect(self.study, market=self.market, now=timezone.now())

    def begin(self, places: int) -> None:
        """From the token to people who come."""
        account = prolific.connect_account(self.market, self.stub.token)
        workspace = account.workspaces[0]
        project = workspace.projects[0].project_id
        prolific.choose_project(self.market, workspace_id=workspace.workspace_id, project_id=project)
        self.channel = open_channel(self.study, ChannelPlan("prolific"), **self.by()).channel_id
        draft = ProlificDraft(
            description="You read sentences.",
            minutes=5,
            reward_minor=self.study.reward_cents,
            places=places,
            filters=(ChosenFilter("age", lower=18, upper=60),),
        )
        set_draft(self.study, self.channel, draft, **self.by())
        publish(self.study, actor="ada", now=timezone.now())
        quote = prolific.quote_study(self.market, self.channel)
        publish_on_prolific(self.study, self.channel, total_minor=quote.total_minor, **self.by())
        self.run()

    @property
    def prolific_id(self) -> str:
        (study,) = self.stub.read_facts()["studies"]
        return str(study["id"])

    def arrive(self, number: int) -> Person:
        return self.visitor().enter(self.stub.arrive(number, self.prolific_id)["address"])

    def finish(self, number: int, code: str = "") -> None:
        """A person who does every task and goes back with the code of the page, or another."""
        person = self.arrive(number)
        for hit in person.offers():  # type: ignore[attr-defined]
            person.do({"HITId": hit})
        back = person.site.get(f"{person.origin}/hits/end/back/", follow_redirects=False).headers["location"]
        self.stub.complete(number, code or back.partition("cc=")[2])
