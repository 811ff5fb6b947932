"""The draft of a study for Prolific: what is set, what must hold of it, and the fields that Prolific is sent."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.marketplace.channels import reach
from annotation.marketplace.channels.kinds import CODE, DEVICE, NO_CONSENT, PROLIFIC
from annotation.marketplace.channels.tokens import LETTERS
from annotation.marketplace.errors import InvalidParameterError, RequestRefusedError
from annotation.marketplace.invitations.channel_plan import LinkPlan
from annotation.marketplace.invitations.open_channel import address_of_study_link, find_main_link, main_link
from annotation.marketplace.models import (
    Channel,
    ParticipantIdentity,
    ProlificStudy,
    QualificationGrant,
    Requester,
    WorkerAccount,
)
from annotation.marketplace.qualifications.requirements import SYSTEM_TYPES

COMPLETED, STOPPED, RESEARCHER = "completed", "stopped-early", "researcher"
PATHS = (COMPLETED, NO_CONSENT, STOPPED, DEVICE, RESEARCHER)
COMPLETION_PAGE = "https://app.prolific.com/submissions/complete?cc="
CODE_LETTERS = 8
PERSON = "PROLIFIC_PID"
PLACEHOLDERS = "&".join(f"{name}={{{{%{name}%}}}}" for name in (PERSON, "STUDY_ID", "SESSION_ID"))
DEVICES = ("desktop", "tablet", "mobile")
LABELS = (
    "survey",
    "writing_task",
    "annotation",
    "decision_making_task",
    "interview",
    "ai_annotation",
    "ai_evaluation",
    "other",
)
WARNINGS = ("sensitive", "explicit")
MAX_PLACES, MAX_MINUTES, MAX_REWARD = 100_000, 24 * 60, 100_000_000
# Filters that exclude people: the list that Prolific offers says which of them it has.
GROUP_BLOCKLIST, STUDY_BLOCKLIST = "participant_group_blocklist", "previous_studies_blocklist"
# The filters that admit named people only, and that exclude named people.
ALLOWLIST, BLOCKLIST = "custom_allowlist", "custom_blocklist"
# Settings of a channel that follow from Prolific and cannot be set.
FIXED = (
    "Pays",
    "ReturnUrl",
    "CompletionCode",
    "Codes",
    "StopCode",
    "IdParameters",
    "IdOptional",
    "Places",
    "Overlap",
    "MaxTasks",
)


def without_fixed(parameters: Mapping[str, Any], channel: Channel | None = None) -> dict[str, Any]:
    """The members of a request without those that follow from the study at Prolific.

    Raises InvalidParameterError where one of these is to be something other than what it is in `channel`.
    """
    link = find_main_link(channel) if channel is not None else None
    current: dict[str, Any] = {
        "Pays": Requester.Pays.PROLIFIC,
        "IdParameters": link.id_parameters if link else [PERSON],
    }
    if channel is not None:
        current |= {"ReturnUrl": channel.return_url, "CompletionCode": channel.completion_code}
        current["StopCode"] = channel.stop_code
    for name in FIXED:
        value = parameters.get(name)
        if value and value != current.get(name):
            problem = f"{name} cannot be set for Prolific: it follows from the study there."
            raise InvalidParameterError(problem).at(name)
    return {name: value for name, value in parameters.items() if name not in FIXED}


@transaction.atomic
def prepare_channel(channel: Channel, *, now: datetime) -> ProlificStudy:
    """Give a new channel its codes, its way back and its draft; of a channel that has them, the draft."""
    known = ProlificStudy.objects.filter(channel=channel).first()
    if known is not None:
        return known
    codes = {path: _new_code() for path in PATHS}
    channel.pays, channel.return_url = Requester.Pays.PROLIFIC, COMPLETION_PAGE + CODE
    channel.completion_code, channel.stop_code = codes[COMPLETED], codes[STOPPED]
    channel.save(update_fields=["pays", "return_url", "completion_code", "stop_code"])
    main_link(channel, LinkPlan((PERSON,)), now=now)
    return ProlificStudy.objects.create(channel=channel, codes=codes, created_at=now)


def _new_code() -> str:
    return "C" + "".join(secrets.choice(LETTERS) for _ in range(CODE_LETTERS))


def _integer(low: int, high: int) -> Callable[[str, Any], Any]:
    def check(name: str, value: Any) -> Any:
        if not low <= value <= high:
            raise InvalidParameterError(f"{name} is {low} to {high}, not {value}.").at(name)
        return value

    return check


def _text(longest: int) -> Callable[[str, Any], Any]:
    def check(name: str, value: Any) -> Any:
        if len(value) > longest:
            raise InvalidParameterError(f"{name} has at most {longest} characters, not {len(value)}.").at(name)
        return value.strip()

    return check


def _words(allowed: Sequence[str], limit: int) -> Callable[[str, Any], Any]:
    def check(name: str, value: Any) -> Any:
        for word in value:
            if word not in allowed:
                raise InvalidParameterError(f"{name} names {', '.join(allowed)}, not {word!r}.").at(name)
        if len(set(value)) != len(value) or len(value) > limit:
            raise InvalidParameterError(f"{name} names at most {limit}, each once.").at(name)
        return list(value)

    return check


def checked_filters(value: Sequence[Mapping[str, Any]], name: str = "Filters") -> list[Mapping[str, Any]]:
    """Filters as a request names them. Raises InvalidParameterError naming the filter and the rule."""
    seen = set()
    for row in value:
        key = row["FilterId"]
        if key in seen:
            raise InvalidParameterError(f"The filter {key!r} is named twice.").at(name)
        seen.add(key)
        if bool(row.get("Values")) == any(bound in row for bound in ("Lower", "Upper")):
            problem = f"The filter {key!r} needs either Values or a range of Lower and Upper."
            raise InvalidParameterError(problem).at(name)
        if row.get("Lower", 0) > row.get("Upper", row.get("Lower", 0)):
            raise InvalidParameterError(f"The range of the filter {key!r} ends before it begins.").at(name)
    return list(value)


# Members of a request: the column that each sets, and its rule.
MEMBERS: dict[str, tuple[str, Callable[[str, Any], Any]]] = {
    "Description": ("description", _text(5000)),
    "InternalName": ("internal_name", _text(100)),
    "Minutes": ("minutes", _integer(1, MAX_MINUTES)),
    "RewardMinor": ("reward_minor", _integer(1, MAX_REWARD)),
    "HighestRewardMinor": ("highest_reward_minor", _integer(1, MAX_REWARD)),
    "Places": ("places", _integer(1, MAX_PLACES)),
    "Devices": ("devices", _words(DEVICES, len(DEVICES))),
    "Labels": ("labels", _words(LABELS, 1)),
    "ContentWarnings": ("content_warnings", _words(WARNINGS, 1)),
    "ContentWarningDetails": ("content_warning_details", _text(500)),
    "Filters": ("filters", lambda name, value: checked_filters(value, name)),
    "ExcludesEarlier": ("excludes_earlier", lambda _, value: value),
}


@transaction.atomic
def set_draft(study: ProlificStudy, members: Mapping[str, Any]) -> ProlificStudy:
    """Set what `members` names. Raises InvalidParameterError naming the member; nothing is set then."""
    locked = ProlificStudy.objects.select_for_update(of=("self",)).select_related("channel__requester").get(pk=study.pk)
    if locked.state != ProlificStudy.State.DRAFT:
        problem = "The study was published at Prolific, so its draft cannot be changed. Places can be added."
        raise InvalidParameterError(problem).at("ChannelId")
    for name, (column, check) in MEMBERS.items():
        if name in members:
            setattr(locked, column, check(name, members[name]))
    reward, highest = locked.reward_minor, locked.highest_reward_minor
    if reward is not None and highest is not None and highest < reward:
        problem = "The best paid arm pays at least the reward that Prolific shows."
        raise InvalidParameterError(problem).at("HighestRewardMinor")
    locked.save()
    return locked


def missing_of(study: ProlificStudy) -> list[str]:
    """What must still be filled in before the study can be priced."""
    needed = {
        "a description": study.description,
        "the minutes": study.minutes,
        "the reward": study.reward_minor,
        "the places": study.places,
    }
    return [name for name, value in needed.items() if not value]


def check_complete(study: ProlificStudy) -> None:
    """Raises RequestRefusedError that names what is missing."""
    if missing := missing_of(study):
        raise RequestRefusedError("ProlificDraftIncomplete", f"The draft is incomplete. Missing: {', '.join(missing)}.")


def _plain(bound: float) -> float:
    """18.0 as 18: most bounds are whole numbers at Prolific."""
    return int(bound) if float(bound).is_integer() else bound


def as_prolific_filters(filters: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Filters as Prolific is sent them."""
    rows: list[dict[str, Any]] = []
    for row in filters:
        if row.get("Values"):
            rows.append({"filter_id": row["FilterId"], "selected_values": list(row["Values"])})
        else:
            bounds = {name.lower(): _plain(row[name]) for name in ("Lower", "Upper") if name in row}
            rows.append({"filter_id": row["FilterId"], "selected_range": bounds})
    return rows


