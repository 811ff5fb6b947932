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
from annotation.marketplace.channels.kinds import CODE, EXTERNAL_ID, INVITATION, KINDS, SHARED_CODE_HOSTS
from annotation.marketplace.channels.study_tag import TAG
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.models import Channel, HitType, Link, Participant, Requester, Wording

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
) -> Channel:
    """A new channel to the HITs of a study tag or of HIT types. Raises InvalidParameterError naming what is wrong.

    HIT types that are named belong to channels from now on: registered accounts see them by a channel only.
    """
    if kind not in KINDS:
        raise InvalidParameterError(f"The kind of a channel is one of {', '.join(sorted(KINDS))}, not {kind!r}.")
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise InvalidParameterError(f"A channel's name has 1 to {LONGEST_NAME} printable characters.")
    if bool(study) == bool(type_ids):
        raise InvalidParameterError("A channel leads to a study tag or to HIT types: give one of the two.")
    if study and not TAG.fullmatch(study.lower()):
        raise InvalidParameterError(f"A study tag is letters, digits, dots, dashes and underscores, not {study!r}.")
    types = _load_hit_types(requester, type_ids)
    channel = Channel(requester=requester, name=name.strip(), kind=kind, study=study.lower(), created_at=now)
    _set(channel, plan)
    try:
        with transaction.atomic():
            channel.save(force_insert=True)
    except IntegrityError:
        raise InvalidParameterError(f"You have a channel named {channel.name!r} already.") from None
    channel.hit_types.set(types)
    HitType.objects.filter(pk__in=[hit_type.pk for hit_type in types]).update(by_channel=True)
    return channel


def change_channel(channel: Channel, plan: Plan) -> None:
    """Set what `plan` names. A changed consent text is asked for again. Raises InvalidParameterError."""
    _set(channel, plan)
    channel.save()


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
    }
    for field, value in columns.items():
        if value is not None:
            setattr(channel, field, value)
    for field, text in (("consent", plan.consent), ("debrief", plan.debrief)):
        if text is not None:
            setattr(channel, field, Wording.objects.of(text) if text.strip() else None)
    if channel.opens_at and channel.closes_at and channel.closes_at <= channel.opens_at:
        raise InvalidParameterError("A channel must close after it opens.")
    if channel.most_people is not None and not 1 <= channel.most_people <= 1_000_000:
        raise InvalidParameterError("A channel is for 1 to 1000000 people.")
    if channel.pays and channel.pays not in Requester.Pays.values:
        raise InvalidParameterError(f"People are paid {', '.join(Requester.Pays.values)}, not {channel.pays!r}.")
    for field, text, longest in (("title", channel.title, 200), ("words on pay", channel.pay_words, 300)):
        if len(text) > longest:
            raise InvalidParameterError(f"The {field} may have {longest} characters, not {len(text)}.")


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
    Link.objects.create(
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
    return settings.WORKER_ORIGIN + reverse("hits:door", args=[token])


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
        channel = open_channel(requester, name=study, kind=INVITATION, study=study, type_ids=(), plan=plan, now=now)
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


def _checked_code(plan: LinkPlan) -> str:
    """The study's code. Raises InvalidParameterError: an odd one, or none where the panel knows one for the study."""
    code = plan.completion_code
    if len(code) > LONGEST_CODE or not code.isprintable() or " " in code:
        raise InvalidParameterError(f"A completion code has at most {LONGEST_CODE} characters, none of them a space.")
    host = urlsplit(checked_return(plan.return_url)).hostname or ""
    known = any(host == panel_host or host.endswith(f".{panel_host}") for panel_host in SHARED_CODE_HOSTS)
    if known and CODE in plan.return_url and not code:
        raise InvalidParameterError(
            f"{host} knows one completion code for a study, and {CODE} would be another for each person: give the "
            "study's code by --completion-code, or write it into the return address."
        )
    return code


def _checked_name(name: str) -> str:
    if not name or len(name) > 64 or not set(name) <= PLAIN:
        raise InvalidParameterError(f"An address parameter is named by letters, digits, _, - and ., not {name!r}.")
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


def close_link(link: Link, *, now: datetime) -> None:
    """As `close`, for one link."""
    Link.objects.filter(pk=link.pk, closed_at=None).update(closed_at=now)
