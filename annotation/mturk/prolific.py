"""Studies on Prolific, by the extension operations of Assay's marketplace, which holds the token and all ids.

Amounts are whole minor units of the currency that Prolific pays in. What Prolific names and we do not know (a status,
a kind of filter) is passed on as it came.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

from annotation.exceptions import MarketError
from annotation.mturk.channels import call_operation, member_name
from annotation.mturk.client import SERVICE_MODEL, Market

DRAFT, ACTIVE, PAUSED, COMPLETED = "draft", "active", "paused", "completed"
PAID, NOT_PAID = "paid", "not-paid"
# The kind of waiting action: Prolific's cost lacks bonuses that it has accepted.
COST = "cost"
LEFT = frozenset({"RETURNED", "TIMED-OUT"})
SELECT, RANGE = "select", "range"
MIN_REASON_CHARS = 100
# The words are those of the wire, on which both sides agree.
_WIRE = SERVICE_MODEL / "assay" / "2026-11-22" / "service-2.json"
CATEGORIES: tuple[str, ...] = tuple(json.loads(_WIRE.read_text("utf-8"))["shapes"]["ProlificCategory"]["enum"])


@dataclass(frozen=True, slots=True)
class ProlificProject:
    """A project of a workspace."""

    project_id: str
    title: str


@dataclass(frozen=True, slots=True)
class ProlificWorkspace:
    """A workspace with what it can spend."""

    workspace_id: str
    title: str
    currency: str
    available_minor: int | None
    projects: tuple[ProlificProject, ...]


@dataclass(frozen=True, slots=True)
class ProlificAccountRecord:
    """The account of the stored token; `token_end`: its last four characters. Without a token nothing else is known."""

    connected: bool
    token_end: str = ""
    email: str = ""
    workspace_id: str = ""
    project_id: str = ""
    workspaces: tuple[ProlificWorkspace, ...] = ()

    @property
    def workspace(self) -> ProlificWorkspace | None:
        """The chosen workspace."""
        return next((row for row in self.workspaces if row.workspace_id == self.workspace_id), None)

    @property
    def project(self) -> ProlificProject | None:
        """The chosen project."""
        projects = self.workspace.projects if self.workspace else ()
        return next((row for row in projects if row.project_id == self.project_id), None)


@dataclass(frozen=True, slots=True)
class FilterOption:
    """A filter that Prolific offers: choices of a `select`, bounds of a `range`; other kinds cannot be chosen here."""

    filter_id: str
    title: str
    description: str
    kind: str
    choices: tuple[tuple[str, str], ...] = ()
    lowest: float | None = None
    highest: float | None = None

    @property
    def is_known(self) -> bool:
        """Whether it is of a kind that can be chosen."""
        return self.kind == RANGE or (self.kind == SELECT and bool(self.choices))


@dataclass(frozen=True, slots=True)
class ChosenFilter:
    """What of a filter is allowed: some choices, or a range of which either end may be open."""

    filter_id: str
    values: tuple[str, ...] = ()
    lower: float | None = None
    upper: float | None = None

    def members(self) -> dict[str, Any]:
        """As the operations name it."""
        bounds = {"Lower": self.lower, "Upper": self.upper}
        ends = {name: float(value) for name, value in bounds.items() if value is not None}
        return {"FilterId": self.filter_id, **({"Values": list(self.values)} if self.values else {}), **ends}


@dataclass(frozen=True, slots=True)
class EligiblePeople:
    """How many people fit the filters; `too_few`: fewer than the least number that Prolific names."""

    people: int
    too_few: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ProlificDraft:
    """What a study on Prolific is to be; None leaves a value as it is."""

    description: str | None = None
    minutes: int | None = None
    reward_minor: int | None = None
    highest_reward_minor: int | None = None
    places: int | None = None
    devices: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None
    content_warnings: tuple[str, ...] | None = None
    content_warning_details: str | None = None
    filters: tuple[ChosenFilter, ...] | None = None
    excludes_earlier: bool | None = None

    def members(self) -> dict[str, Any]:
        """As the operations name them."""
        values = {row.name: getattr(self, row.name) for row in fields(self) if row.name != "filters"}
        named = {member_name(name): value for name, value in values.items() if value is not None}
        members = {name: list(value) if isinstance(value, tuple) else value for name, value in named.items()}
        if self.filters is not None:
            members["Filters"] = [chosen.members() for chosen in self.filters]
        return members


@dataclass(frozen=True, slots=True)
class ProlificQuote:
    """What a study will cost. `fees_minor`: Prolific's fee with its tax. `bonus_reserve_minor`: what conditions that
    pay more than the advertised reward can cost at most, with fees. `problems` stop publishing, `warnings` do not."""

    currency: str
    reward_minor: int
    places: int
    rewards_minor: int
    fees_minor: int
    total_minor: int
    bonus_reserve_minor: int
    available_minor: int | None
    hourly_minor: int
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def reserved_minor(self) -> int:
        """What the budget must hold."""
        return self.total_minor + self.bonus_reserve_minor


@dataclass(frozen=True, slots=True)
class WaitingAction:
    """An action towards Prolific that is not done: since when, how often it was tried, and why it failed last.

    `failed`: it is not tried again until somebody asks for it.
    """

    kind: str
    since: datetime
    attempts: int
    error: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class UnknownBatch:
    """Bonuses whose payment was sent and not answered. `seen_minor`: what Prolific shows as paid by now."""

    batch_id: str
    amount_minor: int
    people: int
    sent_at: datetime
    seen_minor: int


@dataclass(frozen=True, slots=True)
class ProlificStudyRecord:
    """A study on Prolific as the marketplace knows it. `status`: draft, or Prolific's word in small letters.

    What a draft does not say yet is None.
    """

    channel_id: str
    status: str
    address: str
    description: str
    minutes: int | None
    reward_minor: int | None
    highest_reward_minor: int | None
    places: int | None
    devices: tuple[str, ...]
    labels: tuple[str, ...]
    content_warnings: tuple[str, ...]
    content_warning_details: str
    filters: tuple[ChosenFilter, ...]
    excludes_earlier: bool
    currency: str
    total_minor: int
    paid_minor: int
    fees_minor: int
    bonus_paid_minor: int
    bonus_reserve_minor: int
    counts: Mapping[str, int] = field(default_factory=dict)
    waiting: tuple[WaitingAction, ...] = ()
    unknown_batches: tuple[UnknownBatch, ...] = ()
    # Fields of Prolific's answers that the marketplace does not know: JSON by name, "" for those of submissions.
    unknown_fields: Mapping[str, str] = field(default_factory=dict)
    last_sync_at: datetime | None = None
    sync_error: str = ""
    hooks_work: bool = False


@dataclass(frozen=True, slots=True)
class ProlificSubmissionRecord:
    """A person's submission by a key of ours, never by an id of Prolific's."""

    key: str
    status: str
    path: str
    decision: str
    assignment_ids: tuple[str, ...]
    started_at: datetime | None
    completed_at: datetime | None
    return_requested_at: datetime | None
    bonus_minor: int
    note: str

    @property
    def has_left(self) -> bool:
        """Whether the person returned it or ran out of time: Prolific pays no reward for it."""
        return self.status in LEFT


def connect_account(market: Market, token: str) -> ProlificAccountRecord:
    """Store a token that Prolific accepts. Raises StateError at `token` where it does not."""
    return _account(call_operation(market, "connect_prolific", Token=token))


def disconnect_account(market: Market) -> ProlificAccountRecord:
    """Delete the stored token."""
    return _account(call_operation(market, "disconnect_prolific"))


def get_account(market: Market) -> ProlificAccountRecord:
    """The account with its workspaces and balances as they are now."""
    return _account(call_operation(market, "get_prolific_account"))


def choose_project(market: Market, *, workspace_id: str, project_id: str) -> ProlificAccountRecord:
    """New studies are made in this project."""
    names = {"WorkspaceId": workspace_id, "ProjectId": project_id}
    return _account(call_operation(market, "choose_prolific_project", **names))


def list_filters(market: Market) -> list[FilterOption]:
    """The filters that Prolific offers now."""
    return [
        FilterOption(
            row["FilterId"],
            row["Title"],
            row.get("Description", ""),
            row["Kind"],
            tuple((choice["Value"], choice["Label"]) for choice in row.get("Choices", ())),
            _number(row, "Lowest"),
            _number(row, "Highest"),
        )
        for row in call_operation(market, "list_prolific_filters")["Filters"]
    ]


def count_people(market: Market, filters: Sequence[ChosenFilter]) -> EligiblePeople:
    """How many people pass every filter."""
    rows = [chosen.members() for chosen in filters]
    answer = call_operation(market, "count_prolific_people", Filters=rows)
    return EligiblePeople(answer["People"], answer["TooFew"])


def set_draft(market: Market, channel_id: str, draft: ProlificDraft) -> ProlificStudyRecord:
    """Set what `draft` names. Raises StateError, naming the field, for what Prolific does not allow."""
    return _study(call_operation(market, "set_prolific_draft", ChannelId=channel_id, **draft.members()))


def quote_study(market: Market, channel_id: str) -> ProlificQuote:
    """What the study costs by Prolific's own calculation."""
    row = call_operation(market, "quote_prolific_study", ChannelId=channel_id)
    values: dict[str, Any] = {item.name: row.get(member_name(item.name)) for item in fields(ProlificQuote)}
    sentences = {name: tuple(values[name] or ()) for name in ("problems", "warnings")}
    return ProlificQuote(**{**values, **sentences})


