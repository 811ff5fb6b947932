"""A random life of a marketplace: operations and workers' steps in process, most of them sensible, some refused."""

from __future__ import annotations

import random
import uuid
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from annotation.accounts.models import User
from annotation.marketplace import operations
from annotation.marketplace.assignments import accept_submit as work
from annotation.marketplace.assignments.expire_due import catch_up
from annotation.marketplace.aws_protocol.errors import WireError
from annotation.marketplace.aws_protocol.fault_responses import AnswerDroppedError, drop_on_demand, refuse_on_demand
from annotation.marketplace.errors import InvalidParameterError, RequestRefusedError, WorkRefusedError
from annotation.marketplace.fault_injection.plan import Plan, set_plan
from annotation.marketplace.hits.escrow import promised
from annotation.marketplace.models import Assignment, Hit, HitType, Payout, Requester, WorkerAccount
from annotation.marketplace.questions.answer_xml import answers_xml
from annotation.marketplace.workers import payouts
from annotation.marketplace.workers.open_accounts import Record, fund, open_worker
from tests.marketplace.question_samples import hit_parameters

REFUSALS = (RequestRefusedError, InvalidParameterError, WorkRefusedError)
ATTEMPTS = 3
FAULTS = Plan(throttle_every=11, fail_every=13, drop_after_commit_every=17, lag_seconds=20)
REWARDS = ("0.00", "0.01", "0.07", "0.50", "1.25")


class Life:
    """Requesters and workers who act at random by a seeded die; `counts` says what was done and what refused.

    Faults are on: calls are throttled, fail, lose their answers, and see new work late.
    """

    def __init__(self, seed: int, now: datetime, *, requesters: int = 3, workers: int = 12) -> None:
        self.die, self.now = random.Random(seed), now
        self.counts: Counter[str] = Counter()
        set_plan(FAULTS)
        users = [User.objects.create(username=f"random {number}") for number in range(requesters)]
        self.requesters = [Requester.objects.create(user=user, created_at=now) for user in users]
        for requester in self.requesters:
            fund(requester, balance=20_000, now=now)
        self.workers = [
            open_worker(f"random {number}", worker_id=None, record=Record(), now=now) for number in range(workers)
        ]
        self.steps: dict[Callable[[], None], int] = {
            self.publish: 8, self.accept: 30, self.hand_in: 24, self.give_back: 3, self.approve: 14, self.reject: 3,
            self.bonus: 4, self.extend: 3, self.expire: 2, self.change_type: 2, self.delete: 3, self.set_balance: 1,
            self.pay_out: 1, self.settle: 1, self.pass_time: 3,
        }  # fmt: skip

    def run(self, number: int) -> None:
        """Take `number` steps."""
        chosen = self.die.choices(list(self.steps), weights=list(self.steps.values()), k=number)
        for step in chosen:
            catch_up(self.now)
            try:
                step()
                self.counts[step.__name__] += 1
            except REFUSALS as refusal:
                self.counts[f"{step.__name__} refused: {_word(refusal)}"] += 1
        catch_up(self.now)

    def call(self, requester: Requester, operation: str, **given: Any) -> dict[str, Any]:
        """An operation as the wire carries it out, repeated after a fault as clients repeat it."""
        for _ in range(ATTEMPTS):
            try:
                return self._attempt(requester, operation, given)
            except (WireError, AnswerDroppedError) as fault:
                self.counts[f"fault: {getattr(fault, 'kind', 'answer dropped')}"] += 1
        raise WorkRefusedError("faults")

    def _attempt(self, requester: Requester, operation: str, given: dict[str, Any]) -> dict[str, Any]:
        refuse_on_demand()
        call = operations.Call(Requester.objects.get(pk=requester.pk), self.now, str(uuid.uuid4()))
        with transaction.atomic():
            result = operations.TABLE[operation].handler(call, given)
        drop_on_demand(committed=operations.TABLE[operation].writes)
        return result

    def publish(self) -> None:
        token = f"token {self.die.randrange(400)}"
        given = hit_parameters(
            RequesterAnnotation=token,
            UniqueRequestToken=token,
            Reward=self.die.choice(REWARDS),
            MaxAssignments=self.die.choice([1, 2, 5, 9, 10]),
            LifetimeInSeconds=self.die.choice([60, 3_600, 86_400]),
            AutoApprovalDelayInSeconds=self.die.choice([0, 600, 259_200]),
        )
        self.call(self.die.choice(self.requesters), "CreateHIT", **given)

    def accept(self) -> None:
        work.accept(self._hit(status=Hit.Status.ASSIGNABLE).hit_id, worker=self.die.choice(self.workers), now=self.now)

    def hand_in(self) -> None:
        pairs, found = [("a", "1")], self._work(Assignment.State.ACCEPTED)
        work.submit(found, pairs, answer=answers_xml(pairs), now=self.now, received_at=self.now)

    def give_back(self) -> None:
        work.return_assignment(self._work(Assignment.State.ACCEPTED), now=self.now)

    def approve(self) -> None:
        held = self._work(Assignment.State.SUBMITTED, Assignment.State.REJECTED, Assignment.State.APPROVED)
        given = {"AssignmentId": held.assignment_id, "OverrideRejection": self.die.random() < 0.7}
        self.call(held.hit.requester, "ApproveAssignment", **given)

    def reject(self) -> None:
        held = self._work(Assignment.State.SUBMITTED)
        self.call(held.hit.requester, "RejectAssignment", AssignmentId=held.assignment_id, RequesterFeedback="")

    def bonus(self) -> None:
        held = self._work(*Assignment.SUBMITTED_STATES)
        given = {"AssignmentId": held.assignment_id, "WorkerId": held.worker.worker_id, "Reason": "r"}
        token = f"bonus {self.die.randrange(100)}"
        amount = self.die.choice(["0.01", "1.00", "150.00"])
        self.call(held.hit.requester, "SendBonus", **given, BonusAmount=amount, UniqueRequestToken=token)

    def extend(self) -> None:
        hit = self._hit()
        if self.die.random() < 0.5:
            self.call(
                hit.requester,
                "CreateAdditionalAssignmentsForHIT",
                HITId=hit.hit_id,
                NumberOfAdditionalAssignments=self.die.choice([1, 3]),
            )
        else:
            later = self.now + timedelta(hours=self.die.choice([1, 48]))
            self.call(hit.requester, "UpdateExpirationForHIT", HITId=hit.hit_id, ExpireAt=later)

    def expire(self) -> None:
        hit = self._hit()
        past = self.now - timedelta(days=1)
        self.call(hit.requester, "UpdateExpirationForHIT", HITId=hit.hit_id, ExpireAt=past)

    def change_type(self) -> None:
        hit = self._hit()
        types = HitType.objects.filter(requester=hit.requester).order_by("pk")
        chosen = self.die.choice(list(types.values_list("type_id", flat=True)))
        self.call(hit.requester, "UpdateHITTypeOfHIT", HITId=hit.hit_id, HITTypeId=chosen)

    def delete(self) -> None:
        hit = self._hit(status__in=[Hit.Status.REVIEWABLE, Hit.Status.REVIEWING])
        self.call(hit.requester, "DeleteHIT", HITId=hit.hit_id)

    def set_balance(self) -> None:
        fund(self.die.choice(self.requesters), balance=self.die.choice([0, 5_000, 40_000]), now=self.now)

    def pay_out(self) -> None:
        payouts.make_batch(now=self.now)

    def settle(self) -> None:
        sent = Payout.objects.order_by("pk").values_list("payout_id", flat=True)
        marks = [
            payouts.Mark(line, payout, self.die.choice(["paid", "failed"]), "")
            for line, payout in enumerate(self.die.sample(list(sent), min(3, len(sent))))
        ]
        payouts.settle(marks, now=self.now)

    def pass_time(self) -> None:
        self.now += timedelta(seconds=self.die.choice([30, 900, 90_000]))

    def _hit(self, **conditions: Any) -> Hit:
        rows = Hit.objects.filter(**conditions).exclude(status=Hit.Status.DISPOSED).select_related("requester")
        return self._one(rows.order_by("-pk")[:40])

    def _work(self, *states: str) -> Assignment:
        rows = Assignment.objects.filter(state__in=states).select_related("hit__requester", "worker")
        return self._one(rows.order_by("-pk")[:40])

    def _one(self, rows: Any) -> Any:
        found = list(rows)
        if not found:
            raise WorkRefusedError("nothing there")
        return self.die.choice(found)