def filters_of(study: ProlificStudy, offered: Collection[str]) -> list[dict[str, Any]]:
    """The draft's filters as Prolific is sent them, with who took part before. `offered`: ids of Prolific's list.

    Where the tasks require what only some people were given, these alone are admitted, and no group is excluded. Whom
    every task would refuse is not invited.
    """
    rows = as_prolific_filters(study.filters)
    required, barred = required_people(study), barred_people(study)
    if required is not None:
        admitted = [person for person in required if person not in barred]
        return [*rows, _by_name(ALLOWLIST, admitted)] if admitted and ALLOWLIST in offered else rows
    exclusion = exclusion_of(study, offered) if study.excludes_earlier else None
    rows += [exclusion] if exclusion else []
    return [*rows, _by_name(BLOCKLIST, barred)] if barred and BLOCKLIST in offered else rows


def _by_name(filter_id: str, people: list[str]) -> dict[str, Any]:
    return {"filter_id": filter_id, "selected_values": people}


def exclusion_of(study: ProlificStudy, offered: Collection[str]) -> dict[str, Any] | None:
    """The filter that excludes who took part in the requester's earlier studies: by group, else by study.

    None where there was no earlier study, and where Prolific's list has neither filter.
    """
    others = ProlificStudy.objects.filter(channel__requester=study.channel.requester_id).exclude(pk=study.pk)
    for name, column in ((GROUP_BLOCKLIST, "group_id"), (STUDY_BLOCKLIST, "prolific_id")):
        values = list(others.exclude(**{column: ""}).order_by("pk").values_list(column, flat=True))
        if values and name in offered:
            return {"filter_id": name, "selected_values": values}
    return None


