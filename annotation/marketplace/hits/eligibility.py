"""What a worker may do with a HIT: find it, preview it, accept it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.conf import settings
from django.db.models import QuerySet

from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.models import HitType, QualificationGrant, QualificationType, WorkerAccount
from annotation.marketplace.qualifications.requirements import (
    ADULT,
    HITS_APPROVED,
    LOCALE,
    MASTERS,
    MASTERS_PRODUCTION,
    MASTERS_SANDBOX,
    PERCENT_APPROVED,
    SYSTEM_TYPES,
    Requirement,
    Value,
    held_against,
    met,
)

# Below this number of handed-in assignments everybody counts as 100 % approved.
PERCENT_FROM = 100


@dataclass(frozen=True)
class Eligibility:
    """What a worker may do with HITs of a type, what it requires, which of it is not met, and the worker's values.

    The value of a type that the worker does not have is None.
    """

    discover: bool
    preview: bool
    accept: bool
    unmet: tuple[Requirement, ...]
    values: Mapping[str, Value] = field(default_factory=dict)
    requirements: tuple[Requirement, ...] = ()


def assess_worker(worker: WorkerAccount, hit_type: HitType) -> Eligibility:
    """Compare `worker` with the requirements of `hit_type` that are held against such a person."""
    requirements = held_against(hit_type.requirements, invited=worker.channel_id is not None)
    values = values_of(worker, (row["QualificationTypeId"] for row in requirements))
    return assess_values(values, requirements)


def assess_values(values: Mapping[str, Value], requirements: Sequence[Requirement]) -> Eligibility:
    """Compare a worker's `values` with `requirements`. No database in here."""
    unmet = tuple(row for row in requirements if not met(row, values.get(row["QualificationTypeId"])))
    guards = {row["ActionsGuarded"] for row in unmet}
    return Eligibility(
        discover="DiscoverPreviewAndAccept" not in guards,
        preview=guards <= {"Accept"},
        accept=not unmet,
        unmet=unmet,
        values={row["QualificationTypeId"]: values.get(row["QualificationTypeId"]) for row in requirements},
        requirements=tuple(requirements),
    )


def values_of(worker: WorkerAccount, type_ids: Iterable[str]) -> dict[str, Value]:
    """The values of `worker` for qualification types; a type the worker does not have is absent."""
    values = _system_values(worker)
    if custom := set(type_ids) - SYSTEM_TYPES:
        values.update(_granted(worker).filter(qualification_type__type_id__in=custom))
    return values


def all_values(worker: WorkerAccount) -> dict[str, Value]:
    """Everything that `worker` has: the system's values and every score."""
    return _system_values(worker) | dict(_granted(worker))


def _granted(worker: WorkerAccount) -> QuerySet[QualificationGrant, tuple[str, int]]:
    rows = QualificationGrant.objects.filter(worker=worker, status=QualificationGrant.Status.GRANTED)
    return rows.values_list("qualification_type__type_id", "value")


def _system_values(worker: WorkerAccount) -> dict[str, Value]:
    values: dict[str, Value] = {HITS_APPROVED: worker.approved_count, PERCENT_APPROVED: percent_approved(worker)}
    values[ADULT] = int(worker.adult)
    if worker.country:
        values[LOCALE] = (worker.country, worker.subdivision)
    if worker.masters:
        values.update(dict.fromkeys(MASTERS, 1))
    return values


def percent_approved(worker: WorkerAccount) -> int:
    """Whole percent of decided assignments that were approved, rounded down; 100 below 100 submitted."""
    decided = worker.approved_count + worker.rejected_count
    if worker.submitted_count < PERCENT_FROM or not decided:
        return 100
    return 100 * worker.approved_count // decided


def assess_newcomer(requirements: Sequence[Requirement], others: Sequence[WorkerAccount] = ()) -> Eligibility:
    """Return what a new participant of an invitation may do: they have no values of their own.

    Args:
        others: whom the requester knows the same person as. What must be absent must be absent from them, too, and what
            must be there may be theirs.
    """
    held = {row["QualificationTypeId"] for row in requirements if row["Comparator"] in ("DoesNotExist", "Exists")}
    values: dict[str, Value] = {ADULT: 0}
    for other in others if held else ():
        values.update(_granted(other).filter(qualification_type__type_id__in=held))
    return assess_values(values, held_against(requirements, invited=True))


def count_qualified(requirements: Sequence[Requirement]) -> tuple[int, int]:
    """How many accounts could work, and how many of them meet `requirements`; invited people are not counted."""
    accounts = qualified = 0
    types = [row["QualificationTypeId"] for row in requirements]
    for worker in WorkerAccount.objects.filter(active=True, closed_at=None, channel=None).iterator():
        accounts += 1
        qualified += assess_values(values_of(worker, types), requirements).accept
    return accounts, qualified


def check_types_exist(requirements: Iterable[Requirement]) -> None:
    """Every type must be a system type of this site (one Masters id in development, the other outside) or a row.

    Raises RequestRefusedError (QualificationTypeDoesNotExist).
    """
    foreign = MASTERS_PRODUCTION if settings.MARKETPLACE_DEVELOPMENT else MASTERS_SANDBOX
    type_ids = {row["QualificationTypeId"] for row in requirements}
    custom = type_ids - (SYSTEM_TYPES - {foreign})
    if not custom:
        return
    rows = QualificationType.objects.filter(type_id__in=custom, deleted_at=None)
    missing = custom - set(rows.values_list("type_id", flat=True))
    if missing:
        raise RequestRefusedError("QualificationTypeDoesNotExist", f"QualificationType {min(missing)} does not exist.")


def asks_for_masters(requirements: Iterable[Requirement]) -> bool:
    """Whether HITs with `requirements` bear the Masters surcharge."""
    return any(row["QualificationTypeId"] in MASTERS and row["Comparator"] != "DoesNotExist" for row in requirements)
