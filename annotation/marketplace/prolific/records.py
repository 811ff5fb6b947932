"""What Prolific answers, as far as it is used here. Unknown fields are ignored, unknown words stay as they came."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.marketplace.cents import dollars

Json = Mapping[str, Any]


@dataclass(frozen=True, order=True)
class Minor:
    """An amount in minor units (cents, pence). Not a number: amounts in whole units cannot be taken for it."""

    units: int

    def __post_init__(self) -> None:
        if type(self.units) is not int or self.units < 0:
            raise TypeError(f"an amount is a whole number of minor units, not {self.units!r}")

    def __add__(self, other: Minor) -> Minor:
        if not isinstance(other, Minor):
            return NotImplemented
        return Minor(self.units + other.units)

    def as_decimal(self, currency: str) -> str:
        """The amount in whole units with decimals, as the lines of bonuses alone are written."""
        return dollars(self.units, currency)


@dataclass(frozen=True)
class AccountRecord:
    """Whose token it is."""

    email: str
    currency: str


@dataclass(frozen=True)
class WorkspaceRecord:
    """A workspace with its balance and projects (id, title)."""

    workspace_id: str
    title: str
    currency: str
    available: Minor | None
    projects: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class StudyRecord:
    """A study; `status` is Prolific's own word."""

    study_id: str
    status: str
    internal_name: str
    places: int

    @classmethod
    def of(cls, row: Json) -> StudyRecord:
        return cls(
            str(row["id"]),
            str(row.get("status") or ""),
            str(row.get("internal_name") or ""),
            int(row.get("total_available_places") or 0),
        )


@dataclass(frozen=True)
class CostRecord:
    """What a study has cost: rewards and bonuses, and fees with tax."""

    amount: Minor
    fees: Minor

    @classmethod
    def of(cls, document: Json) -> CostRecord:
        parts = [part for part in (document.get("rewards"), document.get("bonuses")) if isinstance(part, Mapping)]
        amount = sum(minor_of(part.get("amount")).units for part in parts)
        fees = sum(minor_of(part.get("fees")).units + minor_of(part.get("vat")).units for part in parts)
        return cls(Minor(amount), Minor(fees))


@dataclass(frozen=True)
class SessionRecord:
    """A person's submission. What says where and who people are (address, demographics) is not read."""

    session_id: str
    participant_id: str
    status: str
    code: str
    started_at: datetime | None
    completed_at: datetime | None
    return_requested_at: datetime | None
    bonuses: Minor

    @classmethod
    def of(cls, row: Json) -> SessionRecord:
        person = row.get("participant_id") or row.get("participant") or ""
        return cls(
            session_id=str(row["id"]),
            participant_id=str(person.get("id", "") if isinstance(person, Mapping) else person),
            status=str(row.get("status") or ""),
            code=str(row.get("study_code") or row.get("entered_code") or "")[:100],
            started_at=_moment(row.get("started_at")),
            completed_at=_moment(row.get("completed_at")),
            return_requested_at=_moment(row.get("return_requested")),
            bonuses=_sum_bonuses(row.get("bonus_payments")),
        )


@dataclass(frozen=True)
class BonusBatchRecord:
    """Bonuses that Prolific knows and has not paid."""

    batch_id: str
    amount: Minor
    fees: Minor


@dataclass(frozen=True)
class BonusLine:
    """A bonus for the person of one submission."""

    session_id: str
    amount: Minor


@dataclass(frozen=True)
class FilterRecord:
    """A filter of Prolific's list. `kind` is select, range, or a word that is not known yet."""

    filter_id: str
    title: str
    description: str
    kind: str
    choices: tuple[tuple[str, str], ...]
    lowest: float | None
    highest: float | None

    @classmethod
    def of(cls, row: Json) -> FilterRecord:
        choices = row.get("choices")
        pairs = tuple((str(key), str(label)) for key, label in choices.items()) if isinstance(choices, Mapping) else ()
        return cls(
            filter_id=str(row.get("filter_id") or ""),
            title=str(row.get("title") or row.get("filter_id") or ""),
            description=str(row.get("description") or ""),
            kind=str(row.get("type") or ""),
            choices=pairs,
            lowest=_number(row.get("min")),
            highest=_number(row.get("max")),
        )


def minor_of(value: Any) -> Minor:
    """An amount as Prolific's JSON has it: whole minor units; nothing is 0. Raises ValueError for a fraction."""
    if value is None:
        return Minor(0)
    number = float(value)
    if number != int(number):
        raise ValueError(f"an amount is a whole number of minor units, not {value!r}")
    return Minor(max(0, int(number)))


def _sum_bonuses(value: Any) -> Minor:
    """The sum of the bonuses of a submission: a list of minor units, or of objects that have an amount."""
    rows = value if isinstance(value, list) else []
    amounts = [row.get("amount") if isinstance(row, Mapping) else row for row in rows]
    return Minor(sum(minor_of(amount).units for amount in amounts))


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _moment(value: Any) -> datetime | None:
    if not isinstance(value, str) or not value:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo else None
