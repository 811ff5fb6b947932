"""Why a worker may not accept a task, in words: each requirement, their value, and what they can do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.marketplace.hits.eligibility import Eligibility
from annotation.marketplace.models import QualificationType
from annotation.marketplace.qualifications.requirements import (
    ADULT,
    HITS_APPROVED,
    LOCALE,
    MASTERS,
    PERCENT_APPROVED,
    SYSTEM_TYPES,
    Requirement,
    Value,
)

# Between the name of a qualification and its score; signs need no translation.
SIGNS = {
    "LessThan": "<", "LessThanOrEqualTo": "≤", "GreaterThan": ">", "GreaterThanOrEqualTo": "≥", "EqualTo": "=",
    "NotEqualTo": "≠", "In": "∈", "NotIn": "∉",
}  # fmt: skip


@dataclass(frozen=True)
class Reason:
    """A sentence on a requirement and the person's value; `advice` on what they can do, "" where nothing is known.

    `country`: stating a country may help.
    """

    sentence: str
    advice: str = ""
    country: bool = False


def reasons_of(eligibility: Eligibility) -> list[Reason]:
    """One reason for each requirement that is not met."""
    return reasons_of_all([eligibility])[0]


def reasons_of_all(eligibilities: Sequence[Eligibility]) -> list[list[Reason]]:
    """The same for several, in one query at most."""
    types = _types(row for eligibility in eligibilities for row in eligibility.unmet)
    return [[_reason(row, eligibility.values, types) for row in eligibility.unmet] for eligibility in eligibilities]


def _types(rows: Iterable[Requirement]) -> dict[str, QualificationType]:
    custom = {row["QualificationTypeId"] for row in rows} - SYSTEM_TYPES
    if not custom:
        return {}
    return {
        qualification_type.type_id: qualification_type
        for qualification_type in QualificationType.objects.filter(type_id__in=custom, deleted_at=None)
    }


def _reason(row: Requirement, values: Mapping[str, Value], types: Mapping[str, QualificationType]) -> Reason:
    type_id, comparator = row["QualificationTypeId"], row["Comparator"]
    value = values.get(type_id)
    if type_id == LOCALE:
        return _of_country(row, value)
    if type_id == HITS_APPROVED and isinstance(value, int) and comparator in {"GreaterThan", "GreaterThanOrEqualTo"}:
        return _of_approved(comparator, row["IntegerValues"][0], value)
    if type_id == PERCENT_APPROVED and isinstance(value, int) and comparator in {"GreaterThan", "GreaterThanOrEqualTo"}:
        return _of_percent(comparator, row["IntegerValues"][0], value)
    if type_id == ADULT:
        return Reason(_("Requires an account that may see adult content; yours may not."))
    if comparator == "DoesNotExist":
        return _of_held(types.get(type_id))
    name = _name(type_id, types)
    if value is None or comparator == "Exists":
        return Reason(_("Requires the qualification “%(name)s”; you do not have it.") % {"name": name})
    facts = {"name": name, "sign": SIGNS[comparator], "values": _listed(row), "own": value}
    return Reason(_("Requires “%(name)s” %(sign)s %(values)s; you have %(own)s.") % facts)


def _name(type_id: str, types: Mapping[str, QualificationType]) -> str:
    if type_id == HITS_APPROVED:
        return _("approved tasks")
    if type_id == PERCENT_APPROVED:
        return _("approval rate (%)")
    if type_id in MASTERS:
        return "Masters"
    return types[type_id].name if type_id in types else type_id


def _listed(row: Requirement) -> str:
    return ", ".join(map(str, row["IntegerValues"]))


def _of_approved(comparator: str, minimum: int, count: int) -> Reason:
    if comparator == "GreaterThan":
        sentence = ngettext(
            "Requires more than %(least)d approved task; you have %(own)d.",
            "Requires more than %(least)d approved tasks; you have %(own)d.",
            minimum,
        )
    else:
        sentence = ngettext(
            "Requires at least %(least)d approved task; you have %(own)d.",
            "Requires at least %(least)d approved tasks; you have %(own)d.",
            minimum,
        )
    return Reason(sentence % {"least": minimum, "own": count}, _("Tasks without this requirement count towards it."))


def _of_percent(comparator: str, minimum: int, percent: int) -> Reason:
    if comparator == "GreaterThan":
        sentence = _("Requires an approval rate above %(least)d%%; yours is %(own)d%%.")
    else:
        sentence = _("Requires an approval rate of at least %(least)d%%; yours is %(own)d%%.")
    return Reason(sentence % {"least": minimum, "own": percent}, _("Tasks without this requirement count towards it."))


def _of_country(row: Requirement, place_of_worker: Value) -> Reason:
    places = ", ".join(
        "-".join(filter(None, (place["Country"].upper(), place.get("Subdivision", "").upper())))
        for place in row.get("LocaleValues", ())
    )
    if not isinstance(place_of_worker, tuple):
        sentence = _("Requires a stated country (%(places)s); you have not stated where you live.")
        if row["Comparator"] in {"NotEqualTo", "NotIn"}:
            sentence = _("Requires a stated country other than %(places)s; you have not stated where you live.")
        return Reason(sentence % {"places": places}, country=True)
    facts = {"places": places, "own": "-".join(filter(None, place_of_worker))}
    if row["Comparator"] in {"NotEqualTo", "NotIn"}:
        return Reason(_("Not open to people in %(places)s; you have stated %(own)s.") % facts)
    return Reason(_("Open to people in %(places)s only; you have stated %(own)s.") % facts)


def _of_held(held: QualificationType | None) -> Reason:
    if held is not None and held.once:
        return Reason(_("You have already taken part. Each person takes part once."))
    if held is not None and held.description:
        # How studies say that others are asked this time, or who they are looking for.
        return Reason(_("Not open to you. The requester says: %(words)s") % {"words": held.description})
    return Reason(_("Not open to people with a qualification that you have."))
