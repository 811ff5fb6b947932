"""Opening, changing and closing channels and their links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.marketplace.channels import tokens
from annotation.marketplace.channels.kinds import CODE, EXTERNAL_ID, KINDS, LINK, SHARED_CODE_HOSTS
from annotation.marketplace.channels.study_tag import TAG
from annotation.marketplace.errors import InvalidParameterError
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
LONGEST_RETURN = 1000
LONGEST_CODE = 100
MAX_LINKS = 10_000
# Address parameters that may carry an id: plain names.
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")


@dataclass(frozen=True)
class Plan:
    """What a channel is to be; None leaves a value as it is (or at its default in a new channel)."""

    title: str | None = None
    opens_at: datetime | None = None
    closes_at: datetime | None = None
    max_participants: int | None = None
    pays: str | None = None
    pay_words: str | None = None
    consent: str | None = None
    debrief: str | None = None
    retain_until: datetime | None = None
    return_url: str | None = None
    completion_code: str | None = None
    stop_code: str | None = None
    contact: str | None = None
    # Completion codes to add to those supplied before.
    codes: tuple[str, ...] = ()
    # Names of values that are emptied: opens_at, closes_at, max_participants, retain_until.
    empty: frozenset[str] = frozenset()


@dataclass(frozen=True)
class LinkPlan:
    """What a link is to be. `return_url` may hold {code} and {external_id} behind its host.

    `completion_code`: the study's one code, as a panel knows it; without it each person gets a code of their own.
    `stored_parameters`: of the address, stored with the person's id.
    """

    id_parameters: tuple[str, ...] = ()
    id_optional: bool = False
    return_url: str = ""
    expires_at: datetime | None = None
    stored_parameters: tuple[str, ...] = ()
    completion_code: str = ""

    @property
    def has_personal_codes(self) -> bool:
        """Whether people of a panel would be sent back with a code that their panel may not know."""
        return bool(self.id_parameters) and CODE in self.return_url and not self.completion_code


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
    _set(channel, plan)
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
def change_channel(channel: Channel, plan: Plan, *, now: datetime) -> Channel:
    """Set what `plan` names, and return the channel. A changed consent text is asked for again.

    Raises InvalidParameterError.
    """
    locked = Channel.objects.select_for_update(no_key=True).get(pk=channel.pk)
    _set(locked, plan)
    locked.save()
    _add_codes(locked, plan.codes)
    _note_versions(locked, now)
    return locked


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


def _set(channel: Channel, plan: Plan) -> None:
    columns = {
        "title": plan.title,
        "opens_at": plan.opens_at,
        "closes_at": plan.closes_at,
        "most_people": plan.max_participants,
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
    _check(channel)
    _check_way_back(channel)


def _check(channel: Channel) -> None:
    """Raises InvalidParameterError, naming the member that is at fault."""
    if channel.opens_at and channel.closes_at and channel.closes_at <= channel.opens_at:
        raise InvalidParameterError("A channel must close after it opens.").at("ClosesAt")
    if channel.most_people is not None and not 1 <= channel.most_people <= 1_000_000:
        raise InvalidParameterError("A channel is for 1 to 1000000 people.").at("Places")
    if channel.pays and channel.pays not in Requester.Pays.values:
        problem = f"People are paid {', '.join(Requester.Pays.values)}, not {channel.pays!r}."
        raise InvalidParameterError(problem).at("Pays")
    for member, field, text, longest in (
        ("Title", "title", channel.title, 200),
        ("PayWords", "words on pay", channel.pay_words, 300),
        ("Contact", "contact", channel.contact, 200),
    ):
        if len(text) > longest:
            raise InvalidParameterError(f"The {field} may have {longest} characters, not {len(text)}.").at(member)


def _check_way_back(channel: Channel) -> None:
    """The return address and the codes of a channel. Raises InvalidParameterError."""
    try:
        checked_return(channel.return_url)
    except InvalidParameterError as error:
        raise error.at("ReturnUrl") from None
    if channel.completion_code and channel.has_supplied_codes:
        problem = "A channel has one fixed completion code or a list of codes: give one of the two."
        raise InvalidParameterError(problem).at("CompletionCode")
    plan = LinkPlan(return_url=channel.return_url, completion_code=channel.completion_code)
    try:
        _checked_code(plan, supplied=channel.has_supplied_codes)
    except InvalidParameterError as error:
        raise error.at("CompletionCode") from None
    code = channel.stop_code
    if len(code) > LONGEST_CODE or not code.isprintable() or " " in code:
        problem = f"The code for stopping early has at most {LONGEST_CODE} characters, none of them a space."
        raise InvalidParameterError(problem).at("StopCode")
    if code and code == channel.completion_code:
        problem = "The code for stopping early must be another than the completion code."
        raise InvalidParameterError(problem).at("StopCode")


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
        id_parameters=[_checked_name(name) for name in plan.id_parameters],
        kept_parameters=[_checked_name(name) for name in plan.stored_parameters],
        id_optional=plan.id_optional,
        completion_code=_checked_code(plan),
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


def set_id_parameters(channel: Channel, names: Sequence[str], *, optional: bool) -> None:
    """By which parameters of the address the link for many knows people. Raises InvalidParameterError."""
    checked = [_checked_name(name) for name in names]
    rows = Link.objects.filter(channel=channel, token_hash=tokens.hashed(_study_token(channel)))
    rows.update(id_parameters=checked, id_optional=optional)


def study_link(requester: Requester, study: str, *, title: str, now: datetime) -> Link:
    """The link for many to the HITs under a study tag, with a channel of the tag's name; the same one afterwards.

    Its token is not stored: this installation can make it again of the channel's id, so that it can be shown again.
    Raises InvalidParameterError when a channel of that name leads elsewhere.
    """
    link = find_study_link(requester, study)
    if link is not None:
        return link
    channel = Channel.objects.filter(requester=requester, name=study).first()
    if channel is None:
        plan = Plan(title=title or None)
        channel = open_channel(requester, name=study, kind=LINK, study=study, type_ids=(), plan=plan, now=now)
    elif channel.study != study or not KINDS[channel.kind].by_link:
        raise InvalidParameterError(f"The channel {study!r} exists and does not lead to this study by links.")
    token_hash = tokens.hashed(_study_token(channel))
    Link.objects.get_or_create(token_hash=token_hash, defaults={"channel": channel, "created_at": now})
    return Link.objects.select_related("channel").get(token_hash=token_hash)


def find_study_link(requester: Requester, study: str) -> Link | None:
    """The link that `study_link` made."""
    channel = Channel.objects.filter(requester=requester, name=study, study=study).first()
    if channel is None:
        return None
    rows = Link.objects.select_related("channel").filter(channel=channel)
    return rows.filter(token_hash=tokens.hashed(_study_token(channel))).first()


def address_of_study_link(channel: Channel) -> str:
    """The address of that link."""
    return str(settings.WORKER_ORIGIN + reverse("hits:door", args=[_study_token(channel)]))


def _study_token(channel: Channel) -> str:
    return tokens.derived("marketplace.study-link", channel.channel_id)


def _checked_code(plan: LinkPlan, *, supplied: bool = False) -> str:
    """The study's code. Raises InvalidParameterError: an odd one, or none where the panel knows one for the study."""
    code = plan.completion_code
    if len(code) > LONGEST_CODE or not code.isprintable() or " " in code:
        raise InvalidParameterError(f"A completion code has at most {LONGEST_CODE} characters, none of them a space.")
    host = urlsplit(checked_return(plan.return_url)).hostname or ""
    known = any(host == panel_host or host.endswith(f".{panel_host}") for panel_host in SHARED_CODE_HOSTS)
    if known and CODE in plan.return_url and not code and not supplied:
        raise InvalidParameterError(
            f"{host} knows one completion code for a study, and {CODE} would be another for each person: give the "
            "study's code by CompletionCode (--completion-code), or write it into the return address."
        )
    return code


