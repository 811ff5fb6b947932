"""What a task requires, in words: each requirement, the worker's own value, and what they can do if it is not met."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.marketplace.hits import catalogue
from annotation.marketplace.hits.eligibility import Eligibility
from annotation.marketplace.models import HitType, QualificationType, WorkerAccount
from annotation.marketplace.qualifications.requests import AskStatus, ask_statuses
from annotation.marketplace.qualifications.requirements import (
    ADULT,
    HITS_APPROVED,
    LOCALE,
    MASTERS,
    PERCENT_APPROVED,
    SYSTEM_TYPES,
    Requirement,
    Value,
    met,
)

LOWER_BOUNDS = frozenset({"GreaterThan", "GreaterThanOrEqualTo"})

# Between the name of a qualification and its score; signs need no translation.
SIGNS = {
    "LessThan": "<", "LessThanOrEqualTo": "≤", "GreaterThan": ">", "GreaterThanOrEqualTo": "≥", "EqualTo": "=",
    "NotEqualTo": "≠", "In": "∈", "NotIn": "∉",
}  # fmt: skip


@dataclass(frozen=True)
class Reason:
    """A sentence on a requirement and the person's value, whether it is met, and what they can do if not.

    advice: a sentence, "" where it is met or nothing is known of the person; `again_at`: from when they can ask.
    address, label: of the page where they can do it; "" without one.
    """

    sentence: str
    is_met: bool = False
    advice: str = ""
    again_at: datetime | None = None
    address: str = ""
    label: str = ""


@dataclass(frozen=True)
class _Known:
    """What the sentences need: the types by their ids, and of the person's own what they may ask for."""

    types: Mapping[str, QualificationType]
    statuses: Mapping[int, AskStatus]


def reasons_of(eligibility: Eligibility) -> list[Reason]:
    """One sentence for each requirement that is not met, without advice: for people who have no account."""
    known = _Known(_types(eligibility.unmet), {})
    values = eligibility.values
    return [Reason(_sentence(row, values.get(row["QualificationTypeId"]), known)) for row in eligibility.unmet]


def reason_of_series(begun: HitType, worker: WorkerAccount, *, now: datetime) -> Reason:
    """For an account that has begun `begun`, and with it one study of a series: they may go on with that one."""
    reason = Reason(_("You have begun “%(title)s”.") % {"title": begun.title})
    rows = catalogue.untaken(worker, now).filter(hit_type__requester=begun.requester_id, hit_type__study=begun.study)
    # Without a study of its own, only the type itself is known to belong to what was begun.
    back = (rows if begun.study else rows.filter(hit_type=begun)).order_by("pk").first()
    if back is None:
        return replace(reason, advice=_("It is not open now. Choose another task."))
    return replace(reason, address=reverse("hits:preview", args=[back.hit_id]), label=_("Go back to it"))


def requirements_of(eligibility: Eligibility, worker: WorkerAccount, *, now: datetime) -> list[Reason]:
    """Each requirement with the account's own value and, where it is not met, what they can do."""
    return requirements_of_all([eligibility], worker, now=now)[0]


def requirements_of_all(
    eligibilities: Sequence[Eligibility], worker: WorkerAccount, *, now: datetime
) -> list[list[Reason]]:
    """The same for several, in four queries at most."""
    types = _types(row for eligibility in eligibilities for row in eligibility.requirements)
    lacking = {row["QualificationTypeId"] for eligibility in eligibilities for row in eligibility.unmet}
    known = _Known(types, ask_statuses([types[name] for name in sorted(lacking & types.keys())], worker, now))
    return [
        [
            _with_advice(row, eligibility.values.get(row["QualificationTypeId"]), known)
            for row in eligibility.requirements
        ]
        for eligibility in eligibilities
    ]


def _types(rows: Iterable[Requirement]) -> dict[str, QualificationType]:
    custom = {row["QualificationTypeId"] for row in rows} - SYSTEM_TYPES
    if not custom:
        return {}
    return {
        qualification_type.type_id: qualification_type
        for qualification_type in QualificationType.objects.filter(type_id__in=custom, deleted_at=None)
    }


def _sentence(row: Requirement, value: Value, known: _Known) -> str:
    type_id, comparator = row["QualificationTypeId"], row["Comparator"]
    if type_id == LOCALE:
        return _of_country(row, value)
    if type_id == HITS_APPROVED and isinstance(value, int) and comparator in LOWER_BOUNDS:
        return _of_approved(comparator, row["IntegerValues"][0], value)
    if type_id == PERCENT_APPROVED and isinstance(value, int) and comparator in LOWER_BOUNDS:
        return _of_percent(comparator, row["IntegerValues"][0], value)
    if type_id == ADULT and met(row, 1) and not met(row, 0):
        if met(row, value):
            return _("Requires an account that may see adult content; yours may.")
        return _("Requires an account that may see adult content; yours may not.")
    if comparator == "DoesNotExist":
        return _of_absent(known.types.get(type_id), is_held=value is not None)
    name = _name(type_id, known.types)
    if value is None:
        return _("Requires the qualification “%(name)s”; you do not have it.") % {"name": name}
    if comparator == "Exists":
        return _("Requires the qualification “%(name)s”; you have it.") % {"name": name}
    facts = {"name": name, "sign": SIGNS[comparator], "values": _listed(row), "own": value}
    return _("Requires “%(name)s” %(sign)s %(values)s; you have %(own)s.") % facts