def publish_study(market: Market, channel_id: str, *, total_minor: int, token: str) -> ProlificStudyRecord:
    """Publish for a total that was shown; again with the same token, nothing more. Raises StateError for another."""
    members = {"ChannelId": channel_id, "TotalMinor": total_minor, "ClientToken": token}
    return _study(call_operation(market, "publish_prolific_study", **members))


def pause_study(market: Market, channel_id: str) -> ProlificStudyRecord:
    """Admit no new people; who is inside can finish."""
    return _study(call_operation(market, "pause_prolific_study", ChannelId=channel_id))


def start_study(market: Market, channel_id: str) -> ProlificStudyRecord:
    """Admit people again after a pause."""
    return _study(call_operation(market, "start_prolific_study", ChannelId=channel_id))


def stop_study(market: Market, channel_id: str) -> ProlificStudyRecord:
    """End recruitment; places that nobody holds are not paid."""
    return _study(call_operation(market, "stop_prolific_study", ChannelId=channel_id))


def add_places(market: Market, channel_id: str, places: int) -> ProlificStudyRecord:
    """Raise the places to a total."""
    return _study(call_operation(market, "add_prolific_places", ChannelId=channel_id, Places=places))


def get_study(market: Market, channel_id: str) -> ProlificStudyRecord:
    """The study with its money, its submissions by status, what waits and what is unknown."""
    return _study(call_operation(market, "get_prolific_study", ChannelId=channel_id))


