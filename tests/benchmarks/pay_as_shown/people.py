"""The simulated people: they come to seven studies by links and with accounts, read, think, start, work, stop, return.

Everything goes through the pages of the worker site (Django's test client) and the operations of the Requester API,
on the marketplace's own clock. What each person read last before they started, and every bonus, is kept here.
"""

from __future__ import annotations

import heapq
import random
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.test import Client
from django.utils import timezone
from lxml import html

from annotation.accounts.models import User
from annotation.marketplace.core import clock
from annotation.marketplace.invitations import channel_plan, open_channel
from annotation.marketplace.models import Channel, Requester
from annotation.marketplace.operations import TABLE, Call
from annotation.marketplace.workers import sessions
from annotation.marketplace.workers.open_accounts import Record, fund, open_worker
from tests.benchmarks.pay_as_shown.reading import Terms, UnreadableError, read_money, read_terms, words_of
from tests.marketplace.question_samples import hit_parameters

SITE = "site.example"
WORKER_ORIGIN, HIT_ORIGIN = f"http://{SITE}", "http://hits.example"
# A balance in minor units that no run uses up, in each currency.
FUNDS = 50_000_000
_WORK = re.compile(r"/hits/work/(3[A-Z0-9]{29})/")


@dataclass(frozen=True)
class Study:
    """A study: pay and planned minutes by arm ("": no arms), how people come, tasks for each person.

    moved_to: the pay to which its tasks are moved when half of the people have come.
    """

    tag: str
    currency: str
    arms: Mapping[str, tuple[str, int]]
    by_link: bool
    tasks: int = 1
    pays: str = ""
    moved_to: str = ""


STUDIES = (
    Study("alike", "EUR", {"a": ("1.25", 6), "b": ("1.25", 9)}, by_link=True, tasks=2),
    Study("differ", "USD", {"a": ("0.60", 4), "b": ("1.10", 7), "c": ("2.05", 12)}, by_link=True),
    Study("yen", "JPY", {"a": ("150", 5), "b": ("1400", 11)}, by_link=True, pays="elsewhere"),
    Study("raised", "CHF", {"": ("1.90", 8)}, by_link=True, tasks=2, moved_to="2.40"),
    Study("card", "JPY", {"a": ("220", 6), "b": ("220", 6)}, by_link=False, tasks=2),
    Study("cards", "EUR", {"a": ("0.95", 3), "b": ("1.30", 5)}, by_link=False),
    Study("lowered", "USD", {"": ("0.80", 5)}, by_link=False, tasks=3, moved_to="0.55"),
)


