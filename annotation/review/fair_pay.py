"""Fair pay: what the median worker of an arm earns by the hour, and the difference to a floor paid as bonuses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation import ledger
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Intent, Study, Submission
from annotation.review import wages as review_wages

OCCASION = "fair pay"
REASON = "The work took longer than we had planned: this brings its pay to what we promise."


@dataclass(frozen=True, slots=True)
class Raise:
    """Bonuses intended, their cents (without fees), and cents reserved for them with fees."""

    bonuses: int
    cents: int
    reserved_cents: int


def raise_pay(study: Study, *, floor_cents: int | None, actor: str, now: datetime) -> Raise:
    """Intend, for every approved submission of each arm below the floor, the difference that its median worker misses.

    Every worker of an arm gets the same, so that nobody gains by being slow. Again, it pays only what is still missing.
    Raises StateError where no floor is set or no time was measured, BudgetError when the budget does not cover it.
    """
    if floor_cents is None:
        raise StateError(f"Enter the minimum pay per hour in {study.currency}: none is set.").at("floor")
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        arm_wages = review_wages.arm_wages(locked, floor_cents=floor_cents)
        if not arm_wages:
            raise StateError(f"No work of {study.name} has a measured time yet.")
        lacking = {wage.arm: wage.lacking_cents for wage in arm_wages if wage.lacking_cents > 0}
        bonuses = _due(locked, lacking)
        reserved = ledger.promise_bonuses(locked, bonuses, occasion=OCCASION, reason=REASON, now=now)
        cents = sum(amount for _, amount in bonuses)
        if bonuses:
            AuditEvent.objects.record(
                study, "raise_pay", actor=actor, now=now, bonuses=len(bonuses), cents=cents, floor_cents=floor_cents
            )
    return Raise(len(bonuses), cents, reserved)


def _due(study: Study, lacking: dict[int, int]) -> list[tuple[Submission, int]]:
    """What each submission still lacks."""
    paid: Counter[int] = Counter()
    rows = study.intents.filter(kind=Intent.Kind.BONUS).exclude(state=Intent.State.DROPPED)
    for subject, details in rows.values_list("subject", "details"):
        if details.get("occasion") == OCCASION:
            paid[subject] += int(details["cents"])
    approved = Submission.objects.filter(
        hit__study=study, hit__cell__arm__in=lacking, decisions__matter="payment", decisions__verdict="approve"
    )
    rows_due = (
        (submission, lacking[submission.hit.cell.arm_id] - paid[submission.pk])
        for submission in approved.select_related("hit__cell").order_by("pk")
    )
    return [(submission, cents) for submission, cents in rows_due if cents > 0]
