"""Studies of 12 people on the stub of Prolific, their processes killed at named points; what must be 0 is counted.

    python -m tests.faults.on_prolific --runs 1000    # on SQLite; writes docs/prolific-faults.md
    python -m tests.faults.on_prolific --short --migrated FILE    # one study, and each planted fault: the normal suite

Each run publishes a study, sends 14 people (of whom one returns the place, one runs out of time, one enters a wrong
code and one closes the tab), approves, rejects, pays bonuses and stops. Every pass over what is due at Prolific is a
process of its own, ended by SIGKILL at a point; then another pass goes on.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.faults import kill_points

PLACES, REWARD, BONUS = 12, 100, 25
FIRST, LAST = 3, 14  # of the people who keep their places
WRONG_CODE, CLOSED_TAB = 13, 14
BONUSES = (3, 4, 5, 6)
REASON = "The code that was entered is not a code of this study, and no answers were given to the tasks of the study. "
# A fault that somebody could write: what it replaces, by what, and what the run must find.
PLANTED: dict[str, tuple[str, Any, str]] = {
    "a study is created again": (
        "annotation.marketplace.prolific.client:Client.find_study",
        lambda *_args, **_options: None,
        "doubled studies",
    ),
    "a payment is not noted before it is sent": (
        "annotation.marketplace.prolific.pay:_note_sent",
        lambda *_args, **_options: True,
        "doubled bonuses",
    ),
    "a page of submissions is cut": (
        "annotation.marketplace.prolific.client:Client.list_submissions",
        None,
        "lost submissions",
    ),
    "a returned place stays held": (
        "annotation.marketplace.prolific.follow:_leave",
        lambda *_args, **_options: "",
        "lost places",
    ),
    "a reward is not booked": ("annotation.marketplace.prolific.sync:APPROVED", "NEVER", "books that differ"),
}
FINDINGS = (
    "doubled studies",
    "doubled bonuses",
    "lost bonuses",
    "lost submissions",
    "lost places",
    "books that differ",
)


@dataclass
class Tally:
    """Runs, kills by point, and what was counted that must be 0."""

    runs: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def unreached(self) -> list[str]:
        """Named points at which no process has died."""
        return sorted(name for name in kill_points.ON_PROLIFIC if not self.kills[name])

    @property
    def is_clean(self) -> bool:
        return not any(self.counts.values())


@contextmanager
def installation(migrated: Path | None) -> Iterator[Any]:
    """A database of its own and a running stub; yields the stub's controls. Django is set up afterwards."""
    from annotation.rehearsal.prolific_stub.process import running

    folder = Path(tempfile.mkdtemp(prefix="assay-prolific-"))
    if migrated:
        shutil.copyfile(migrated, folder / "assay.sqlite3")
    with running() as stub:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "deploy.settings.development",
            "DATABASE_URL": f"sqlite:///{folder / 'assay.sqlite3'}",
            "PROLIFIC_API_URL": stub.url,
            "PROLIFIC_POLL_SECONDS": "0",
            "PROLIFIC_LEASE_SECONDS": "0",
            "MARKETPLACE_FEES": "none",
            "LOG_LEVEL": "CRITICAL",
        }
        import django

        django.setup()
        from django.core.management import call_command

        # Children of this process find them read already.
        for name in ("prolific.work", "prolific.client", "operations", "assignments.accept_submit"):
            import_module(f"annotation.marketplace.{name}")
        if not migrated:
            call_command("migrate", verbosity=0)
        try:
            yield stub
        finally:
            shutil.rmtree(folder, ignore_errors=True)