def names_people(study: ProlificStudy) -> bool:
    """Whether Prolific is sent a filter of people, groups or studies."""
    return study.excludes_earlier or required_people(study) is not None or bool(barred_people(study))


def required_people(study: ProlificStudy) -> list[str] | None:
    """Ids at Prolific of the people who have every qualification that the tasks require; None where they require none.

    What Amazon's list of system qualifications holds is not meant: nobody gives it.
    """
    required = set().union(*_types_by_task(study, "Exists"))
    if not required:
        return None
    people = _people_of(study)
    for type_id in sorted(required):
        people = people.filter(participant__worker__in=_holders(type_id))
    return _external_ids(people)


def barred_people(study: ProlificStudy) -> list[str]:
    """Ids at Prolific of the people who have a qualification that every one of the tasks rules out."""
    barring = _types_by_task(study, "DoesNotExist")
    ruled_out = set.intersection(*barring) if barring else set()
    held = Q(pk__in=[])
    for type_id in ruled_out:
        held |= Q(participant__worker__in=_holders(type_id))
    return _external_ids(_people_of(study).filter(held))


def _types_by_task(study: ProlificStudy, comparator: str) -> list[set[str]]:
    """Of each kind of task, the qualifications that people must have, or must not have."""
    requirements = reach.types_of(study.channel).values_list("requirements", flat=True)
    return [
        {row["QualificationTypeId"] for row in rows if row["Comparator"] == comparator} - SYSTEM_TYPES
        for rows in requirements
    ]


