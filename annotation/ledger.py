"""The study's money: reserved before anything that costs, spent or released with the outcome. Whole minor units
of the study's currency (fields and parameters named cents hold those).

The database itself holds spent + reserved within the budget (a check constraint on the study); here is the sentence.
Call every function inside the transaction of the decision or of the outcome, with the study locked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.conf import settings
from django.db.models import F, Q, QuerySet, Sum

from annotation.exceptions import BudgetError
from annotation.models import AuditEvent, Hit, Intent, LedgerEntry, Study, Submission
from annotation.pricing.currency import format_money
from annotation.pricing.fees import Fees, bonus_fee_cents, fee_cents

Kind = LedgerEntry.Kind


@dataclass(frozen=True, slots=True)
class Cost:
    """Cents for a worker and the marketplace's fee."""

    amount: int
    fee: int

    @property
    def total(self) -> int:
        return self.amount + self.fee


def endpoint_fees() -> Fees:
    """The fee rules of the marketplace that the settings name, as its operator states them."""
    return Fees(settings.MTURK_FEES)


def fees_of(hit: Hit) -> Fees:
    """The fee rules under which the HIT was published; of one that was not, those of the marketplace now."""
    return Fees(hit.fees) if hit.fees else endpoint_fees()


def fix_fees(hits: Sequence[Hit]) -> None:
    """Store with HITs that are about to be published what their marketplace charges, so that the sum reserved is the
    sum spent, whatever rules hold later."""
    for hit in hits:
        hit.fees = endpoint_fees().value
    Hit.objects.bulk_update(hits, ["fees"], batch_size=500)


def place_cost(hit: Hit) -> Cost:
    """What one approved place of the HIT costs. Needs `cell__arm__study`."""
    reward = hit.cell.reward_cents
    return Cost(reward, fee_cents(reward, max_assignments=hit.max_assignments, fees=fees_of(hit)))


def bonus_cost(cents: int, hit: Hit) -> Cost:
    """What a bonus of `cents` for work in the HIT costs."""
    return Cost(cents, bonus_fee_cents(cents, fees=fees_of(hit)))


def reserve(study: Study, promises: Sequence[tuple[Intent, int]], *, now: datetime) -> int:
    """Reserve the cents of each (saved) intent, all or none; return the sum.

    Raises BudgetError, which says how much is missing, when spent and reserved would pass the budget.
    """
    total = sum(cents for _, cents in promises)
    room = Q(budget_cents=None) | Q(budget_cents__gte=F("spent_cents") + F("reserved_cents") + total)
    if not Study.objects.filter(room, pk=study.pk).update(reserved_cents=F("reserved_cents") + total):
        raise _too_much(study, total)
    LedgerEntry.objects.bulk_create(
        LedgerEntry(study=study, intent=intent, kind=Kind.HOLD, cents=cents, at=now) for intent, cents in promises
    )
    return total


def _too_much(study: Study, total: int) -> BudgetError:
    held = Study.objects.get(pk=study.pk)
    money = partial(format_money, currency=held.currency)
    budget = held.budget_cents or 0
    missing = held.spent_cents + held.reserved_cents + total - budget
    return BudgetError(
        f"The budget of {study.name} does not cover this: {money(total)} are needed. Of {money(budget)}, "
        f"{money(held.spent_cents)} are spent and {money(held.reserved_cents)} reserved, so "
        f"{money(missing)} are missing. Nothing was done.",
        missing_cents=missing,
    )


def spend(intent: Intent, cost: Cost, *, kind: str, now: datetime, **evidence: object) -> None:
    """Write what the effect cost (`kind`: reward or bonus), out of what was reserved, and note it in the log."""
    rows = ((kind, cost.amount), (Kind.FEE, cost.fee), (Kind.RELEASE, -cost.total))
    LedgerEntry.objects.bulk_create(
        LedgerEntry(study_id=intent.study_id, intent=intent, kind=name, cents=cents, at=now)
        for name, cents in rows
        if cents or name != Kind.FEE
    )
    Study.objects.filter(pk=intent.study_id).update(
        spent_cents=F("spent_cents") + cost.total, reserved_cents=F("reserved_cents") - cost.total
    )
    AuditEvent.objects.record(
        intent.study, "pay", actor="assay", now=now, intent=intent.key, **{kind: cost.amount}, fee=cost.fee, **evidence
    )


