"""What a channel and a link are to be, and the rules that both keep to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from django.conf import settings

from annotation.marketplace.channels.kinds import CODE, EXTERNAL_ID, SHARED_CODE_HOSTS, TEAM
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.models import Channel, Requester

LONGEST_RETURN = 1000
LONGEST_CODE = 100
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
    # By how many people of a team each HIT is done.
    overlap: int | None = None
    # How many HITs each of a team does at most.
    max_tasks: int | None = None
    # Completion codes to add to those supplied before.
    codes: tuple[str, ...] = ()
    # By which parameters of its address the link for many knows people, and whether it admits people without one.
    id_parameters: tuple[str, ...] | None = None
    id_optional: bool | None = None
    # Names of values that are emptied: opens_at, closes_at, max_participants, overlap, max_tasks, retain_until.
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


def check_channel(channel: Channel) -> None:
    """Raises InvalidParameterError, naming the member that is at fault."""
    if channel.opens_at and channel.closes_at and channel.closes_at <= channel.opens_at:
        raise InvalidParameterError("A channel must close after it opens.").at("ClosesAt")
    if channel.most_people is not None and not 1 <= channel.most_people <= 1_000_000:
        raise InvalidParameterError("A channel is for 1 to 1000000 people.").at("Places")
    if channel.overlap is not None and channel.kind != TEAM:
        raise InvalidParameterError("Only the people of a team share the texts among themselves.").at("Overlap")
    if channel.overlap is not None and not 1 <= channel.overlap <= 1000:
        raise InvalidParameterError("Each text is rated by 1 to 1000 people of a team.").at("Overlap")
    if channel.max_tasks is not None and channel.kind != TEAM:
        raise InvalidParameterError("Only the people of a team have a maximum of tasks.").at("MaxTasks")
    if channel.max_tasks is not None and not 1 <= channel.max_tasks <= 1_000_000:
        raise InvalidParameterError("The maximum of tasks per person is 1 to 1000000.").at("MaxTasks")
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


def check_way_back(channel: Channel) -> None:
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
        checked_code(plan, supplied=channel.has_supplied_codes)
    except InvalidParameterError as error:
        raise error.at("CompletionCode") from None
    code = channel.stop_code
    if len(code) > LONGEST_CODE or not code.isprintable() or " " in code:
        problem = f"The code for stopping early has at most {LONGEST_CODE} characters, none of them a space."
        raise InvalidParameterError(problem).at("StopCode")
    if code and code == channel.completion_code:
        problem = "The code for stopping early must be another than the completion code."
        raise InvalidParameterError(problem).at("StopCode")


def check_moments(channel: Channel, before: Mapping[str, datetime | None], now: datetime) -> None:
    """Raises InvalidParameterError for a moment that is set now, and has passed."""
    closes, until = channel.closes_at, channel.retain_until
    if closes is not None and closes <= now and closes != before["ClosesAt"]:
        problem = "The closing time has passed. Set a later one, or close the channel."
        raise InvalidParameterError(problem).at("ClosesAt")
    if until is not None and until <= now and until != before["RetainUntil"]:
        problem = "The time of deletion has passed. Set a later one: from then on it is unknown who took part."
        raise InvalidParameterError(problem).at("RetainUntil")


def checked_code(plan: LinkPlan, *, supplied: bool = False) -> str:
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


def checked_name(name: str) -> str:
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
