"""A whole study on Prolific, from the token to the booked fees, through the marketplace and its stand-in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.db.models import Q
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation import ledger
from annotation.accounts.models import User
from annotation.collecting.collect import collect
from annotation.jobs.celery_tasks import run_prolific
from annotation.models import AuditEvent, Study, Submission
from annotation.mturk import prolific
from annotation.mturk.client import Market
from annotation.mturk.prolific import ChosenFilter, ProlificDraft
from annotation.mturk.records import Endpoint
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
from tests.annotation.api.conftest import Caller
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
    live: Study,
    ours: Market,
    endpoint: Endpoint,
    prolific_stub: Controls,
    visitor: Callable[[], Guest],
    settings: Any,
) -> Recruitment:
    settings.MTURK_ENDPOINT_URL = endpoint.url
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = endpoint.access_key, endpoint.secret_key
    settings.PROLIFIC_API_URL = prolific_stub.url
    settings.PROLIFIC_LEASE_SECONDS = settings.PROLIFIC_POLL_SECONDS = 0
    prolific_stub.change_settings(currency="USD")
    return Recruitment(live, ours, prolific_stub, visitor)


def test_people_return_time_out_enter_wrong_codes_and_the_books_agree(
    recruitment: Recruitment, caplog: pytest.LogCaptureFixture
) -> None:
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
    assert not shown_ids(recruitment, submission.market_id, caplog.text)
    # Every request had the documented shape.
    assert {entry["status"] for entry in stub.read_requests()} <= {200, 201, 202}


def shown_ids(recruitment: Recruitment, assignment: str, logged: str) -> list[str]:
    """Ids of Prolific's people and sessions in pages, answers of the API, the audit log and the program's log."""
    user = User.objects.create_superuser("root")
    client, study, channel = Client(), recruitment.study, recruitment.channel
    client.force_login(user)
    caller = Caller("olga", study, "owner")
    places = (
        reverse("console:keys-prolific"),
        *(reverse(f"console:{name}", args=[study.uuid]) for name in ("recruit", "progress", "review", "log")),
        *(reverse(f"console:{name}", args=[study.uuid, channel]) for name in PAGES),
        reverse("console:review-assignment", args=[study.uuid, assignment]),
    )
    texts = [client.get(place).content.decode() for place in places]
    base = f"/studies/{study.uuid}/channels/{channel}"
    paths = (base, f"{base}/people", f"{base}/prolific", f"{base}/prolific/submissions", f"/studies/{study.uuid}/log")
    texts += [caller("get", path).content.decode() for path in paths]
    texts += [str(facts) for facts in AuditEvent.objects.values_list("facts", flat=True)]
    rows = recruitment.stub.read_facts()["submissions"]
    ids = [row[name] for row in rows for name in ("id", "participant_id")]
    assert len(ids) == 10
    return [key for key in [*ids, recruitment.stub.token] if any(key in text for text in [*texts, logged])]


PAGES = (
    "recruit-channel",
    "recruit-prolific",
    "recruit-prolific-filters",
    "publish-prolific",
    "publish-prolific-places",
)


def test_an_owner_publishes_on_prolific_from_the_console(recruitment: Recruitment) -> None:
    stub, study = recruitment.stub, recruitment.study
    client = Client()
    client.force_login(User.objects.create_superuser("root"))

    def at(name: str, *more: str) -> str:
        return reverse(f"console:{name}", args=[study.uuid, *more])

    refused = client.post(reverse("console:keys-prolific"), {"token": "not-a-token-of-prolific"})
    assert refused.status_code == 422
    assert client.post(reverse("console:keys-prolific"), {"token": stub.token}).status_code == 302
    project = {"project": f"{stub.workspace} {stub.project}"}
    assert client.post(reverse("console:keys-prolific-project"), project).status_code == 302
    account = client.get(reverse("console:keys-prolific")).content.decode()
    assert stub.token not in account
    assert stub.token[-4:] in account
    assert "$5,000.00" in account

    form = {"consent": "Ada asks you to take part.", "shown_name": "Ada Lovelace"}
    opened = client.post(at("recruit-new", "prolific"), form)
    channel = opened["location"].split("/")[-3]
    assert opened["location"] == at("recruit-prolific", channel)
    draft = {"description": "You read.", "minutes": "5", "reward_minor": "1.00", "places": "3", "label": "survey"}
    assert client.post(at("recruit-prolific", channel), draft).status_code == 302
    assert client.post(at("recruit-prolific-filters", channel) + "?filter=age", {"lower": "18"}).status_code == 302
    # 83 of 83 ages from 18 on: everybody of the panel.
    assert "120,000 people fit these filters" in client.get(at("recruit-prolific-filters", channel)).content.decode()
    publish(study, actor="root", now=timezone.now())
    # 3.00, a third as fee 1.00 (0.999), a fifth of it as tax 0.20.
    assert "Publish for $4.20" in client.get(at("publish-prolific", channel)).content.decode()
    assert client.post(at("publish-prolific", channel), {"total_minor": "419"}).status_code == 422
    assert client.post(at("publish-prolific", channel), {"total_minor": "420"}).status_code == 302
    recruitment.run()
    assert [row["status"] for row in stub.read_facts()["studies"]] == ["ACTIVE"]
    assert "Recruiting" in client.get(at("recruit-channel", channel)).content.decode()
    assert client.post(at("recruit-prolific-act", channel, "pause")).status_code == 302
    recruitment.run()
    assert [row["status"] for row in stub.read_facts()["studies"]] == ["PAUSED"]
