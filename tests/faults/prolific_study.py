"""A study of 12 people on the stub of Prolific, from its draft to its booked fees, its processes killed on the way."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property, partial
from typing import Any

from tests.faults import kill_points
from tests.faults.kill_points import Point
from tests.faults.prolific_site import KILLED, Doom, Site

PLACES, REWARD, BONUS, SECONDS = 12, 100, 25, 30
FIRST, LAST = 3, 14  # of the people who keep their places
WRONG_CODE, CLOSED_TAB = 13, 14
# The pay per hour to which the bonus brings work of so many seconds.
FLOOR = (REWARD + BONUS) * 3600 // SECONDS
REASON = "The code that was entered is not a code of this study, and no answers were given to the tasks of the study. "
FINDINGS = (
    "doubled studies",
    "doubled bonuses",
    "lost bonuses",
    "lost submissions",
    "lost places",
    "books that differ",
)
ANSWER = (
    '<?xml version="1.0" encoding="ASCII"?><QuestionFormAnswers xmlns="http://mechanicalturk.amazonaws.com/'
    'AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"><Answer><QuestionIdentifier>rating'
    "</QuestionIdentifier><FreeText>5</FreeText></Answer></QuestionFormAnswers>"
)
PATIENCE = 12
# What Prolific's documentation leaves open, or may become: one study after the other runs under each.
OPEN: dict[str, dict[str, bool | list[str]]] = {
    "as the documentation shows it": {},
    "lists hold a study's metadata": {"lists_have_metadata": True},
    "people can enter the researcher's code": {"people_may_enter_researcher_codes": True},
    "a decision can be undone": {"decisions_may_be_restored": True},
    "bonuses are paid later than they are accepted": {"is_slow": True},
    "no filter for groups": {"missing_filters": ["participant_group_blocklist"]},
    "unknown fields and filters": {"has_unknown_fields": True, "has_unknown_filters": True},
}


@dataclass
class Tally:
    """Studies, kills by point, and what was counted that must be 0."""

    runs: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    # Points to which no deed comes twice.
    once: set[str] = field(default_factory=set)
    # Studies by what Prolific answered (`OPEN`).
    answers: Counter[str] = field(default_factory=Counter)

    @property
    def unreached(self) -> list[str]:
        """Named points at which no process has died."""
        return sorted(name for name in kill_points.ON_PROLIFIC if not self.kills[name])


@dataclass
class Run:
    """A study. `plant`: a fault that every process of it has."""

    site: Site
    number: int
    dice: random.Random
    tally: Tally
    plant: Callable[[], None] | None = None
    # Of a planted fault: where alone a process dies, "" for nowhere.
    planted_point: str = ""
    # The share of phases in which nothing is killed.
    spared: float = 0
    minutes: int = 0
    workers: dict[int, Any] = field(default_factory=dict)
    # Where it was killed, and what differs in the end.
    notes: list[str] = field(default_factory=list)

    @property
    def tag(self) -> str:
        return f"run-{self.number}"

    @property
    def study(self) -> Any:
        from annotation.models import Study

        return Study.objects.get(name=self.tag)

    @cached_property
    def study_pk(self) -> int:
        """The study's row, which stays the same."""
        return int(self.study.pk)

    @cached_property
    def channel(self) -> Any:
        """The channel's row on the crowd side, once it is open."""
        from annotation.marketplace.models import Channel

        return Channel.objects.select_related("prolific_study").get(study=self.study.channel_tag)

    def live(self) -> None:
        """The whole life. In each phase one process is killed, now of a deed and now of the loop; then others go on."""
        answers = list(OPEN)[self.number % len(OPEN)]
        self.tally.answers[answers] += 1
        self.site.renew(**OPEN[answers])
        self.begin()
        crowd, requester = kill_points.PROLIFIC_STEPS, kill_points.REQUESTER_STEPS
        opened = {"a channel is opened": self.open_channel, "publishing is decided": self.publish}
        recruited = opened | {"recruiting is decided": self.recruit}
        served = self.dice.choice(("recruiting is decided", "bonuses are sent"))
        killed = self.dice.choice(list(recruited))
        for step, deed in recruited.items():
            self.go(deed, requester[step] if step == killed else (), with_server=step == served)
        self.go(self.loop, (*requester["tasks and recruiting are asked for"], *crowd["draft"], *crowd["publish"]))
        self.arrive_and_leave()
        self.go(self.loop, crowd["sync"])
        self.work()
        self.go(self.loop, (*crowd["sync"], *requester["work is collected"]))
        self.go(self.decide, requester["work is decided"])
        self.go(self.loop, (*requester["decisions are sent"], *crowd["approve"]))
        self.go(self.raise_pay, requester["bonuses are decided"])
        self.go(self.loop, (*requester["bonuses are sent"], *crowd["bonus"]), with_server=served == "bonuses are sent")
        self.go(self.stop)
        self.go(self.loop)
        self.go(self.settle, requester["fees are booked"])
        self.count()

    # Processes

    def go(self, deed: Callable[[], object], points: Sequence[Point] = (), *, with_server: bool = False) -> None:
        """Kill a process at the point of these that was used least. Then go on."""
        kills, names = self.tally.kills, list(dict.fromkeys(point.name for point in points))
        once = self.tally.once
        self.dice.shuffle(names)
        names = [min(names, key=kills.__getitem__)] if names and self.dice.random() >= self.spared else []
        if self.plant:
            names = [point.name for point in points if point.name == self.planted_point][:1]
        if with_server and not self.plant:
            of_server = min((point.name for point in kill_points.SERVER_STEPS), key=kills.__getitem__)
            self.site.serve(Doom(of_server, self.dice.choice((1, 2, 3))))
            kills[of_server] += self.once(deed, Doom())[1]
            self.site.serve()
        for name in names:
            # The second time where a deed has come to the point twice, and never at a point that was not met yet.
            nth = 1 if self.plant or name in once or not kills[name] else self.dice.choice((1, 1, 2))
            if self.once(deed, Doom(name, nth, self.plant))[0] == KILLED:
                kills[name] += 1
                self.notes.append(name)
            elif nth > 1:
                once.add(name)
        self.get_through(deed)

    def once(self, deed: Callable[[], object], doom: Doom) -> tuple[int, bool]:
        self.minutes += 1
        return self.site.run(deed, doom)

    def get_through(self, deed: Callable[[], object]) -> None:
        """The deed to its end, and the loop until nothing waits; a person settles what Prolific did not answer."""
        for _ in range(PATIENCE):
            status, _died = self.once(deed, Doom(plant=self.plant))
            if status and self.plant:
                # A fault may leave a study that cannot go on: what it has done is counted.
                return
            if status:
                raise RuntimeError(f"{self.tag}: a process that nobody killed ended with {status}")
            if deed != self.loop or not self.waits():
                return
        if not self.plant:
            raise RuntimeError(f"{self.tag}: something waits for ever: {self.waits()}")

    def waits(self) -> list[str]:
        """What is not done yet, on either side."""
        from annotation.marketplace.core import clock
        from annotation.marketplace.models import ProlificAction, ProlificBonusBatch
        from annotation.marketplace.prolific.pay import uncharged_since
        from annotation.models import Intent

        mine = Intent.objects.filter(study=self.study_pk)
        # An answer that did not come is waited for by the clock.
        mine.filter(state=Intent.State.WAITING).update(not_before=None)
        kinds = list(mine.filter(state__in=[Intent.State.WAITING, Intent.State.CLAIMED]).values_list("kind", flat=True))
        there = self.channel.prolific_study
        kinds += ProlificAction.objects.filter(study=there).exclude(state="done").values_list("kind", flat=True)
        batches = ProlificBonusBatch.objects.filter(study=there, state__in=ProlificBonusBatch.OPEN)
        kinds += batches.values_list("state", flat=True)
        there.refresh_from_db()
        now = clock.now() + timedelta(minutes=self.minutes)
        return kinds + ["cost"] * (uncharged_since(there, now=now) is not None)

    def loop(self) -> None:
        """What `manage.py work` does for a study."""
        from django.db.models import Q
        from django.utils import timezone

        from annotation.collecting.collect import collect
        from annotation.marketplace.core import clock
        from annotation.marketplace.prolific.work import run_due
        from annotation.outbox.worker import work

        self.site.stub.settle()
        work(Q(study=self.study_pk), market=self.site.market, clock=timezone.now, lease=timedelta(0))
        run_due(now=clock.now() + timedelta(minutes=self.minutes))
        self.site.stub.settle()
        self.settle_unknown()
        collect(self.study, market=self.site.market, now=timezone.now())

    def settle_unknown(self) -> None:
        """As a person does who compares what Prolific shows."""
        from annotation.marketplace.models import ProlificBonusBatch

        unknown = ProlificBonusBatch.objects.filter(study=self.channel.prolific_study, state="unknown")
        for batch in unknown:
            outcome = "paid" if (batch.shown_paid_minor or 0) >= batch.amount_minor else "not-paid"
            deeds().settle_batch(self.study, self.channel_id, batch.batch_id, outcome=outcome, **self.by())

    def by(self) -> dict[str, Any]:
        from django.utils import timezone

        return {"market": self.site.market, "actor": "ada", "now": timezone.now()}

    # Deeds of the requester: each the same when it is done again

    def begin(self) -> None:
        from django.utils import timezone

        from annotation.design.lay_out import design
        from annotation.importing.add_texts import add_texts
        from annotation.readers.records import TextRecord
        from annotation.studies.create import Plan, create

        now = timezone.now()
        plan = Plan(raters_per_text=PLACES, texts_per_hit=2, reward_cents=REWARD)
        made = create(self.tag, mode="live", plan=plan, actor="ada", now=now)
        texts = [TextRecord("r", "Reference", "reference"), TextRecord("m", "Model", "model", generator="g")]
        add_texts(made, texts, actor="ada", now=now)
        design(made, actor="ada", now=now)

    def open_channel(self) -> None:
        from annotation.mturk.prolific import ProlificDraft
        from annotation.recruiting.open_channel import ChannelPlan, open_channel

        opened = open_channel(self.study, ChannelPlan("prolific"), **self.by()).channel_id
        draft = ProlificDraft(description="You read.", minutes=5, reward_minor=REWARD, places=PLACES)
        deeds().set_draft(self.study, opened, draft, **self.by())

    def publish(self) -> None:
        from annotation.publishing.publish import publish

        if self.study.status == "draft":
            publish(self.study, actor="ada", now=self.by()["now"])

    @property
    def channel_id(self) -> str:
        return str(self.channel.channel_id)

    def recruit(self) -> None:
        total = deeds().quote_on_prolific(self.study, self.channel_id, self.site.market).total_minor
        deeds().publish_on_prolific(self.study, self.channel_id, total_minor=total, **self.by())

    def decide(self) -> None:
        from annotation.accounts.models import User
        from annotation.models import Decision, Submission
        from annotation.review import reject
        from annotation.review.approve import approve

        works = Submission.objects.filter(hit__study=self.study)
        bad = works.filter(market_id=self.assignments().get(WRONG_CODE, "")).first()
        ada, ben = (User.objects.get(username=name) for name in ("ada", "ben"))
        now: datetime = self.by()["now"]
        if bad is not None and not Decision.objects.filter(submission=bad).exists():
            category = {"category": "BAD_CODE"}
            reject.propose_rejection(self.study, bad, reason=REASON * 2, actor=ada, now=now, **category)
            confirm = partial(reject.confirm_rejection, window=timedelta(0), beyond_guard=True)
            confirm(self.study, bad, actor=ben, now=now)
        approve(self.study, works.exclude(pk=bad.pk if bad else None), actor=ada, now=now)

    def raise_pay(self) -> None:
        from annotation.review.fair_pay import raise_pay

        raise_pay(self.study, floor_cents=FLOOR, actor="ada", now=self.by()["now"])

    def stop(self) -> None:
        deeds().change_recruitment(self.study, self.channel_id, "stop", **self.by())

    def settle(self) -> None:
        deeds().settle_costs(self.study, self.channel_id, **self.by())

    # People

    @property
    def there(self) -> str:
        return str(self.site.stub.read_facts()["studies"][-1]["id"])

    def person(self, number: int) -> int:
        """The number of a person whom no other run has met."""
        return self.number * 100 + number

    def enter(self, number: int, study: str, now: datetime) -> Any:
        """A person comes from Prolific and holds a task."""
        from annotation.marketplace.assignments.accept_submit import accept
        from annotation.marketplace.invitations import admission
        from annotation.marketplace.models import Link

        came = self.site.stub.arrive(self.person(number), study)
        link = Link.objects.get(channel=self.channel, participant=None)
        ids = {"STUDY_ID": study, "SESSION_ID": came["session_id"]}
        visitor = admission.Visitor(came["participant_id"], (), None, ids)
        _person, worker = admission.enter(link, visitor, version="", now=now)
        self.workers[number] = worker
        return accept(self.study.hits.get().market_id, worker=worker, now=now)

    def arrive_and_leave(self) -> None:
        """Two people come; one returns the place, and one runs out of time."""
        from annotation.marketplace.core import clock

        study, now = self.there, clock.now()
        for number in (1, 2):
            self.enter(number, study, now)
        self.site.stub.return_place(self.person(1))
        self.site.stub.time_out(self.person(2))

    def work(self) -> None:
        """Twelve people take the places, work and go back, two of them in their own ways."""
        from annotation.marketplace.assignments.accept_submit import submit
        from annotation.marketplace.core import clock
        from annotation.marketplace.errors import WorkRefusedError
        from annotation.marketplace.invitations.admission import DoorClosedError

        facts = self.site.stub.read_facts()["studies"][-1]
        study, code, now = facts["id"], facts["completion_codes"][0]["code"], clock.now()
        end = now + timedelta(seconds=SECONDS)
        for number in range(FIRST, LAST + 1):
            try:
                held = self.enter(number, study, now)
            except (WorkRefusedError, DoorClosedError):
                self.tally.counts["lost places"] += 1
                continue
            submit(held, [["rating", "5"]], answer=ANSWER, now=end, received_at=end)
            if number == WRONG_CODE:
                self.site.stub.complete(self.person(number), "WRONG")
            elif number != CLOSED_TAB:
                self.site.stub.complete(self.person(number), code)

    def assignments(self) -> dict[int, str]:
        """By person, what they submitted to the marketplace."""
        from annotation.marketplace.models import Assignment

        rows = Assignment.objects.filter(worker__channel=self.channel, state__in=Assignment.SUBMITTED_STATES)
        by_worker = dict(rows.values_list("worker", "assignment_id"))
        return {number: by_worker[worker.pk] for number, worker in self.workers.items() if worker.pk in by_worker}

    # What must be 0

    def count(self) -> None:
        from annotation.marketplace.models import ProlificSubmission
        from annotation.models import Submission

        facts, counts = self.site.stub.read_facts(), self.tally.counts
        counts["doubled studies"] += len(facts["studies"]) - 1
        paid = [sum(row["bonus_payments"]) for row in facts["submissions"]]
        due = [BONUS if row["participant_id"] in self.people_with_bonus() else 0 for row in facts["submissions"]]
        counts["doubled bonuses"] += sum(max(0, there - here) for there, here in zip(paid, due, strict=True)) // BONUS
        counts["lost bonuses"] += sum(max(0, here - there) for there, here in zip(paid, due, strict=True)) // BONUS
        local = Counter(ProlificSubmission.objects.filter(study__channel=self.channel).values_list("status", flat=True))
        counts["lost submissions"] += (Counter(row["status"] for row in facts["submissions"]) - local).total()
        collected = set(Submission.objects.filter(hit__study=self.study).values_list("market_id", flat=True))
        counts["lost submissions"] += len(set(self.assignments().values()) ^ collected)
        counts["books that differ"] += self.differences(facts)
        self.tally.runs += 1

    def people_with_bonus(self) -> set[str]:
        """The ids at Prolific of everybody who kept the place, but for who was rejected."""
        numbers = [number for number in range(FIRST, LAST + 1) if number != WRONG_CODE and number in self.workers]
        people = (f"participant {self.person(number)}" for number in numbers)
        return {hashlib.sha256(person.encode()).hexdigest()[:24] for person in people}

    def differences(self, facts: dict[str, Any]) -> int:
        """How many sums of the marketplace, and of the study's own ledger, are not the stub's."""
        from annotation import ledger
        from annotation.marketplace.operations.prolific import _study_shape

        known = _study_shape(type(self.channel.prolific_study).objects.get(channel=self.channel))
        there = [study for study in facts["studies"] if study["status"] != "UNPUBLISHED"]
        rewards, bonuses = ([study[name] for study in there] for name in ("paid_rewards", "paid_bonuses"))
        fees = sum(cost["fees"] + cost["vat"] for cost in (*rewards, *bonuses))
        amounts = [sum(cost["amount"] for cost in costs) for costs in (rewards, bonuses)]
        sums = ledger.sums(self.study)
        pairs = {
            "rewards": (known["PaidMinor"], amounts[0]),
            "bonuses": (known["BonusPaidMinor"], amounts[1]),
            "fees": (known["FeesMinor"], fees),
            "spent by the study": (sums.spent, sum(amounts) + fees),
            # Of the rejected person's place, for whoever comes instead, until the study is closed.
            "reserved in the end": (sums.reserved, REWARD),
            "the study's sums": (sums.agree, True),
        }
        self.notes += [f"{name}: {here}, not {there}" for name, (here, there) in pairs.items() if here != there]
        return sum(here != there for here, there in pairs.values())


def deeds() -> Any:
    """The verbs of recruiting on Prolific, which can be imported once Django is set up."""
    from annotation.recruiting import publish_prolific

    return publish_prolific