def _with_advice(row: Requirement, value: Value, known: _Known) -> Reason:
    """The sentence and what an account can do to meet the requirement: a page, a time, other tasks, or nothing."""
    reason = Reason(_sentence(row, value, known), met(row, value))
    if reason.is_met:
        return reason
    type_id, comparator = row["QualificationTypeId"], row["Comparator"]
    nothing = _("You cannot change this. Choose another task.")
    if type_id in {HITS_APPROVED, PERCENT_APPROVED}:
        counts = comparator in LOWER_BOUNDS
        return replace(reason, advice=_("Tasks without this requirement count towards it.") if counts else nothing)
    if type_id == LOCALE:
        return _with_country_advice(reason, value)
    if type_id == ADULT or type_id in MASTERS:
        return replace(reason, advice=_("The people who run this site decide this. Choose another task."))
    qualification_type = known.types.get(type_id)
    if qualification_type is None or comparator == "DoesNotExist":
        return replace(reason, advice=nothing)
    return _with_request(row, reason, qualification_type, known.statuses[qualification_type.pk])


def _with_country_advice(reason: Reason, place: Value) -> Reason:
    if isinstance(place, tuple):
        return replace(reason, advice=_("Choose another task."))
    return replace(reason, address=reverse("hits:account"), label=_("State where you live"))


def _with_request(row: Requirement, reason: Reason, lacking_type: QualificationType, status: AskStatus) -> Reason:
    """What can be done to get the qualification `lacking_type`, or a better score in it."""
    page = reverse("hits:qualification", args=[lacking_type.type_id])
    if status.under_way:
        return replace(reason, address=page, label=_("Go on with the test"))
    if status.reason == "waiting":
        return replace(reason, advice=_("You have asked for it. The requester will decide."))
    if status.reason == "asked" and status.again_at is not None:
        return replace(reason, advice=_("You can ask for it again from:"), again_at=status.again_at)
    if status.reason == "asked":
        return replace(
            reason, advice=_("You have asked for it or taken its test, and cannot again. Choose another task.")
        )
    # What everybody who asks is given may be too little.
    value = lacking_type.auto_granted_value if lacking_type.auto_granted and not lacking_type.test else None
    if status.reason or (value is not None and not met(row, value)):
        return replace(reason, advice=_("Only the requester can give you this. Choose another task."))
    if lacking_type.test:
        return replace(reason, address=page, label=_("Take the test for “%(name)s”") % {"name": lacking_type.name})
    return replace(reason, address=page, label=_("Ask for the qualification “%(name)s”") % {"name": lacking_type.name})


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


def _of_approved(comparator: str, minimum: int, count: int) -> str:
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
    return sentence % {"least": minimum, "own": count}


def _of_percent(comparator: str, minimum: int, percent: int) -> str:
    if comparator == "GreaterThan":
        sentence = _("Requires an approval rate above %(least)d%%; yours is %(own)d%%.")
    else:
        sentence = _("Requires an approval rate of at least %(least)d%%; yours is %(own)d%%.")
    return sentence % {"least": minimum, "own": percent}


def _of_country(row: Requirement, place_of_worker: Value) -> str:
    places = ", ".join(
        "-".join(filter(None, (place["Country"].upper(), place.get("Subdivision", "").upper())))
        for place in row.get("LocaleValues", ())
    )
    if not isinstance(place_of_worker, tuple):
        sentence = _("Requires a stated country (%(places)s); you have not stated where you live.")
        if row["Comparator"] in {"NotEqualTo", "NotIn"}:
            sentence = _("Requires a stated country other than %(places)s; you have not stated where you live.")
        return sentence % {"places": places}
    facts = {"places": places, "own": "-".join(filter(None, place_of_worker))}
    if row["Comparator"] in {"NotEqualTo", "NotIn"}:
        return _("Not open to people in %(places)s; you have stated %(own)s.") % facts
    return _("Open to people in %(places)s only; you have stated %(own)s.") % facts


def _of_absent(qualification_type: QualificationType | None, *, is_held: bool) -> str:
    if qualification_type is not None and qualification_type.once:
        if is_held:
            return _("You have already taken part. Each person takes part once.")
        return _("Each person takes part once; you have not taken part.")
    if not is_held:
        return _("Not open to people with a certain qualification of the requester; you do not have it.")
    if qualification_type is not None and qualification_type.description:
        # How studies say that others are asked this time, or who they are looking for.
        words = qualification_type.description
        return _("Not open to you. The requester says: %(words)s") % {"words": words}
    return _("Not open to people with a qualification that you have.")