def list_submissions(market: Market, channel_id: str) -> list[ProlificSubmissionRecord]:
    """Every submission by our key."""
    rows = call_operation(market, "list_prolific_submissions", ChannelId=channel_id)["Submissions"]
    return [_submission(row) for row in rows]


def get_work(market: Market, assignment_id: str) -> ProlificSubmissionRecord | None:
    """The submission of the person of an assignment; None where they came another way, or Prolific does not know it."""
    row = call_operation(market, "get_prolific_work", AssignmentId=assignment_id).get("Submission")
    return _submission(row) if row else None


def _submission(row: Mapping[str, Any]) -> ProlificSubmissionRecord:
    return ProlificSubmissionRecord(
        key=row["Key"],
        status=row["Status"],
        path=row.get("Path", ""),
        decision=row.get("Decision", ""),
        assignment_ids=tuple(row.get("AssignmentIds", ())),
        started_at=_at(row, "StartedAt"),
        completed_at=_at(row, "CompletedAt"),
        return_requested_at=_at(row, "ReturnRequestedAt"),
        bonus_minor=row.get("BonusMinor", 0),
        note=row.get("Note", ""),
    )


def request_return(market: Market, assignment_id: str, reasons: Sequence[str]) -> None:
    """Ask the person to return the submission; they decide."""
    call_operation(market, "request_prolific_return", AssignmentId=assignment_id, Reasons=list(reasons))