def _word(refusal: Exception) -> str:
    if isinstance(refusal, RequestRefusedError):
        return refusal.code.rpartition(".")[2]
    return refusal.reason if isinstance(refusal, WorkRefusedError) else "InvalidParameter"


def hold_faults(now: datetime) -> list[str]:
    """Holds beyond what a HIT may still cost, and places beyond what it has: none, at any time."""
    hits = Hit.objects.select_related("hit_type").defer("question")
    return [f"HIT {hit} holds {hit.held_cents}" for hit in hits if hit.held_cents > promised(hit, now)]


def doubled_hits() -> list[str]:
    """HITs made twice within a day by one token, however often the answer was lost."""
    faults, last = [], {}
    for requester, token, made in Hit.objects.order_by("pk").values_list("requester", "annotation", "created_at"):
        earlier = last.get((requester, token))
        if earlier is not None and made - earlier < timedelta(hours=24):
            faults.append(f"two HITs for {token!r}")
        last[requester, token] = made
    return faults


def counted_faults() -> list[str]:
    """HITs and workers whose counters differ from the rows they count."""
    faults = []
    for hit in Hit.objects.defer("question"):
        states = Counter(Assignment.objects.filter(hit=hit).values_list("state", flat=True))
        found = (states["Accepted"], states["Submitted"], states["Approved"] + states["Rejected"])
        if found != (hit.pending, hit.submitted, hit.completed):
            faults.append(f"HIT {hit}: {found} rows")
    for worker in WorkerAccount.objects.all():
        states = Counter(Assignment.objects.filter(worker=worker).values_list("state", flat=True))
        if (states["Approved"], states["Rejected"]) != (worker.approved_count, worker.rejected_count):
            faults.append(f"worker {worker}: {states}")
    return faults
