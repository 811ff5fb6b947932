"""What Prolific answers, as far as it is used here. Unknown words stay as they came, and unknown fields are named."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from annotation.marketplace.cents import dollars
from annotation.marketplace.prolific.answers import without_ids

Json = Mapping[str, Any]
LONGEST_VALUE = 300
# The fields of a study and of a submission that the public documents name.
STUDY_FIELDS = frozenset(
    (
        *("id", "name", "internal_name", "description", "external_study_url", "prolific_id_option", "status"),
        *("total_available_places", "estimated_completion_time", "maximum_allowed_time", "reward", "completion_codes"),
        *("filters", "filter_set_id", "filter_set_version", "device_compatibility", "peripheral_requirements"),
        *("project", "submissions_config", "study_labels", "content_warnings", "content_warning_details"),
        *("naivety_distribution_rate", "metadata", "is_external_study_url_secure", "access_details", "publish_at"),
        *("published_at", "date_created", "places_taken", "number_of_submissions", "currency_code", "study_type"),
        *("total_cost", "error"),
    )
)
SUBMISSION_FIELDS = frozenset(
    (
        *("id", "participant_id", "participant", "study_id", "status", "started_at", "completed_at", "study_code"),
        *("entered_code", "return_requested", "has_siblings", "reward", "time_taken", "bonus_payments"),
        *("star_awarded", "ip", "strata"),
    )
)


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

    @classmethod
    def of(cls, document: Json) -> AccountRecord:
        return cls(str(document.get("email") or ""), _currency(document))


@dataclass(frozen=True)
class BalanceRecord:
    """What a workspace can spend; `available` None where the answer does not say."""

    currency: str
    available: Minor | None

    @classmethod
    def of(cls, document: Json) -> BalanceRecord:
        amount = _first(document, "available_balance", "available", "balance", "total_balance")
        return cls(_currency(document), None if amount is None else minor_of(amount))


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
    # Fields that the public documents do not name, as JSON without ids.
    unknown: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, row: Json) -> StudyRecord:
        return cls(
            str(row["id"]),
            word_of(row.get("status")),
            str(row.get("internal_name") or ""),
            int(row.get("total_available_places") or 0),
            {name[:100]: _as_text(value) for name, value in row.items() if name not in STUDY_FIELDS},
        )


@dataclass(frozen=True)
class CostRecord:
    """What a study has cost: rewards and bonuses, and fees with tax. None: the answer does not say.

    The public documents do not name the parts of this answer.
    """

    amount: Minor | None
    fees: Minor | None

    @classmethod
    def of(cls, document: Json) -> CostRecord:
        parts = [part for part in (document.get("rewards"), document.get("bonuses")) if isinstance(part, Mapping)]
        known = [cls._part(part) for part in parts or [document]]
        if any(part.fees is None for part in known):
            return cls(None, None)
        return cls(
            Minor(sum(part.amount.units for part in known if part.amount)),
            Minor(sum(part.fees.units for part in known if part.fees)),
        )

    @classmethod
    def _part(cls, part: Json) -> CostRecord:
        amount, total = _first(part, "amount", "rewards", "reward"), _first(part, "total_amount", "total_cost", "total")
        fees, tax = _first(part, "fees", "fee"), _first(part, "vat", "tax")
        if fees is not None:
            return cls(minor_of(amount), minor_of(fees) + minor_of(tax))
        if amount is None or total is None:
            return cls(None, None)
        return cls(minor_of(amount), Minor(max(0, minor_of(total).units - minor_of(amount).units)))


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
    # None: what was paid cannot be read.
    bonuses: Minor | None
    # Names of fields that the public documents do not name. Their values can say who somebody is, and are not read.
    unknown: frozenset[str] = frozenset()

    @classmethod
    def of(cls, row: Json) -> SessionRecord:
        person = row.get("participant_id") or row.get("participant") or ""
        return cls(
            session_id=str(row["id"]),
            participant_id=str(person.get("id", "") if isinstance(person, Mapping) else person),
            status=word_of(row.get("status")),
            code=str(row.get("study_code") or row.get("entered_code") or "")[:100],
            started_at=_moment(row.get("started_at")),
            completed_at=_moment(row.get("completed_at")),
            return_requested_at=_moment(row.get("return_requested")),
            bonuses=_sum_bonuses(row.get("bonus_payments")),
            unknown=frozenset(name[:100] for name in row if name not in SUBMISSION_FIELDS),
        )


@dataclass(frozen=True)
class BonusBatchRecord:
    """Bonuses that Prolific knows and has not paid."""

    batch_id: str
    amount: Minor
    fees: Minor

    @classmethod
    def of(cls, document: Json) -> BonusBatchRecord:
        fees = minor_of(document.get("fees")) + minor_of(document.get("vat"))
        return cls(str(document["id"]), minor_of(document.get("amount")), fees)


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
        key = str(row.get("filter_id") or row.get("id") or "")
        return cls(
            filter_id=key,
            title=str(row.get("title") or row.get("name") or key),
            description=str(row.get("description") or ""),
            kind=str(row.get("type") or "").lower(),
            choices=_choices(row.get("choices")),
            lowest=_number(row.get("min")),
            highest=_number(row.get("max")),
        )


def _choices(value: Any) -> tuple[tuple[str, str], ...]:
    """The choices of a filter, id and label: an object, a list of objects, or a list of words."""
    if isinstance(value, Mapping):
        return tuple((str(key), str(label)) for key, label in value.items())
    pairs = []
    for row in value if isinstance(value, list) else []:
        named = row if isinstance(row, Mapping) else {"id": row, "label": row}
        key = _first(named, "id", "value", "key")
        label = _first(named, "label", "name", "title", "value")
        pairs.append((str(key), str(label if label is not None else key)))
    return tuple(pairs)


# Words for a status, each as it is used here, by its letters.
STATUSES = {
    "".join(filter(str.isalpha, word)): word
    for word in (
        *("UNPUBLISHED", "PUBLISHING", "SCHEDULED", "PAUSED", "COMPLETED", "RESERVED", "ACTIVE", "TIMED-OUT"),
        *("AWAITING REVIEW", "APPROVED", "RETURNED", "REJECTED", "SCREENED OUT", "PARTIALLY APPROVED"),
    )
}


def word_of(status: Any) -> str:
    """A status however its words are joined ("AWAITING_REVIEW"); one that is not known as it came, in 40 characters."""
    text = str(status or "")
    return STATUSES.get("".join(filter(str.isalpha, text.upper())), text[:40])


def count_of(document: Json) -> int:
    """How many people an answer counts."""
    return int(_first(document, "count", "eligible_count", "total") or 0)


def total_of(document: Json) -> Minor:
    """The total of a price. Raises ValueError where there is none: nothing may be published unpriced."""
    total = _first(document, "total_cost", "total_amount", "total")
    if total is None:
        raise ValueError("no total")
    return minor_of(total)


def id_of(document: Json) -> str:
    """The id of what was created."""
    return str(document["id"])


def secret_of(document: Json) -> str:
    """What hooks are signed with. Raises KeyError where there is nothing."""
    secret = _first(document, "value", "secret")
    if not secret:
        raise KeyError("value")
    return str(secret)


def _as_text(value: Any) -> str:
    """What an unknown field holds, shortened, without the ids of people."""
    return without_ids(json.dumps(value, ensure_ascii=False))[:LONGEST_VALUE]


def _first(document: Json, *names: str) -> Any:
    """The first of these members that is there."""
    return next((document[name] for name in names if document.get(name) is not None), None)


def _currency(document: Json) -> str:
    return str(_first(document, "currency_code", "currency") or "")[:3].upper()


def minor_of(value: Any) -> Minor:
    """An amount as Prolific's JSON has it: whole minor units; nothing is 0. Raises ValueError for a fraction."""
    if value is None:
        return Minor(0)
    number = float(value)
    if not math.isfinite(number) or number != int(number):
        raise ValueError(f"an amount is a whole number of minor units, not {value!r}")
    return Minor(max(0, int(number)))


def _sum_bonuses(value: Any) -> Minor | None:
    """The sum of the bonuses of a submission: a list of minor units, or of objects that have an amount."""
    rows = value if isinstance(value, list) else [] if value is None else [value]
    amounts = [row.get("amount") if isinstance(row, Mapping) else row for row in rows]
    try:
        return Minor(sum(minor_of(amount).units for amount in amounts))
    except (TypeError, ValueError):
        return None


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