def _checked_name(name: str) -> str:
    if not name or len(name) > 64 or not set(name) <= PLAIN:
        problem = f"An address parameter is named by letters, digits, _, - and ., not {name!r}."
        raise InvalidParameterError(problem).at("IdParameters")
    return name


def checked_return(address: str) -> str:
    """A return address as it may be configured. Raises InvalidParameterError.

    https (http on this machine in development), a fixed host, and {code} or {external_id} in path, query or fragment.
    """
    if not address:
        return ""
    if len(address) > LONGEST_RETURN or not address.isprintable() or " " in address or "\\" in address:
        raise InvalidParameterError(f"A return address has at most {LONGEST_RETURN} characters, none of them a space.")
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        raise InvalidParameterError(f"{address!r} is not a valid address.") from None
    local = settings.MARKETPLACE_DEVELOPMENT and host in {"127.0.0.1", "localhost"}
    if parts.scheme != "https" and not (parts.scheme == "http" and local):
        raise InvalidParameterError("A return address starts with https://.")
    if not host or parts.username is not None or {"{", "}"} & set(parts.netloc):
        raise InvalidParameterError("A return address names its host, without a user and without placeholders.")
    rest = address.replace(CODE, "").replace(EXTERNAL_ID, "")
    if {"{", "}"} & set(rest):
        raise InvalidParameterError(f"A return address knows the placeholders {CODE} and {EXTERNAL_ID} only.")
    return address


def close(channel: Channel, *, now: datetime) -> None:
    """Admit no new participants by `channel`; present ones may finish."""
    Channel.objects.filter(pk=channel.pk, closed_at=None).update(closed_at=now)


def reopen(channel: Channel) -> None:
    """Admit people again by a channel that was closed. Raises InvalidParameterError where it cannot be."""
    if channel.purged_at:
        problem = f"What was known of the people of {channel.name!r} is deleted, so it stays closed. Open another one."
        raise InvalidParameterError(problem)
    Channel.objects.filter(pk=channel.pk, purged_at=None).update(closed_at=None)


def close_link(link: Link, *, now: datetime) -> None:
    """As `close`, for one link."""
    Link.objects.filter(pk=link.pk, closed_at=None).update(closed_at=now)
