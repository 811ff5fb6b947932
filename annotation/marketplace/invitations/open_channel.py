"""Opening, changing and closing channels and their links."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.marketplace.channels import tokens
from annotation.marketplace.channels.kinds import KINDS
from annotation.marketplace.channels.study_tag import TAG
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.invitations.channel_plan import (
    LONGEST_CODE,
    LinkPlan,
    Plan,
    check_channel,
    check_moments,
    check_way_back,
    checked_code,
    checked_name,
    checked_return,
)
from annotation.marketplace.models import (
    Channel,
    ChannelWording,
    HitType,
    Link,
    Participant,
    Requester,
    SuppliedCode,
    Wording,
)

LONGEST_NAME = 100
MAX_LINKS = 10_000


@transaction.atomic
def open_channel(
    requester: Requester,
    *,
    name: str,
    kind: str,
    study: str,
    type_ids: Sequence[str],
    plan: Plan,
    now: datetime,
    request_token: str = "",
) -> Channel:
    """A new channel to the HITs of a study tag or of HIT types. Raises InvalidParameterError naming what is wrong.

    request_token: with the token of an earlier request it is the channel of that request, as it is now.
    HIT types that are named belong to channels from now on: registered accounts see them by a channel only.
    """
    if request_token and (earlier := _opened_before(requester, request_token)):
        return earlier
    if kind not in KINDS:
        problem = f"The kind of a channel is one of {', '.join(sorted(KINDS))}, not {kind!r}."
        raise InvalidParameterError(problem).at("Kind")
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise InvalidParameterError(f"A channel's name has 1 to {LONGEST_NAME} printable characters.").at("Name")
    if bool(study) == bool(type_ids):
        raise InvalidParameterError("A channel leads to a study tag or to HIT types: give one of the two.")
    if study and not TAG.fullmatch(study.lower()):
        raise InvalidParameterError(f"A study tag is letters, digits, dots, dashes and underscores, not {study!r}.")
    types = _load_hit_types(requester, type_ids)
    channel = Channel(requester=requester, name=name.strip(), kind=kind, study=study.lower(), created_at=now)
    channel.request_token = request_token
    _set(channel, plan, now)
    try:
        with transaction.atomic():
            channel.save(force_insert=True)
    except IntegrityError:
        # Of two equal requests at one moment the second comes to this: it is the channel of the first.
        if request_token and (earlier := _opened_before(requester, request_token)):
            return earlier
        problem = f"You have a channel named {channel.name!r} already. Give this one another name."
        raise InvalidParameterError(problem).at("Name") from None
    _add_codes(channel, plan.codes)
    _note_versions(channel, now)
    channel.hit_types.set(types)
    HitType.objects.filter(pk__in=[hit_type.pk for hit_type in types]).update(by_channel=True)
    return channel


def _opened_before(requester: Requester, request_token: str) -> Channel | None:
    return Channel.objects.filter(requester=requester, request_token=request_token).first()


@transaction.atomic
def change_channel(channel: Channel, plan: Plan, *, now: datetime, version: int | None = None) -> Channel:
    """Set what `plan` names, and return the channel. A changed consent text is asked for again.

    version: of the settings as they were read; None to set them whatever they are by now.

    Raises InvalidParameterError, naming Version where the settings have changed since.
    """
    locked = Channel.objects.select_for_update(no_key=True).get(pk=channel.pk)
    if version is not None and version != locked.version:
        raise InvalidParameterError(
            f"The channel was changed meanwhile: its settings are at version {locked.version}, and yours are of "
            f"version {version}. Nothing was saved. Read the channel again, then repeat your change."
        ).at("Version")
    before = _settings(locked)
    _set(locked, plan, now)
    if locked.most_people is not None and locked.most_people != before["most_people"]:
        _check_room(locked)
    changed = _set_id_parameters(locked, plan)
    locked.version += changed or _settings(locked) != before
    locked.save()
    _add_codes(locked, plan.codes)
    _note_versions(locked, now)
    return locked


def _settings(channel: Channel) -> dict[str, Any]:
    """What a plan sets, by column."""
    columns = (
        "title opens_at closes_at most_people overlap max_tasks pays pay_words retain_until return_url completion_code "
        "stop_code contact consent_id debrief_id"
    )
    return {column: getattr(channel, column) for column in columns.split()}


def _check_room(channel: Channel) -> None:
    """Raises InvalidParameterError where more people have begun than the channel has places."""
    begun = Participant.objects.filter(channel=channel, began_at__isnull=False).count()
    if channel.most_people is not None and channel.most_people < begun:
        problem = f"{begun} people have begun by this channel, so it has at least {begun} places."
        raise InvalidParameterError(f"{problem} To stop admitting people, close it.").at("Places")


def _add_codes(channel: Channel, codes: Sequence[str]) -> None:
    """Supply completion codes; those that are known stay as they are. Raises InvalidParameterError."""
    if not codes:
        return
    if channel.completion_code:
        problem = "A channel has one fixed completion code or a list of codes: give one of the two."
        raise InvalidParameterError(problem).at("Codes")
    if len(codes) > MAX_LINKS:
        raise InvalidParameterError(f"{MAX_LINKS} codes can be supplied at once, not {len(codes)}.").at("Codes")
    seen: dict[str, int] = {}
    for row, code in enumerate(codes, start=1):
        if not 1 <= len(code) <= LONGEST_CODE or not code.isprintable() or " " in code:
            problem = f"Code {row}: a completion code has 1 to {LONGEST_CODE} characters, none of them a space."
            raise InvalidParameterError(problem).at("Codes")
        if code in seen:
            raise InvalidParameterError(f"Code {row}: the same as code {seen[code]}.").at("Codes")
        seen[code] = row
    SuppliedCode.objects.bulk_create(
        (SuppliedCode(channel=channel, code=code) for code in codes), ignore_conflicts=True
    )
    if not channel.has_supplied_codes:
        channel.has_supplied_codes = True
        channel.save(update_fields=["has_supplied_codes"])


def _note_versions(channel: Channel, now: datetime) -> None:
    """Number the texts that hold from now on, where they are others than before."""
    for purpose in ChannelWording.Purpose.values:
        last = channel.versions.filter(purpose=purpose).order_by("-number").first()
        wording = getattr(channel, f"{purpose}_id")
        if wording == (last.wording_id if last else None):
            continue
        number = last.number + 1 if last else 1
        ChannelWording.objects.create(channel=channel, purpose=purpose, number=number, wording_id=wording, set_at=now)


def _load_hit_types(requester: Requester, type_ids: Sequence[str]) -> list[HitType]:
    types = list(HitType.objects.filter(requester=requester, type_id__in=type_ids))
    missing = set(type_ids) - {hit_type.type_id for hit_type in types}
    if missing:
        raise InvalidParameterError(f"The requester has no HIT type {min(missing)!r}.")
    return types


def _set(channel: Channel, plan: Plan, now: datetime) -> None:
    moments = {"ClosesAt": channel.closes_at, "RetainUntil": channel.retain_until}
    columns = {
        "title": plan.title,
        "opens_at": plan.opens_at,
        "closes_at": plan.closes_at,
        "most_people": plan.max_participants,
        "overlap": plan.overlap,
        "max_tasks": plan.max_tasks,
        "pays": plan.pays,
        "pay_words": plan.pay_words,
        "retain_until": plan.retain_until,
        "return_url": plan.return_url,
        "completion_code": plan.completion_code,
        "stop_code": plan.stop_code,
        "contact": plan.contact,
    }
    for field, value in columns.items():
        if value is not None:
            setattr(channel, field, value)
    for name in plan.empty:
        setattr(channel, "most_people" if name == "max_participants" else name, None)
    for field, text in (("consent", plan.consent), ("debrief", plan.debrief)):
        if text is not None:
            setattr(channel, field, Wording.objects.of(text) if text.strip() else None)
    check_channel(channel)
    check_moments(channel, moments, now)
    check_way_back(channel)


def set_texts(requester: Requester, *, consent: str | None, debrief: str | None) -> None:
    """The texts of everything of `requester` that no channel has its own for; "" for none."""
    for field, text in (("consent", consent), ("debrief", debrief)):
        if text is not None:
            setattr(requester, field, Wording.objects.of(text) if text.strip() else None)
    requester.save(update_fields=["consent", "debrief"])


@transaction.atomic
def new_link(channel: Channel, plan: LinkPlan, *, now: datetime) -> str:
    """Return the address of a new link for many people; it is shown this once. Raises InvalidParameterError."""
    return _new_link(channel, plan, None, now)


@transaction.atomic
def new_personal_links(channel: Channel, plan: LinkPlan, *, number: int, now: datetime) -> list[str]:
    """The addresses of `number` new links, each for one person of whom nothing is known."""
    if not 1 <= number <= MAX_LINKS:
        raise InvalidParameterError(f"1 to {MAX_LINKS} links can be made at once, not {number}.")
    people = [Participant(channel=channel, created_at=now) for _ in range(number)]
    return [_new_link(channel, plan, person, now) for person in Participant.objects.bulk_create(people)]


def link_for(person: Participant, plan: LinkPlan, *, now: datetime) -> str:
    """The address of one more link for an invited person; earlier ones go on working."""
    return _new_link(person.channel, plan, person, now)


def _new_link(channel: Channel, plan: LinkPlan, person: Participant | None, now: datetime) -> str:
    if not KINDS[channel.kind].by_link:
        raise InvalidParameterError(f"The channel {channel.name!r} is for {channel.kind} accounts; it has no links.")
    if channel.purged_at or channel.closed_at:
        raise InvalidParameterError(f"The channel {channel.name!r} is closed.")
    if person is not None and plan.id_parameters:
        raise InvalidParameterError("A link for one person needs no id in its address: it is the person.")
    token = tokens.new_token()
    _create_link(channel, plan, person, token, now)
    return settings.WORKER_ORIGIN + reverse("hits:door", args=[token])


def _create_link(channel: Channel, plan: LinkPlan, person: Participant | None, token: str, now: datetime) -> Link:
    return Link.objects.create(
        channel=channel,
        participant=person,
        token_hash=tokens.hashed(token),
        id_parameters=[checked_name(name) for name in plan.id_parameters],
        kept_parameters=[checked_name(name) for name in plan.stored_parameters],
        id_optional=plan.id_optional,
        completion_code=checked_code(plan),
        return_url=checked_return(plan.return_url),
        created_at=now,
        expires_at=plan.expires_at,
    )


def main_link(channel: Channel, plan: LinkPlan, *, now: datetime) -> Link:
    """The link for many of `channel`, made at the first call. Raises InvalidParameterError."""
    token = _study_token(channel)
    known = Link.objects.filter(token_hash=tokens.hashed(token)).first()
    return known or _create_link(channel, plan, None, token, now)


def find_main_link(channel: Channel) -> Link | None:
    """The link that `main_link` made."""
    return Link.objects.filter(token_hash=tokens.hashed(_study_token(channel))).first()


def _set_id_parameters(channel: Channel, plan: Plan) -> bool:
    """Set of the link for many what `plan` names; whether that changed it. Raises InvalidParameterError."""
    columns: dict[str, Any] = {}
    if plan.id_parameters is not None:
        columns["id_parameters"] = [checked_name(name) for name in plan.id_parameters]
    if plan.id_optional is not None:
        columns["id_optional"] = plan.id_optional
    link = find_main_link(channel)
    if link is None or all(getattr(link, name) == value for name, value in columns.items()):
        return False
    Link.objects.filter(pk=link.pk).update(**columns)
    return True


def address_of_study_link(channel: Channel) -> str:
    """The address of that link."""
    return str(settings.WORKER_ORIGIN + reverse("hits:door", args=[_study_token(channel)]))


def _study_token(channel: Channel) -> str:
    return tokens.derived("marketplace.study-link", channel.channel_id)


def close(channel: Channel, *, now: datetime) -> None:
    """Admit no new participants by `channel`; present ones may finish."""
    Channel.objects.filter(pk=channel.pk, closed_at=None).update(closed_at=now)


def reopen(channel: Channel, *, now: datetime) -> None:
    """Admit people again by a channel that was closed. Raises InvalidParameterError where it cannot be."""
    if channel.closes_at is not None and channel.closes_at <= now:
        problem = "The time at which this channel closes has passed: set a later one first."
        raise InvalidParameterError(problem).at("ClosesAt")
    if channel.purged_at:
        problem = f"What was known of the people of {channel.name!r} is deleted, so it stays closed. Open another one."
        raise InvalidParameterError(problem)
    Channel.objects.filter(pk=channel.pk, purged_at=None).update(closed_at=None)


def close_link(link: Link, *, now: datetime) -> None:
    """As `close`, for one link."""
    Link.objects.filter(pk=link.pk, closed_at=None).update(closed_at=now)
