"""Every pair of a preset, a kind of channel and a requirement that somebody lacks: refused before any text to agree to.

The requirements are those that presets and settings can ask, and those of any requester's own HITs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from lxml import html

from annotation.accounts.models import User
from annotation.design.presets import PRESETS
from annotation.hits.mturk_request import history_requirements
from annotation.marketplace.core import clock
from annotation.marketplace.invitations import open_channel, participants
from annotation.marketplace.invitations.channel_plan import LinkPlan, Plan
from annotation.marketplace.models import (
    Assignment,
    Channel,
    Consent,
    Hit,
    Link,
    Participant,
    QualificationGrant,
    QualificationType,
    Requester,
    WorkerAccount,
    WorkerBlock,
)
from annotation.marketplace.operations.registry import TABLE, Call
from annotation.marketplace.workers import sessions
from annotation.marketplace.workers.open_accounts import Record, fund, open_worker
from annotation.models import Study
from annotation.mturk.client import _requirement
from tests.marketplace.question_samples import hit_parameters

pytestmark = pytest.mark.django_db

TERMS = "What you agree to before you begin"
TAG = "spring"
# A person who lacks nothing that a preset asks.
SEASONED = {"approved": 5000, "percent": 99, "locale": "US"}
ADULT, MASTERS = "00000000000000000060", "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"
LATER = timedelta(days=2)


@dataclass
class Way:
    """One study with its channel, and a visitor to it."""

    requester: Requester
    by_link: bool
    kind: str
    requirements: list[dict[str, Any]]
    plan: dict[str, Any] = field(default_factory=dict)
    record: dict[str, Any] = field(default_factory=lambda: dict(SEASONED))
    places: int = 9
    lifetime: int = 86_400
    hits: list[Hit] = field(default_factory=list)
    client: Client = field(default_factory=lambda: Client(SERVER_NAME="site.example"))
    channel: Channel | None = None
    address: str = ""
    worker: WorkerAccount | None = None

    def publish(self) -> None:
        now = clock.now()
        parameters = hit_parameters(
            Keywords=f"reading, assay:study={TAG}",
            QualificationRequirements=self.requirements or None,
            MaxAssignments=self.places,
            LifetimeInSeconds=self.lifetime,
        )
        call = Call(self.requester, now, "test")
        made = TABLE["CreateHIT"].handler(call, parameters)["HIT"]
        self.hits.append(Hit.objects.get(hit_id=made["HITId"]))
        plan = Plan(consent=TERMS, title="Typical texts", **self.plan)
        self.channel = open_channel.open_channel(
            self.requester,
            name="class",
            kind=self.kind,
            study=TAG,
            type_ids=(),
            plan=plan,
            now=now,
        )
        self.worker = open_worker("ann", worker_id=None, record=Record(**self.record), now=now)
        if not self.by_link:
            self.sign_in()
            self.address = f"/hits/{self.hits[0].hit_id}/"
        elif self.kind in {"list", "team"}:
            guests = [participants.Guest(2, "", "7", "")]
            (invited,) = participants.invite(self.channel, guests, LinkPlan(), now=now).new
            self.address = invited.link.removeprefix("http://site.example")
        else:
            self.address = open_channel.new_link(self.channel, LinkPlan(), now=now).removeprefix("http://site.example")

    def sign_in(self) -> None:
        """The account `ann` is known to the site in this browser."""
        assert self.worker
        self.client.cookies[sessions.COOKIE] = sessions.open_session(self.worker, now=timezone.now())

    def look(self) -> Any:
        page = self.client.get(self.address)
        return self.client.get(page["Location"]) if page.status_code == 302 else page

    def agree(self) -> Any:
        """Press the button of the text, from a page that was opened before."""
        terms = (self.channel or self.requester).consent
        assert terms
        target = f"{self.address}begin/" if self.by_link else f"/hits/consent/{self.hits[0].hit_id}/"
        return self.client.post(target, {"version": terms.digest}, follow=True)


@dataclass(frozen=True)
class Lack:
    """Something that a person lacks: how it comes about, and what they read of it."""

    word: str
    reads: str
    before: Callable[[Way], Any] = lambda way: None
    after: Callable[[Way], Any] = lambda way: None


def qualification(way: Way, **more: Any) -> QualificationType:
    return QualificationType.objects.create(
        requester=way.requester,
        name="Reading test",
        description=more.pop("description", ""),
        created_at=clock.now(),
        status=QualificationType.Status.ACTIVE,
        **more,
    )


def asks(type_id: str, comparator: str, *integers: int) -> dict[str, Any]:
    values = {"IntegerValues": list(integers)} if integers else {}
    return {"QualificationTypeId": type_id, "Comparator": comparator, "ActionsGuarded": "Accept", **values}


def ask(way: Way, type_id: str, comparator: str, *integers: int) -> None:
    way.requirements.append(asks(type_id, comparator, *integers))


def ask_absent(way: Way, **more: Any) -> None:
    ask(way, qualification(way, **more).type_id, "DoesNotExist")


def hold(way: Way) -> None:
    """The account has what the study asks to be absent; by a link it is the account that is signed in."""
    QualificationGrant.objects.create(
        worker=way.worker, qualification_type=QualificationType.objects.get(), granted_at=clock.now()
    )
    way.sign_in()


def block(way: Way) -> None:
    WorkerBlock.objects.create(requester=way.requester, worker=way.worker, reason="-", blocked_at=clock.now())
    way.sign_in()


def fill(way: Way) -> None:
    Hit.objects.update(pending=1, status=Hit.Status.UNASSIGNABLE)


def had(way: Way, **record: Any) -> None:
    way.record.update(record)


def rejected(way: Way) -> None:
    """Of 5,000 submitted, 40 % were rejected."""
    WorkerAccount.objects.update(approved_count=3000, rejected_count=2000, submitted_count=5000)


def close_channel(way: Way) -> None:
    Channel.objects.update(closed_at=clock.now())


def score_two(way: Way) -> None:
    QualificationGrant.objects.create(
        worker=way.worker, qualification_type=QualificationType.objects.get(), value=2, granted_at=clock.now()
    )


def do(way: Way) -> None:
    now = clock.now()
    Assignment.objects.create(
        worker=way.worker,
        hit=way.hits[0],
        accepted_at=now,
        deadline=now,
        state="Submitted",
        submitted_at=now,
        auto_approval_at=now + LATER,
        due_at=now + LATER,
    )


def leave_another_study(way: Way) -> None:
    """The account has begun another study of the same series, and returned it."""
    now = clock.now()
    parameters = hit_parameters(
        Keywords="reading, assay:study=autumn", QualificationRequirements=way.requirements, MaxAssignments=9
    )
    made = TABLE["CreateHIT"].handler(Call(way.requester, now, "test"), parameters)["HIT"]
    Assignment.objects.create(
        worker=way.worker,
        hit=Hit.objects.get(hit_id=made["HITId"]),
        accepted_at=now,
        deadline=now,
        state="Returned",
    )
    QualificationGrant.objects.create(
        worker=way.worker,
        qualification_type=QualificationType.objects.get(),
        granted_at=now,
        status=QualificationGrant.Status.REVOKED,
    )


OVER = "no longer be accepted|accepts no new participants"
EVERYBODY = {
    "adult content": Lack("unqualified", "adult content; yours may not", lambda w: ask(w, ADULT, "EqualTo", 1)),
    "Masters": Lack("unqualified", "“Masters”; you do not have it", lambda w: ask(w, MASTERS, "Exists")),
    "a qualification": Lack(
        "unqualified", "“Reading test”; you do not have it", lambda w: ask(w, qualification(w).type_id, "Exists")
    ),
    "the first time": Lack("unqualified|already", "already taken part", lambda w: ask_absent(w, once=True), hold),
    "no exclusion": Lack(
        "unqualified", "says: We ask others", lambda w: ask_absent(w, description="We ask others"), hold
    ),
    "no block": Lack("blocked", "blocked your account|do not accept further work from you", after=block),
    "a place": Lack("full", "just filled|is full", lambda w: setattr(w, "places", 1), fill),
    "time": Lack("closed", OVER, after=lambda w: clock.move(90_000)),
    "an open channel": Lack("closed", OVER, after=close_channel),
    "an opened channel": Lack("not-yet", "Opens:.* UTC", lambda w: w.plan.update(opens_at=clock.now() + LATER)),
}
ACCOUNTS = {
    "approved tasks": Lack(
        "unqualified", r"Requires more than [\d,]+ approved tasks; you have 12", lambda w: had(w, approved=12)
    ),
    "an approval rate": Lack("unqualified", r"approval rate above 95%; yours is 60%", after=rejected),
    "the country": Lack("unqualified", "Open to people in US only; you have stated DE", lambda w: had(w, locale="DE")),
    "a country": Lack("unqualified", "you have not stated where you live", lambda w: had(w, locale=None)),
    "a score": Lack(
        "unqualified",
        "“Reading test” > 3; you have 2",
        lambda w: ask(w, qualification(w).type_id, "GreaterThan", 3),
        score_two,
    ),
    "the first of a series": Lack(
        "series",
        r"in one study of this series\. You have begun “[^”]+”\. It is not open now\. Choose another task",
        lambda w: ask_absent(w, once=True),
        leave_another_study,
    ),
    "another task": Lack("held", "Each person may do a task once", after=do),
}
LINKS = {
    "a link in use": Lack("closed", OVER, after=lambda w: Link.objects.update(closed_at=clock.now())),
    "a link in time": Lack("closed", OVER, after=lambda w: Link.objects.update(expires_at=clock.now())),
    "all of the link": Lack(
        "unknown", "copied completely", after=lambda w: setattr(w, "address", w.address[:-9] + "/")
    ),
    "a free channel": Lack("full", "is full", lambda w: w.plan.update(max_participants=1), lambda w: begun(w)),
}
# One thing that the person can do, by the word of the page.
REMEDIES = {
    "unqualified": "Choose another task|write to the person who sent you the link",
    "already": "nothing more to do",
    "series": "Choose another task",
    "blocked": "Choose another task|write to the person who sent you the link",
    "full": "Choose another task|try this link again",
    "closed": "Choose another task|do not need to do anything",
    "not-yet": "Open this page again|open this link again",
    "held": "Choose another task",
    "unknown": "check that it was copied completely",
}
WAYS = ("link", "list", "team", "accounts")


def begun(way: Way) -> None:
    """Somebody else has the only place of the channel."""
    other = WorkerAccount.objects.create(name="other", channel=way.channel, created_at=clock.now())
    Participant.objects.create(channel=way.channel, worker=other, created_at=clock.now(), began_at=clock.now())


# Each preset is held against accounts, and one against every kind of channel; `make pairs` tries all of them.
PAIRS = [
    (preset, kind)
    for preset, kind in product(PRESETS, WAYS)
    if os.environ.get("ASSAY_ALL_PAIRS") or preset == "clark-2021" or (preset, kind) == ("huse-2019", "accounts")
]


def cases() -> Iterator[Any]:
    for preset, kind in PAIRS:
        lacks = EVERYBODY | (ACCOUNTS if kind == "accounts" else LINKS)
        yield pytest.param(preset, kind, lacks, id=f"{preset}-{kind}")


def way_to(preset: str, kind: str) -> Way:
    chosen = PRESETS[preset].settings
    settings = {name: chosen[name] for name in ("minimum_percent_approved", "minimum_approved_hits", "country")}
    requester = Requester.objects.create(user=User.objects.create(username="lab"), created_at=clock.now())
    fund(requester, balance=1_000_000, now=clock.now())
    rows = [_requirement(row) for row in history_requirements(Study(**settings))]
    return Way(requester, kind != "accounts", kind, rows)


def words_of(page: Any) -> str:
    (main,) = html.fromstring(page.content).xpath("//main")
    return " ".join(main.text_content().split())


def refused_before_consent(way: Way, lack: Lack) -> list[str]:
    """What is wrong with how a person is refused who lacks something: nothing."""
    wrong = []
    for step, page in (("looking", way.look()), ("agreeing", way.agree())):
        word = html.fromstring(page.content).xpath("string(//main/@data-reason)")
        words = words_of(page)
        wrong += [] if re.fullmatch(lack.word, word) else [f"{step}: {word or page.status_code}, not {lack.word}"]
        wrong += [] if re.search(lack.reads, words) else [f"{step}: no {lack.reads!r} in {words!r}"]
        wrong += [] if re.search(REMEDIES.get(word, "^$"), words) else [f"{step}: nothing to do in {words!r}"]
        wrong += [f"{step}: the text to agree to is shown"] if TERMS in words else []
    wrong += ["agreed"] if Consent.objects.exists() else []
    wrong += ["a task"] if Assignment.objects.filter(state="Accepted").exists() else []
    return wrong


@contextmanager
def undone() -> Iterator[None]:
    """What happens inside is rolled back, the clock too."""
    point = transaction.savepoint()
    yield
    transaction.savepoint_rollback(point)


@pytest.fixture(autouse=True)
def hosts(settings: Any) -> None:
    settings.WORKER_ORIGIN, settings.HIT_ORIGIN = "http://site.example", "http://hits.example"
    settings.ALLOWED_HOSTS = ["site.example", "hits.example"]


@pytest.mark.parametrize(("preset", "kind", "lacks"), list(cases()))
def test_nobody_agrees_who_could_not_take_part(preset: str, kind: str, lacks: dict[str, Lack]) -> None:
    wrong = {}
    for name, lack in lacks.items():
        with undone():
            way = way_to(preset, kind)
            lack.before(way)
            way.publish()
            lack.after(way)
            wrong[name] = refused_before_consent(way, lack)
    assert {name: reasons for name, reasons in wrong.items() if reasons} == {}


@pytest.mark.parametrize(("preset", "kind"), PAIRS)
def test_whoever_lacks_nothing_agrees_and_is_not_refused(preset: str, kind: str) -> None:
    way = way_to(preset, kind)
    way.publish()
    assert TERMS in words_of(way.look())
    page = way.agree()
    if kind == "accounts":
        page = way.client.post(f"/hits/{way.hits[0].hit_id}/accept/", follow=True)
    assert page.redirect_chain[-1][0].startswith("/hits/work/")
    assert (Consent.objects.count(), Assignment.objects.get().state) == (1, "Accepted")