def _holders(type_id: str) -> QuerySet[WorkerAccount]:
    granted = QualificationGrant.objects.filter(
        qualification_type__type_id=type_id, status=QualificationGrant.Status.GRANTED
    )
    return WorkerAccount.objects.filter(pk__in=granted.values("worker"))


def _people_of(study: ProlificStudy) -> QuerySet[ParticipantIdentity]:
    """Who came to the requester from Prolific, and is known."""
    return ParticipantIdentity.objects.filter(
        channel__requester=study.channel.requester_id, channel__kind=PROLIFIC, participant__worker__isnull=False
    ).exclude(external_id="")


def _external_ids(people: QuerySet[ParticipantIdentity]) -> list[str]:
    return list(dict.fromkeys(people.order_by("pk").values_list("external_id", flat=True)))


def has_earlier(study: ProlificStudy) -> bool:
    """Whether the requester has had another study at Prolific."""
    others = ProlificStudy.objects.filter(channel__requester=study.channel.requester_id).exclude(pk=study.pk)
    return others.exclude(prolific_id="").exists()


def name_of(study: ProlificStudy) -> str:
    """What people read as the study's name."""
    return str(study.channel)


def fields_of(study: ProlificStudy, offered: Collection[str] = ()) -> dict[str, Any]:
    """The fields of the study as Prolific is sent them. The draft is complete."""
    fields: dict[str, Any] = {
        "name": name_of(study),
        "internal_name": f"{study.internal_name or name_of(study)} [{study.key}]",
        "description": study.description,
        "external_study_url": f"{address_of_study_link(study.channel)}?{PLACEHOLDERS}",
        "prolific_id_option": "url_parameters",
        "total_available_places": study.places,
        "estimated_completion_time": study.minutes,
        "reward": study.reward_minor,
        "completion_codes": _completion_codes(study),
        "filters": filters_of(study, offered),
        "device_compatibility": study.devices,
        "submissions_config": {"max_submissions_per_participant": 1},
        "project": study.project_id,
        "metadata": study.key,
    }
    if study.labels:
        fields["study_labels"] = study.labels
    if study.content_warnings:
        fields["content_warnings"] = study.content_warnings
        fields["content_warning_details"] = study.content_warning_details
    return fields


def _completion_codes(study: ProlificStudy) -> list[dict[str, Any]]:
    review = {"action": "MANUALLY_REVIEW"}
    took_part = {"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": study.group_id}
    ask_return = {"action": "REQUEST_RETURN"}
    rows = {
        COMPLETED: ("COMPLETED", [review, took_part]),
        NO_CONSENT: ("NO_CONSENT", [ask_return]),
        STOPPED: ("OTHER", [review, took_part]),
        DEVICE: ("INCOMPATIBLE_DEVICE", [ask_return]),
        RESEARCHER: ("COMPLETED_BY_RESEARCHER", [review, took_part]),
    }
    codes = [
        {"code": study.codes[path], "code_type": kind, "actions": actions} for path, (kind, actions) in rows.items()
    ]
    return [*codes[:-1], {**codes[-1], "actor": "researcher"}]


def path_of(study: ProlificStudy, code: str) -> str:
    """The way in which taking part ended, by the code that was entered; "" without one."""
    if not code:
        return ""
    return next((path for path, known in study.codes.items() if known == code), "unknown code")