def reject_work(market: Market, assignment_id: str, *, feedback: str, category: str) -> bool:
    """Reject work of a person from Prolific with one of CATEGORIES; the person reads `feedback`.

    Work that is already rejected stays so. False: it was approved before, on Prolific's own site perhaps.
    """
    members = {"AssignmentId": assignment_id, "RequesterFeedback": feedback, "Category": category}
    try:
        call_operation(market, "reject_prolific_work", **members)
    except MarketError as error:
        return market.state_after(error, assignment_id, ("Rejected", "Approved")) == "Rejected"
    return True


def retry_actions(market: Market, channel_id: str) -> ProlificStudyRecord:
    """Let failed actions be tried again."""
    return _study(call_operation(market, "retry_prolific_action", ChannelId=channel_id))


def settle_batch(market: Market, channel_id: str, batch_id: str, *, outcome: str) -> ProlificStudyRecord:
    """Say what became of bonuses whose payment was not answered: PAID or NOT_PAID."""
    members = {"ChannelId": channel_id, "BatchId": batch_id, "Outcome": outcome}
    return _study(call_operation(market, "settle_prolific_bonus_batch", **members))


def _account(row: Mapping[str, Any]) -> ProlificAccountRecord:
    if not row["Connected"]:
        return ProlificAccountRecord(connected=False)
    return ProlificAccountRecord(
        connected=True,
        token_end=row["TokenEnd"],
        email=row.get("Email", ""),
        workspace_id=row.get("WorkspaceId", ""),
        project_id=row.get("ProjectId", ""),
        workspaces=tuple(_workspace(workspace) for workspace in row.get("Workspaces", ())),
    )


def _workspace(row: Mapping[str, Any]) -> ProlificWorkspace:
    projects = tuple(ProlificProject(project["ProjectId"], project["Title"]) for project in row["Projects"])
    return ProlificWorkspace(row["WorkspaceId"], row["Title"], row["Currency"], row.get("AvailableMinor"), projects)


_PLAIN = (
    "channel_id",
    "status",
    "address",
    "description",
    "minutes",
    "reward_minor",
    "places",
    "content_warning_details",
    "excludes_earlier",
    "currency",
    "total_minor",
    "paid_minor",
    "fees_minor",
    "bonus_paid_minor",
    "bonus_reserve_minor",
)


def _study(row: Mapping[str, Any]) -> ProlificStudyRecord:
    return ProlificStudyRecord(
        **{name: row.get(member_name(name)) for name in _PLAIN},  # type: ignore[arg-type]
        highest_reward_minor=row.get("HighestRewardMinor") or row.get("RewardMinor"),
        devices=tuple(row.get("Devices", ())),
        labels=tuple(row.get("Labels", ())),
        content_warnings=tuple(row.get("ContentWarnings", ())),
        filters=tuple(_chosen(chosen) for chosen in row.get("Filters", ())),
        counts={count["Status"]: count["Count"] for count in row.get("Counts", ())},
        waiting=tuple(
            WaitingAction(
                action["Kind"],
                action["Since"].astimezone(UTC),
                action["Attempts"],
                action.get("Error", ""),
                action.get("Failed", False),
            )
            for action in row.get("Waiting", ())
        ),
        unknown_batches=tuple(
            UnknownBatch(
                batch["BatchId"],
                batch["AmountMinor"],
                batch["People"],
                batch["SentAt"].astimezone(UTC),
                batch["AlreadyPaidMinor"],
            )
            for batch in row.get("UnknownBatches", ())
        ),
        unknown_fields={item["Name"]: item.get("Value", "") for item in row.get("UnknownFields", ())},
        last_sync_at=_at(row, "LastSyncAt"),
        sync_error=row.get("SyncError", ""),
        hooks_work=row.get("HooksWork", False),
    )


def _chosen(row: Mapping[str, Any]) -> ChosenFilter:
    return ChosenFilter(row["FilterId"], tuple(row.get("Values", ())), _number(row, "Lower"), _number(row, "Upper"))


def _number(row: Mapping[str, Any], name: str) -> float | None:
    value = row.get(name)
    return None if value in (None, "") else float(value)


def _at(row: Mapping[str, Any], name: str) -> datetime | None:
    moment: datetime | None = row.get(name)
    return moment.astimezone(UTC) if moment else None