@dataclass
class Person:
    """One person: their browser, what they read for each assignment, and the bonuses they were given."""

    number: int
    study: Study
    language: str
    browser: Client
    worker_id: str = ""
    page: bytes = b""
    address: str = ""
    read: Terms | None = None
    told: dict[str, Terms] = field(default_factory=dict)
    submitted: list[str] = field(default_factory=list)
    approved: list[str] = field(default_factory=list)
    bonuses: list[tuple[int, str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class Town:
    """All studies and all people, from the first arrival to the last payment."""

    def __init__(self, people: int, *, seed: int) -> None:
        self.dice = random.Random(seed)
        self.requester = Requester.objects.create(
            user=User.objects.create(username=f"lab-{seed}"), created_at=clock.now()
        )
        for currency in sorted({study.currency for study in STUDIES}):
            fund(self.requester, balance=FUNDS, now=clock.now(), currency=currency)
        self.hits: dict[str, list[str]] = {}
        self.links: dict[str, str] = {}
        for study in STUDIES:
            self._publish(study, people)
        self.people = [self._person(number) for number in range(people)]
        self.arrived: dict[str, int] = defaultdict(int)
        self.moved: set[str] = set()
        self.order = 0
        self.events: list[tuple[datetime, int, str, Person, Any]] = []
        self.refused = 0

    def call(self, operation: str, **parameters: Any) -> dict[str, Any]:
        self.order = getattr(self, "order", 0) + 1
        return TABLE[operation].handler(Call(self.requester, clock.now(), f"call-{self.order}"), parameters)

    def _publish(self, study: Study, people: int) -> None:
        self.hits[study.tag] = []
        for arm, (reward, minutes) in study.arms.items():
            words = [f"assay:minutes={minutes}"]
            words += [f"assay:currency={study.currency}"] if study.currency != "USD" else []
            words += [f"assay:study={study.tag}"] if study.by_link else []
            words += [f"assay:cell={study.tag}.{arm}"] if arm else []
            for _ in range(study.tasks):
                changes = {"Keywords": ", ".join(words), "Reward": reward, "MaxAssignments": people, "Title": study.tag}
                changes |= {"AssignmentDurationInSeconds": 86_400, "LifetimeInSeconds": 30_000_000}
                made = self.call("CreateHIT", **hit_parameters(**changes, AutoApprovalDelayInSeconds=2_592_000))
                self.hits[study.tag].append(made["HIT"]["HITId"])
        if not study.by_link:
            return
        plan = channel_plan.Plan(title=f"Study {study.tag}", pays=study.pays or None)
        channel: Channel = open_channel.open_channel(
            self.requester, name=study.tag, kind="link", study=study.tag, type_ids=(), plan=plan, now=clock.now()
        )
        link = open_channel.new_link(channel, channel_plan.LinkPlan(), now=clock.now())
        self.links[study.tag] = link.removeprefix(WORKER_ORIGIN)

    def _person(self, number: int) -> Person:
        study = STUDIES[number % len(STUDIES)]
        language = ("en", "de")[number // len(STUDIES) % 2]
        address = f"10.{number // 62500 % 250}.{number // 250 % 250}.{number % 250}"
        browser = Client(SERVER_NAME=SITE, REMOTE_ADDR=address, HTTP_ACCEPT_LANGUAGE=language)
        person = Person(number, study, language, browser)
        if not study.by_link:
            worker = open_worker(f"person {number}", worker_id=None, record=Record(), now=clock.now())
            browser.cookies[sessions.COOKIE] = sessions.open_session(worker, now=timezone.now())
            person.worker_id = worker.worker_id
        return person

    # The clock.

    def _later(self, seconds: float, step: str, person: Person, what: Any = None) -> None:
        self.order += 1
        heapq.heappush(self.events, (clock.now() + timedelta(seconds=seconds), self.order, step, person, what))

    def run(self) -> None:
        """Let everybody come, one every quarter of a minute, and go on until nobody has anything left to do."""
        start = clock.now()
        for person in self.people:
            self.order += 1
            at = start + timedelta(seconds=15 * person.number)
            heapq.heappush(self.events, (at, self.order, "reads", person, None))
        while self.events:
            at, _, step, person, what = heapq.heappop(self.events)
            ahead = int((at - clock.now()).total_seconds())
            if ahead > 0:
                clock.move(ahead)
            try:
                getattr(self, f"_{step}")(person, what)
            except UnreadableError as error:
                person.faults.append(str(error))

    # What a person does.

    def _open(self, person: Person, address: str) -> bytes:
        answer = person.browser.get(address, follow=True)
        return self._arrive(person, answer, address)

    def _arrive(self, person: Person, answer: Any, address: str) -> bytes:
        person.address = answer.redirect_chain[-1][0] if answer.redirect_chain else address
        person.page = answer.content
        return person.page

    def _reason(self, person: Person) -> str:
        return html.fromstring(person.page).xpath("string(//main/@data-reason)")

    def _press(self, person: Person, ending: str) -> None:
        """Press the button of a form on the page as it was read, whatever has happened since."""
        forms = [form for form in html.fromstring(person.page).forms if (form.action or "").endswith(ending)]
        if not forms:
            raise UnreadableError(f"{person.address} has no button {ending}: {words_of(person.page)[:200]}")
        answer = person.browser.post(forms[0].action, dict(forms[0].form_values()), follow=True)
        self._arrive(person, answer, forms[0].action)

    def _reads(self, person: Person, _: Any) -> None:
        """Open the study and read its terms."""
        study = person.study
        self.arrived[study.tag] += 1
        if study.by_link:
            self._open(person, self.links[study.tag])
        else:
            self._open(person, f"/hits/{self.hits[study.tag][0]}/")
        person.read = read_terms(person.page)
        self._later(self.dice.uniform(5, 900), "starts", person, "/begin/" if study.by_link else "/accept/")
        self._move_to_new_pay(study)

    def _starts(self, person: Person, button: str) -> None:
        self._press(person, button)
        self._is_in(person)

    def _is_in(self, person: Person) -> None:
        """After the button: at the task, at the page that says what one's own task pays, or at one that refuses."""
        reason = self._reason(person)
        if reason in {"pay-changed", "full"} or (reason == "next" and not _WORK.search(person.address)):
            # The tasks were moved to another pay meanwhile: they go back and read it again.
            self.refused += 1
            self._reads_again(person)
            return
        if reason == "your-pay":
            person.read = read_terms(person.page)
            says_no = self.dice.random() < 0.1
            self._later(self.dice.uniform(5, 300), "declines" if says_no else "agrees", person)
            return
        held = _WORK.search(person.address)
        if held is None:
            raise UnreadableError(f"{person.address} ({reason}) is no task: {words_of(person.page)[:200]}")
        person.told[held[1]] = person.read or Terms(None)
        at_work = read_terms(person.page)
        if person.read and (at_work.minor, at_work.currency) != (person.read.minor, person.read.currency):
            person.faults.append(f"the task's page says {at_work}, before it was {person.read}")
        returns = self.dice.random() < 0.06
        self._later(self.dice.uniform(60, 1500), "returns" if returns else "submits", person, held[1])

    def _reads_again(self, person: Person) -> None:
        """Open the study, or another of its tasks, and read what it pays now."""
        addresses = ["/hits/"] if person.study.by_link else [f"/hits/{hit}/" for hit in self.hits[person.study.tag]]
        button = "/start/" if person.study.by_link else "/accept/"
        for address in addresses:
            self._open(person, address)
            if any((form.action or "").endswith(button) for form in html.fromstring(person.page).forms):
                person.read = read_terms(person.page)
                self._later(30, "starts", person, button)
                return
        raise UnreadableError("there is nothing to start after the pay has changed")

    def _agrees(self, person: Person, _: Any) -> None:
        self._press(person, "/pay/")
        self._is_in(person)

    def _declines(self, person: Person, _: Any) -> None:
        self._press(person, "/return/")

    def _returns(self, person: Person, assignment: str) -> None:
        self._open(person, "/hits/stop/" if person.study.by_link else f"/hits/work/{assignment}/return/")
        self._press(person, "/stop/" if person.study.by_link else "/return/")
        del person.told[assignment]

    def _submits(self, person: Person, assignment: str) -> None:
        self._open(person, f"/hits/work/{assignment}/")
        (frame,) = html.fromstring(person.page).xpath("//iframe/@src")
        query = {name: values[0] for name, values in parse_qs(urlsplit(frame).query).items()}
        address = urlsplit(f"{query['turkSubmitTo']}/mturk/externalSubmit")
        body = urlencode({"assignmentId": query["assignmentId"], "rating": "4"})
        sent = Client(SERVER_NAME=SITE).post(address.path, body, content_type="application/x-www-form-urlencoded")
        if sent.status_code >= 400:
            raise UnreadableError(f"not submitted: {sent.status_code}")
        person.submitted.append(assignment)
        person.worker_id = person.worker_id or query["workerId"]
        self._open(person, f"/hits/work/{assignment}/done/")
        buttons = ("/start/", "/accept/") if person.study.by_link else ("/accept/",)
        forms = [form.action or "" for form in html.fromstring(person.page).forms]
        button = next((ending for ending in buttons if any(action.endswith(ending) for action in forms)), "")
        if not button:
            return
        if self.dice.random() < 0.15:
            self._stops_early(person)
            return
        if person.study.by_link:
            person.read = read_terms(person.page)
        self._later(self.dice.uniform(2, 600), "starts", person, button)

    def _stops_early(self, person: Person) -> None:
        if person.study.by_link:
            self._open(person, "/hits/stop/")
            self._press(person, "/stop/")

    # What the requester does.

    def _move_to_new_pay(self, study: Study) -> None:
        """Half of the people have come: the tasks get another pay, and who has one reads the page again."""
        half = len([1 for person in self.people if person.study is study]) // 2
        if not study.moved_to or study.tag in self.moved or self.arrived[study.tag] < half:
            return
        self.moved.add(study.tag)
        ((_, minutes),) = study.arms.values()
        words = [f"assay:minutes={minutes}"]
        words += [f"assay:currency={study.currency}"] if study.currency != "USD" else []
        words += [f"assay:study={study.tag}"] if study.by_link else []
        usual = hit_parameters(Reward=study.moved_to, Keywords=", ".join(words), Title=f"{study.tag}: new pay")
        names = ("Title", "Description", "Reward", "Keywords")
        lasting = {"AssignmentDurationInSeconds": 86_400, "AutoApprovalDelayInSeconds": 2_592_000}
        made = self.call("CreateHITType", **{name: usual[name] for name in names}, **lasting)
        for hit in self.hits[study.tag]:
            self.call("UpdateHITTypeOfHIT", HITId=hit, HITTypeId=made["HITTypeId"])
        for person in self.people:
            if person.study is study:
                try:
                    self._read_again(person)
                except UnreadableError as error:
                    person.faults.append(str(error))

    def _read_again(self, person: Person) -> None:
        """Who has a task, or has submitted some, reads on their pages what it pays now."""
        if not person.told:
            return
        total = self._read_total(person) if person.study.by_link and person.submitted else None
        for assignment, told in person.told.items():
            address = f"/hits/work/{assignment}/"
            if assignment not in person.submitted:
                now = read_terms(person.browser.get(address, follow=True).content)
            elif total is not None:
                # Nothing is decided yet, so everything that was submitted pays the same.
                now = Terms(total[0] // len(person.submitted), total[1])
            else:
                now = Terms(*read_money(words_of(person.browser.get(f"{address}done/", follow=True).content)))
            if now.minor is None or told.minor is None or now.minor < told.minor:
                person.faults.append(f"{assignment} was worth {told.minor} and is worth {now.minor}")
            person.told[assignment] = Terms(now.minor, now.currency, told.minutes)

    def _read_total(self, person: Person) -> tuple[int, str]:
        """What everything pays that a participant has submitted, on the page where they are."""
        page = words_of(person.browser.get("/hits/end/", follow=True).content)
        if not re.search(r"(Pay for what you submitted|Bezahlung für das)", page):
            page = words_of(person.browser.get(f"/hits/work/{person.submitted[-1]}/done/", follow=True).content)
        sentence = re.search(r"(?:Pay for what you submitted|Bezahlung für das, was Sie abgesendet haben): (.*)", page)
        if sentence is None:
            raise UnreadableError(f"no page says what the submitted tasks pay: {page[:200]}")
        return read_money(sentence[1])

    def decide(self) -> None:
        """Approve nearly everything, reject some, give some bonuses."""
        for person in self.people:
            for assignment in person.submitted:
                if self.dice.random() < 0.03:
                    self.call("RejectAssignment", AssignmentId=assignment, RequesterFeedback="empty")
                    continue
                self.call("ApproveAssignment", AssignmentId=assignment)
                person.approved.append(assignment)
                if self.dice.random() < 0.2:
                    self._give_bonus(person, assignment)

    def _give_bonus(self, person: Person, assignment: str) -> None:
        whole = person.study.currency == "JPY"
        minor = self.dice.randrange(10, 300)
        amount = str(minor) if whole else f"{minor // 100}.{minor % 100:02d}"
        ids = {"AssignmentId": assignment, "WorkerId": person.worker_id}
        self.call("SendBonus", **ids, BonusAmount=amount, Reason="Thank you")
        person.bonuses.append((minor, person.study.currency))