class Run:
    """One study from its draft to its end. `plant`: the name of a planted fault."""

    def __init__(self, stub: Any, number: int, dice: random.Random, tally: Tally, plant: str = "") -> None:
        self.stub, self.number, self.dice, self.tally, self.plant = stub, number, dice, tally, plant
        self.tag, self.minutes = f"run-{number}", 0
        self.workers: dict[int, Any] = {}

    def ask(self, name: str, **members: Any) -> dict[str, Any]:
        """An operation of the marketplace, as its address carries it out."""
        from django.db import transaction

        from annotation.marketplace.core import clock
        from annotation.marketplace.operations.registry import EXTENSIONS, TABLE, Call

        operation = EXTENSIONS.get(name) or TABLE[name]
        call = Call(self.requester, clock.now(), f"{self.tag}-{name}")
        if not operation.writes:
            return operation.handler(call, members)
        with transaction.atomic():
            return operation.handler(call, members)

    def live(self) -> None:
        """The steps, each with the points at which its passes are killed."""
        self.stub.reset()
        self.stub.change_settings(currency="USD")
        self.begin()
        self.killed("draft", "publish")
        self.arrive_and_leave()
        self.killed("sync")
        self.work()
        self.killed("sync")
        self.decide()
        self.killed("approve")
        self.pay()
        self.killed("bonus")
        self.ask("StopProlificStudy", ChannelId=self.channel)
        self.go_on()
        self.count()

    def begin(self) -> None:
        from annotation.marketplace.models import ProlificStudy, Requester
        from tests.marketplace.question_samples import hit_parameters

        # What earlier runs left is not looked after: the stub has forgotten it.
        ProlificStudy.objects.update(sync_due_at=None)
        self.requester = Requester.objects.order_by("pk").get()
        self.ask("ConnectProlific", Token=self.stub.token)
        self.ask("ChooseProlificProject", WorkspaceId=self.stub.workspace, ProjectId=self.stub.project)
        keywords = f"assay:study={self.tag}"
        wish = hit_parameters(Keywords=keywords, MaxAssignments=PLACES, Reward="1.00")
        self.hit = self.ask("CreateHIT", **wish)["HIT"]["HITId"]
        self.channel = self.ask("CreateChannel", Study=self.tag, Kind="prolific", Name=self.tag)["ChannelId"]
        draft = {"Description": "You read.", "Minutes": 5, "RewardMinor": REWARD, "Places": PLACES}
        self.ask("SetProlificDraft", ChannelId=self.channel, Labels=["ai_evaluation"], **draft)
        total = self.ask("QuoteProlificStudy", ChannelId=self.channel)["TotalMinor"]
        self.ask("PublishProlificStudy", ChannelId=self.channel, TotalMinor=total)

    def killed(self, *steps: str) -> None:
        """Passes that are killed at points of these steps, the least used first, then passes that end."""
        for step in steps:
            points = [point.name for point in kill_points.PROLIFIC_STEPS[step]]
            if self.plant:
                # What a planted fault needs to show: a death between an effect there and its note here.
                points = sorted(points, key=lambda name: not name.startswith("after the call"))[:2]
            else:
                self.dice.shuffle(points)
                points = sorted(points, key=lambda name: self.tally.kills[name])[:2]
            for name in points:
                if self.passes(name, 1 if self.plant else self.dice.choice((1, 1, 2))) == -9:
                    self.tally.kills[name] += 1
        self.go_on()

    def go_on(self) -> None:
        """Passes to their end, until nothing waits; a person settles what is unknown by what Prolific shows."""
        for _ in range(6):
            status = self.passes("", 0)
            if status:
                raise RuntimeError(f"a pass that nobody killed ended with {status}")
            known = self.ask("GetProlificStudy", ChannelId=self.channel)
            for batch in known["UnknownBatches"]:
                outcome = "paid" if batch["AlreadyPaidMinor"] >= batch["AmountMinor"] else "not-paid"
                self.ask("SettleProlificBonusBatch", ChannelId=self.channel, BatchId=batch["BatchId"], Outcome=outcome)
            if not known["Waiting"] and not known["UnknownBatches"]:
                return

    def passes(self, point: str, nth: int) -> int:
        """One pass in a process of its own; its exit status, -9 where it was killed."""
        from django.db import connections

        self.minutes += 1
        connections.close_all()
        pid = os.fork()
        if not pid:
            _pass(point, nth, self.plant, self.minutes)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    @property
    def study(self) -> str:
        return str(self.stub.read_facts()["studies"][-1]["id"])

    def person(self, number: int) -> int:
        """The number of a person whom no other run has met."""
        return self.number * 100 + number

    def enter(self, number: int, study: str) -> Any:
        """A person comes from Prolific and holds a task; None where there is no place for them."""
        from annotation.marketplace.assignments.accept_submit import accept
        from annotation.marketplace.core import clock
        from annotation.marketplace.invitations import admission
        from annotation.marketplace.models import Link

        came = self.stub.arrive(self.person(number), study)
        link = Link.objects.get(channel__channel_id=self.channel, participant=None)
        ids = {"STUDY_ID": study, "SESSION_ID": came["session_id"]}
        visitor = admission.Visitor(came["participant_id"], (), None, ids)
        _person, worker = admission.enter(link, visitor, version="", now=clock.now())
        self.workers[number] = worker
        return accept(self.hit, worker=worker, now=clock.now())

    def arrive_and_leave(self) -> None:
        """All places are taken; of two people one returns, and one runs out of time."""
        study = self.study
        for number in (1, 2):
            self.enter(number, study)
        self.stub.return_place(self.person(1))
        self.stub.time_out(self.person(2))

    def work(self) -> None:
        """Twelve people take the places, work and go back, two of them in their own ways."""
        from annotation.marketplace.assignments.accept_submit import submit
        from annotation.marketplace.core import clock
        from annotation.marketplace.errors import WorkRefusedError
        from annotation.marketplace.invitations.admission import DoorClosedError

        study = self.study
        code = self.stub.read_facts()["studies"][-1]["completion_codes"][0]["code"]
        for number in range(FIRST, LAST + 1):
            try:
                held = self.enter(number, study)
            except (WorkRefusedError, DoorClosedError):
                self.tally.counts["lost places"] += 1
                continue
            now = clock.now()
            submit(held, [["rating", "5"]], answer=ANSWER, now=now, received_at=now)
            if number == WRONG_CODE:
                self.stub.complete(self.person(number), "WRONG")
            elif number != CLOSED_TAB:
                self.stub.complete(self.person(number), code)

    def assignments(self) -> dict[int, str]:
        from annotation.marketplace.models import Assignment

        rows = Assignment.objects.filter(hit__hit_id=self.hit, state__in=Assignment.SUBMITTED_STATES)
        by_worker = dict(rows.values_list("worker", "assignment_id"))
        return {number: by_worker[worker.pk] for number, worker in self.workers.items() if worker.pk in by_worker}

    def decide(self) -> None:
        for number, assignment in self.assignments().items():
            if number == WRONG_CODE:
                members = {"AssignmentId": assignment, "RequesterFeedback": REASON * 2, "Category": "BAD_CODE"}
                self.ask("RejectProlificWork", **members)
            else:
                self.ask("ApproveAssignment", AssignmentId=assignment)

    def pay(self) -> None:
        works = self.assignments()
        for number in BONUSES:
            if number in works:
                worker, assignment = self.workers[number].worker_id, works[number]
                members = {"WorkerId": worker, "AssignmentId": assignment, "BonusAmount": "0.25", "Reason": "Thanks."}
                self.ask("SendBonus", **members)

    def count(self) -> None:
        """What must be 0."""
        facts, counts = self.stub.read_facts(), self.tally.counts
        counts["doubled studies"] += len(facts["studies"]) - 1
        paid = [sum(row["bonus_payments"]) for row in facts["submissions"]]
        sessions = self.due_sessions(facts)
        due = [BONUS if row["id"] in sessions else 0 for row in facts["submissions"]]
        counts["doubled bonuses"] += sum(max(0, there - here) for there, here in zip(paid, due, strict=True)) // BONUS
        counts["lost bonuses"] += sum(max(0, here - there) for there, here in zip(paid, due, strict=True)) // BONUS
        ours = self.ask("ListProlificSubmissions", ChannelId=self.channel)["Submissions"]
        missing = Counter(row["status"] for row in facts["submissions"]) - Counter(row["Status"] for row in ours)
        with_work = sum(len(row["AssignmentIds"]) for row in ours)
        counts["lost submissions"] += missing.total() + abs(with_work - len(self.assignments()))
        counts["books that differ"] += self.differences(facts)
        self.tally.runs += 1

    def due_sessions(self, facts: dict[str, Any]) -> set[str]:
        """The sessions of people to whom a bonus was sent."""
        people = {self.stub_id(self.person(number)) for number in BONUSES if number in self.workers}
        return {row["id"] for row in facts["submissions"] if row["participant_id"] in people}

    @staticmethod
    def stub_id(number: int) -> str:
        import hashlib

        return hashlib.sha256(f"participant {number}".encode()).hexdigest()[:24]

    def differences(self, facts: dict[str, Any]) -> int:
        """How many sums of ours are not the stub's: rewards, bonuses, fees with tax."""
        known = self.ask("GetProlificStudy", ChannelId=self.channel)
        there = [study for study in facts["studies"] if study["status"] != "UNPUBLISHED"]
        rewards, bonuses = ([study[name] for study in there] for name in ("paid_rewards", "paid_bonuses"))
        fees = sum(cost["fees"] + cost["vat"] for cost in (*rewards, *bonuses))
        theirs = (sum(cost["amount"] for cost in rewards), sum(cost["amount"] for cost in bonuses), fees)
        local = (known["PaidMinor"], known["BonusPaidMinor"], known["FeesMinor"])
        return sum(a != b for a, b in zip(theirs, local, strict=True))


