"""Qualification requirements: their documented rules, and whether a worker's value meets one. No database in here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.marketplace.errors import InvalidParameterError

HITS_APPROVED = "00000000000000000040"
PERCENT_APPROVED = "000000000000000000L0"
LOCALE = "00000000000000000071"
ADULT = "00000000000000000060"
MASTERS_PRODUCTION = "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"
MASTERS_SANDBOX = "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"
MASTERS = frozenset({MASTERS_PRODUCTION, MASTERS_SANDBOX})
SYSTEM_NAMES = {
    HITS_APPROVED: "Worker_NumberHITsApproved",
    PERCENT_APPROVED: "Worker_PercentAssignmentsApproved",
    LOCALE: "Worker_Locale",
    ADULT: "Worker_Adult",
    MASTERS_PRODUCTION: "Masters",
    MASTERS_SANDBOX: "Masters (sandbox)",
}
SYSTEM_TYPES = frozenset(SYSTEM_NAMES)
# What an account has gathered or stated on a marketplace. Invited people have no account, so it is not known of them.
HISTORY = frozenset({HITS_APPROVED, PERCENT_APPROVED, LOCALE})

ORDERING = frozenset({"LessThan", "LessThanOrEqualTo", "GreaterThan", "GreaterThanOrEqualTo"})
LOCALE_COMPARATORS = frozenset({"EqualTo", "NotEqualTo", "In", "NotIn"})
MAX_INTEGERS = 15
MAX_LOCALES = 30

Requirement = dict[str, Any]
# A worker's value for a type: a score, a locale as (country, subdivision), or None when the worker has none.
Value = int | tuple[str, str] | None


def normalised(requirement: Requirement) -> Requirement:
    """`requirement` as it is stored and shown, checked against the documented rules.

    Raises InvalidParameterError naming the rule.
    """
    _check_values(requirement)
    guarded, preview = requirement.get("ActionsGuarded"), requirement.get("RequiredToPreview")
    if guarded is not None and preview is not None:
        raise InvalidParameterError(
            "A QualificationRequirement may hold RequiredToPreview or ActionsGuarded, not both."
        )
    actions = guarded or ("PreviewAndAccept" if preview else "Accept")
    return {**requirement, "ActionsGuarded": actions, "RequiredToPreview": actions != "Accept"}


def _check_values(requirement: Requirement) -> None:
    comparator, type_id = requirement["Comparator"], requirement["QualificationTypeId"]
    integers, locales = requirement.get("IntegerValues") or [], requirement.get("LocaleValues") or []
    if type_id == LOCALE:
        if comparator not in LOCALE_COMPARATORS or integers:
            raise InvalidParameterError(
                "Worker_Locale takes LocaleValues with EqualTo, NotEqualTo, In or NotIn; "
                f"the requirement has {comparator} and {len(integers)} IntegerValues."
            )
    elif locales:
        raise InvalidParameterError(f"LocaleValues belong to Worker_Locale only, not to {type_id}.")
    if any(locale.get("Subdivision") and locale["Country"].upper() != "US" for locale in locales):
        raise InvalidParameterError("A Subdivision can be given for the country US only.")
    _check_number_of_values(comparator, integers, locales)


def _check_number_of_values(comparator: str, integers: Sequence[Any], locales: Sequence[Any]) -> None:
    count = len(integers) + len(locales)
    if comparator in {"Exists", "DoesNotExist"}:
        if count:
            raise InvalidParameterError(f"The comparator {comparator} takes no values; {count} are given.")
    elif comparator in {"In", "NotIn"}:
        max_values = MAX_LOCALES if locales else MAX_INTEGERS
        if not 1 <= count <= max_values:
            raise InvalidParameterError(
                f"The comparator {comparator} takes 1 to {max_values} values; {count} are given."
            )
    elif count != 1:
        raise InvalidParameterError(f"The comparator {comparator} takes exactly one value; {count} are given.")


def met(requirement: Requirement, value: Value) -> bool:
    """Whether a worker with `value` meets `requirement`. Who has no value meets DoesNotExist only."""
    comparator = requirement["Comparator"]
    if comparator == "DoesNotExist":
        return value is None
    if value is None:
        return False
    if comparator == "Exists":
        return True
    if isinstance(value, tuple):
        matches = any(_same_place(locale, value) for locale in requirement["LocaleValues"])
        return matches is (comparator in {"EqualTo", "In"})
    return _compared(comparator, value, requirement["IntegerValues"])


def _same_place(locale: dict[str, str], place: tuple[str, str]) -> bool:
    country, subdivision = place
    required_subdivision = locale.get("Subdivision", "").upper()
    return locale["Country"].upper() == country and required_subdivision in {"", subdivision}


def _compared(comparator: str, value: int, required_values: Sequence[int]) -> bool:
    first = required_values[0]
    return {
        "LessThan": value < first,
        "LessThanOrEqualTo": value <= first,
        "GreaterThan": value > first,
        "GreaterThanOrEqualTo": value >= first,
        "EqualTo": value == first,
        "NotEqualTo": value != first,
        "In": value in required_values,
        "NotIn": value not in required_values,
    }[comparator]


def held_against(requirements: Sequence[Requirement], *, invited: bool) -> list[Requirement]:
    """Those of `requirements` that are compared with a person at all.

    A history (tasks approved, share approved, country) exists where there is an account: every account is compared
    with all requirements, as on Mechanical Turk, a new one with zero tasks. Who comes by an invitation has no account
    here; whether they fit was decided by whoever invited them, so the requirements of history are not theirs to meet.
    """
    return [row for row in requirements if not (invited and row["QualificationTypeId"] in HISTORY)]