def spend_fee(intent: Intent, fee: int, *, now: datetime, keep: int = 0, **evidence: object) -> int:
    """Write a fee that an outside service took, and release what its intent reserved; return the cents released.

    keep: cents that stay reserved. Raises BudgetError where the budget does not cover the fee.
    """
    held = max(0, reserved_by(intent) - keep)
    room = Q(budget_cents=None) | Q(budget_cents__gte=F("spent_cents") + F("reserved_cents") + fee - held)
    changes = {"spent_cents": F("spent_cents") + fee, "reserved_cents": F("reserved_cents") - held}
    if not Study.objects.filter(room, pk=intent.study_id).update(**changes):
        raise _too_much(intent.study, fee - held)
    rows = ((Kind.FEE, fee), (Kind.RELEASE, -held))
    LedgerEntry.objects.bulk_create(
        LedgerEntry(study_id=intent.study_id, intent=intent, kind=name, cents=cents, at=now) for name, cents in rows
    )
    AuditEvent.objects.record(intent.study, "pay", actor="assay", now=now, intent=intent.key, fee=fee, **evidence)
    return held - fee


def promise_bonuses(
    study: Study, bonuses: Sequence[tuple[Submission, int]], *, occasion: str, reason: str, now: datetime
) -> int:
    """Intend a bonus in cents for each submission and set its money aside; returns the cents reserved.

    occasion: one submission has one bonus of an occasion, however often it is asked for (the study must be locked).
    """
    numbers = Counter(
        Intent.objects.filter(study=study, kind=Intent.Kind.BONUS).values_list("subject", flat=True).iterator()
    )
    intents = [
        Intent.of(
            study,
            Intent.Kind.BONUS,
            submission.pk,
            slot=f"{submission.market_id}:{occasion}",
            number=numbers[submission.pk],
            details={"cents": cents, "reason": reason, "occasion": occasion},
        )
        for submission, cents in bonuses
    ]
    Intent.objects.bulk_create(intents)
    promises = [
        (intent, bonus_cost(cents, submission.hit).total)
        for intent, (submission, cents) in zip(intents, bonuses, strict=True)
    ]
    return reserve(study, promises, now=now) if promises else 0


def give_back(intent: Intent, cents: int, *, now: datetime) -> None:
    """Release what was reserved and is not needed any more."""
    if not cents:
        return
    LedgerEntry.objects.create(study_id=intent.study_id, intent=intent, kind=Kind.RELEASE, cents=-cents, at=now)
    Study.objects.filter(pk=intent.study_id).update(reserved_cents=F("reserved_cents") - cents)


def reserved_by(intent: Intent) -> int:
    """Return what is still reserved by the rows of this intent alone."""
    rows = LedgerEntry.objects.filter(intent=intent, kind__in=LedgerEntry.RESERVED)
    return int(rows.aggregate(sum=Sum("cents", default=0))["sum"])


@dataclass(frozen=True, slots=True)
class Sums:
    """The ledger's sums beside what the study stores."""

    spent: int
    reserved: int
    stored_spent: int
    stored_reserved: int

    @property
    def agree(self) -> bool:
        return (self.spent, self.reserved) == (self.stored_spent, self.stored_reserved)


def sums(study: Study) -> Sums:
    """One aggregate over the study's rows; read it where nothing is under way, or inside a transaction."""
    rows = LedgerEntry.objects.filter(study=study)
    totals = rows.aggregate(
        spent=Sum("cents", filter=Q(kind__in=LedgerEntry.SPENT), default=0),
        reserved=Sum("cents", filter=Q(kind__in=LedgerEntry.RESERVED), default=0),
    )
    held = Study.objects.get(pk=study.pk)
    return Sums(totals["spent"], totals["reserved"], held.spent_cents, held.reserved_cents)


def money_spent(study: Study) -> dict[str, int]:
    """Cents by kind (reward, fee, bonus), from the ledger."""
    paid = LedgerEntry.objects.filter(study=study, kind__in=LedgerEntry.SPENT)
    rows = paid.values_list("kind").annotate(cents=Sum("cents")).order_by()
    return dict(rows)


@dataclass(frozen=True, slots=True)
class Purse:
    """Money of one mode and currency: minor units spent, and reserved."""

    mode: str
    currency: str
    spent_cents: int
    reserved_cents: int


def purses(studies: QuerySet[Study]) -> list[Purse]:
    """What accounts were charged: live studies and rehearsals (play money) apart, and each currency apart."""
    out = Study.objects.filter(pk__in=studies.values("pk")).exclude(mode=Study.Mode.IMPORTED)
    rows = out.order_by("mode", "currency").values_list("mode", "currency")
    sums_by_purse = rows.annotate(spent=Sum("spent_cents"), held=Sum("reserved_cents"))
    return [Purse(mode, currency, int(spent), int(held)) for mode, currency, spent, held in sums_by_purse]


def costly(studies: QuerySet[Study]) -> QuerySet[Study]:
    """The studies that money was spent on, is set aside for or is planned for, newest first."""
    return studies.exclude(mode=Study.Mode.IMPORTED).order_by("-created_at", "-pk")