ANSWER = (
    '<?xml version="1.0" encoding="ASCII"?><QuestionFormAnswers xmlns="http://mechanicalturk.amazonaws.com/'
    'AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"><Answer><QuestionIdentifier>rating'
    "</QuestionIdentifier><FreeText>5</FreeText></Answer></QuestionFormAnswers>"
)


def _pass(point: str, nth: int, plant: str, minutes: int) -> None:
    """The child: it ends here, whatever happens."""
    status = 1
    try:
        from annotation.marketplace.core import clock
        from annotation.marketplace.prolific.work import run_due

        if plant:
            _plant(plant)
        if point:
            kill_points.doom(point, nth)
        run_due(now=clock.now() + timedelta(minutes=minutes))
        status = 0
    except BaseException:  # noqa: BLE001 - the child ends here, whatever it was
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def _plant(name: str) -> None:
    target, replacement, _finding = PLANTED[name]
    module, _, path = target.partition(":")
    holder: Any = import_module(module)
    *parents, last = path.split(".")
    for parent in parents:
        holder = getattr(holder, parent)
    if replacement is None:
        whole: Callable[..., Any] = getattr(holder, last)
        replacement = lambda *args, **options: whole(*args, **options)[:-1]  # noqa: E731
    setattr(holder, last, replacement)


