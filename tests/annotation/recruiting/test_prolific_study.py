"""A whole study on Prolific, from the token to the booked fees, through the marketplace and its stand-in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.db.models import Q
from django.utils import timezone

from annotation import ledger
from annotation.accounts.models import User
from annotation.collecting.collect import collect
from annotation.jobs.celery_tasks import run_prolific
from annotation.models import Study, Submission
from annotation.mturk import prolific
from annotation.mturk.client import Market
from annotation.mturk.prolific import ChosenFilter, ProlificDraft
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from annotation.recruiting.open_channel import ChannelPlan, open_channel
from annotation.recruiting.publish_prolific import (
    change_recruitment,
    publish_on_prolific,
    set_draft,
    settle_costs,
)
from annotation.rehearsal.prolific_stub.controls import Controls
from annotation.review import reject
from annotation.review.approve import approve
from annotation.review.prolific_work import ask_to_return, category_for
from tests.annotation.recruiting.test_prolific import LONG
from tests.marketplace.channels.guests import Guest
from tests.marketplace.people import Person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


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


@pytest.fixture
def recruitment(
    live: Study, ours: Market, prolific_stub: Controls, visitor: Callable[[], Guest], settings: Any
) -> Recruitment:
    settings.PROLIFIC_API_URL = prolific_stub.url
    settings.PROLIFIC_LEASE_SECONDS = settings.PROLIFIC_POLL_SECONDS = 0
    prolific_stub.change_settings(currency="USD")
    return Recruitment(live, ours, prolific_stub, visitor)


def test_people_return_time_out_enter_wrong_codes_and_the_books_agree(recruitment: Recruitment) -> None:
    recruitment.begin(places=3)
    stub, study, market = recruitment.stub, recruitment.study, recruitment.market
    recruitment.arrive(1)
    stub.return_place(1)
    recruitment.arrive(2)
    stub.time_out(2)
    recruitment.run()
    # Both places are free again, there and here.
    recruitment.finish(3)
    recruitment.finish(4)
    recruitment.finish(5, code="WRONG")
    recruitment.run()
    known = prolific.get_study(market, recruitment.channel)
    assert known.counts == {"AWAITING REVIEW": 3, "RETURNED": 1, "TIMED-OUT": 1}
    rows = prolific.list_submissions(market, recruitment.channel)
    assert sorted(row.path for row in rows) == ["", "", "completed", "completed", "unknown code"]

    ada, ben = (User.objects.create_user(name) for name in ("ada", "ben"))
    works = Submission.objects.filter(hit__study=study).order_by("pk")
    assert len(works) == 3
    refused = next(row for row in rows if row.path == "unknown code").assignment_ids[0]
    submission = works.get(market_id=refused)
    ask_to_return(study, submission, reason="The code is not of this study.", **recruitment.by())
    category = category_for(study, submission, market, "BAD_CODE")
    reject.propose_rejection(study, submission, reason=LONG, category=category, actor=ada, now=timezone.now())
    reject.confirm_rejection(study, submission, actor=ben, now=timezone.now(), beyond_guard=True)
    approve(study, works.exclude(pk=submission.pk), actor=ada, now=timezone.now())
    study.intents.update(not_before=None)
    recruitment.run()
    change_recruitment(study, recruitment.channel, "stop", **recruitment.by())
    recruitment.run()

    facts = stub.read_facts()
    assert facts["statuses"] == {"RETURNED": 1, "TIMED-OUT": 1, "APPROVED": 2, "REJECTED": 1}
    (there,) = facts["studies"]
    done = prolific.get_study(market, recruitment.channel)
    assert (done.status, done.waiting, done.unknown_batches) == ("completed", (), ())
    assert (done.paid_minor, done.fees_minor) == (
        there["paid_rewards"]["amount"],
        there["paid_rewards"]["fees"] + there["paid_rewards"]["vat"],
    )
    settle_costs(study, recruitment.channel, **recruitment.by())
    sums = ledger.sums(study)
    assert sums.agree
    assert sums.spent == there["paid_rewards"]["total_amount"]
    # Every request had the documented shape.
    assert {entry["status"] for entry in stub.read_requests()} <= {200, 201, 202}
