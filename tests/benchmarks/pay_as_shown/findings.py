"""What each person was told against what was stored, posted, and written into the files that pay them."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

from annotation.marketplace.core import clock
from annotation.marketplace.models import Assignment, LedgerEntry, PayoutFile
from annotation.marketplace.money.balance_check import check_balances
from annotation.marketplace.workers import payouts, settlements
from annotation.marketplace.workers.settlements import Scope
from tests.benchmarks.pay_as_shown.people import Person, Town
from tests.benchmarks.pay_as_shown.reading import SIGNS

DIGITS = dict(SIGNS.values())
Account, Purpose = LedgerEntry.Account, LedgerEntry.Purpose


@dataclass(frozen=True)
class Comparison:
    """How many people there were, for how many everything was equal, and one sentence for each difference."""

    people: int
    equal: int
    assignments: int
    paid: dict[str, int]
    faults: tuple[str, ...]


def compare(town: Town) -> Comparison:
    """Pay everybody who is owed something, and compare each person with what they read."""
    sent = _payouts() + _files(town)
    stored = {row.assignment_id: row for row in Assignment.objects.all()}
    posted = _posted()
    faults, equal, paid = [], 0, Counter[str]()
    for person in town.people:
        own = [*person.faults, *_faults_of(person, stored, posted)]
        owed = Counter[str]()
        for assignment in person.approved:
            told = person.told[assignment]
            owed[told.currency] += told.minor or 0
        for minor, currency in person.bonuses:
            owed[currency] += minor
        got = {code: sent[person.worker_id, code] for code in DIGITS if sent[person.worker_id, code]}
        if +owed != got:
            own.append(f"had read {dict(owed)}, and the files pay {got}")
        paid.update(got)
        equal += not own
        faults += [f"person {person.number} ({person.study.tag}, {person.language}): {fault}" for fault in own]
    faults += [f"the books: {fault}" for fault in check_balances().faults]
    return Comparison(
        len(town.people), equal, sum(len(person.told) for person in town.people), dict(paid), tuple(faults)
    )


def _faults_of(
    person: Person, stored: dict[str, Assignment], posted: dict[tuple[str, str], tuple[int, str]]
) -> list[str]:
    faults = []
    for assignment, told in person.told.items():
        row = stored[assignment]
        if told.minutes is None or told.minor is None:
            faults.append(f"{assignment} was begun without having read {told}")
        if (row.shown_reward_cents, row.shown_currency, row.shown_minutes) != (told.minor, told.currency, told.minutes):
            kept = (row.shown_reward_cents, row.shown_currency, row.shown_minutes)
            faults.append(f"{assignment}: read {told}, stored {kept}")
        reward = posted.get((assignment, Purpose.REWARD))
        expected = (told.minor, told.currency) if assignment in person.approved else None
        if reward != expected:
            faults.append(f"{assignment}: read {told}, the ledger has {reward}")
    return faults


def _posted() -> dict[tuple[str, str], tuple[int, str]]:
    """The ledger's rows of workers, by assignment and purpose."""
    rows = LedgerEntry.objects.filter(purpose=Purpose.REWARD, account__in=[Account.WORKER, Account.OUTSIDE])
    rows = rows.exclude(assignment=None).select_related("assignment")
    return {(str(row.assignment), row.purpose): (row.amount_cents, row.currency) for row in rows}


def _payouts() -> Counter[tuple[str, str]]:
    """What the file for the payment service pays: minor units by worker and currency, read from its text."""
    sent = Counter[tuple[str, str]]()
    batch = payouts.make_batch(now=clock.now())
    if batch is None:
        return sent
    out = io.StringIO()
    payouts.write(batch, out)
    for row in csv.DictReader(io.StringIO(out.getvalue())):
        sent[row["worker_id"], row["currency"]] += _minor(row["amount"], row["currency"])
    return sent


def _minor(text: str, currency: str) -> int:
    minor = Decimal(text).scaleb(DIGITS[currency])
    if minor != int(minor):
        raise AssertionError(f"{text} {currency} has too many decimals")
    return int(minor)


def _files(town: Town) -> Counter[tuple[str, str]]:
    """The same of people whom the requester pays elsewhere, by the files of each study and currency."""
    sent = Counter[tuple[str, str]]()
    for tag in town.hits:
        scope = Scope(town.requester, tag)
        owed = settlements.list_owed(scope)
        for currency in sorted({person.currency for person in owed}):
            rows = [person for person in owed if person.currency == currency]
            total = sum(person.amount_minor for person in rows)
            file: PayoutFile = settlements.create_file(
                scope, tag, currency=currency, people=len(rows), amount_minor=total, by="ada", now=clock.now()
            )
            for row in file.settlements.select_related("worker"):
                sent[row.worker.worker_id, file.currency] += row.amount_minor
    return sent