def run_all(runs: int, stub: Any, seed: int) -> Tally:
    """Runs one after another."""
    tally, begun = Tally(), time.monotonic()
    for number in range(runs):
        Run(stub, number + 1, random.Random(seed + number), tally).live()
        if runs > 1 and (number + 1) % 25 == 0:
            print(
                f"{number + 1} studies, {tally.kills.total()} kills, {dict(+tally.counts) or 'nothing counted'}",
                flush=True,
            )
    tally.seconds = time.monotonic() - begun
    return tally


def find_planted(stub: Any) -> list[str]:
    """The planted faults that a run did not find."""
    unseen = []
    for number, (name, (_target, _replacement, finding)) in enumerate(PLANTED.items(), start=9000):
        tally = Tally()
        Run(stub, number, random.Random(number), tally, plant=name).live()
        print(f"planted: {name}: {dict(+tally.counts)}", flush=True)
        if not tally.counts[finding]:
            unseen.append(f"{name}: no {finding} counted")
    return unseen


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.on_prolific", description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--migrated", type=Path, help="an empty SQLite database of this version, copied and used")
    options = parser.parse_args()
    with installation(options.migrated) as stub:
        _open_account()
        tally = run_all(1 if options.short else options.runs, stub, options.seed)
        problems = [f"{number} {name}" for name, number in tally.counts.items() if number]
        problems += [] if options.short else [f"no kill at the point: {name}" for name in tally.unreached]
        problems += find_planted(stub)
    print(f"{tally.runs} studies, {tally.kills.total()} kills in {tally.seconds:.0f} s.")
    if not options.short:
        write_page(tally, problems)
    if problems or not tally.kills:
        sys.exit("\n".join(problems) or "no process was killed")
    print("nothing doubled, nothing lost, the books agree")


def _open_account() -> None:
    import io

    from django.core.management import call_command

    call_command("create_requester", "lab", balance="1000000.00", json=True, stdout=io.StringIO())


def write_page(tally: Tally, problems: list[str]) -> None:
    """What the run has shown, for docs/prolific-faults.md."""
    kills = "\n".join(f"| {name} | {tally.kills[name]} |" for name in kill_points.ON_PROLIFIC)
    counts = "\n".join(f"| {name} | {tally.counts[name]} |" for name in FINDINGS)
    planted = "\n".join(f"| {name} | {finding} |" for name, (_, _, finding) in PLANTED.items())
    result = "All that must be 0 is 0." if not problems else "Problems: " + "; ".join(problems)
    text = f"""# Studies on Prolific whose processes are killed

`make faults` wrote this page: {tally.runs} studies of {PLACES} people on the stub of Prolific,
{tally.kills.total()} processes ended by SIGKILL in {tally.seconds / 60:.0f} minutes. {result}

| what must be 0 | counted |
|---|---|
{counts}

The same run finds each of these faults when it is planted:

| planted fault | found as |
|---|---|
{planted}

| killed at the point | times |
|---|---|
{kills}
"""
    (Path(__file__).resolve().parents[2] / "docs" / "prolific-faults.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
