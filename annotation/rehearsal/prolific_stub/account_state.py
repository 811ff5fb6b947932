"""Everything the stub knows, as records that JSON can hold, and its settings."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path

from annotation.rehearsal.prolific_stub.answers import ApiError, Record

TOKEN = "stub-token-0001"  # noqa: S105  the stub's only account
RESEARCHER = "64a0000000000000000000aa"
FIRST_WORKSPACE, SECOND_WORKSPACE = "64b000000000000000000001", "64b000000000000000000002"
FIRST_PROJECT = "64c000000000000000000001"


@dataclass
class Settings:
    """What the documentation leaves open, what accounts differ in, and how the stub misbehaves."""

    token: str = TOKEN
    currency: str = "GBP"
    balance_cents: int = 500_000
    fee_per_mille: int = 333
    vat_per_mille: int = 200
    minimum_hourly_cents: int = 0
    test_participants_enabled: bool = True
    people_may_enter_researcher_codes: bool = False
    decisions_may_be_restored: bool = False
    lists_have_metadata: bool = False
    http_hooks_allowed: bool = True
    # Answers that a later version of the API may give.
    has_unknown_fields: bool = False
    has_unknown_filters: bool = False
    # Ids of filters that the list does not have: the documents do not state all names.
    missing_filters: tuple[str, ...] = ()
    # See `other_forms`.
    answers_in_other_forms: bool = False
    # Bulk approvals and bonuses wait until people/settle is called.
    is_slow: bool = False
    # Hooks: "sent" at once, or "held" until they are released.
    hooks: str = "sent"
    loses_hooks: bool = False
    hook_copies: int = 1
    has_wrong_signatures: bool = False
    hook_age_seconds: int = 0


@dataclass
class AccountState:
    """The records by id, in the order in which they came to be."""

    settings: Settings = field(default_factory=Settings)
    workspaces: dict[str, Record] = field(default_factory=dict)
    projects: dict[str, Record] = field(default_factory=dict)
    studies: dict[str, Record] = field(default_factory=dict)
    submissions: dict[str, Record] = field(default_factory=dict)
    participants: dict[str, Record] = field(default_factory=dict)
    groups: dict[str, Record] = field(default_factory=dict)
    bonus_batches: dict[str, Record] = field(default_factory=dict)
    messages: dict[str, Record] = field(default_factory=dict)
    secrets: dict[str, Record] = field(default_factory=dict)
    subscriptions: dict[str, Record] = field(default_factory=dict)
    deliveries: dict[str, Record] = field(default_factory=dict)
    waiting_effects: list[Record] = field(default_factory=list)
    faults: list[Record] = field(default_factory=list)
    last_number: int = 0
    clock_seconds: int = 0

    def new_id(self) -> str:
        """Return an id of the form that Prolific's ids have: 24 hexadecimal digits."""
        self.last_number += 1
        return f"65f{self.last_number:021x}"

    def now(self) -> str:
        """Return the time, ISO 8601 in UTC, moved on by what tests added."""
        moment = datetime.fromtimestamp(datetime.now(UTC).timestamp() + self.clock_seconds, UTC)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def get(self, table: str, key: str) -> Record:
        """Return a record. Raises ApiError (404) for an id that the table has not."""
        records: dict[str, Record] = getattr(self, table)
        if key not in records:
            raise ApiError(404, f"No {table.rstrip('s')} with the id {key}.")
        return records[key]

    def submissions_of(self, study: Record) -> list[Record]:
        """Return the study's submissions, the earliest first."""
        return [row for row in self.submissions.values() if row["study_id"] == study["id"]]

    def workspace_of(self, study: Record) -> str:
        """Return the id of the workspace in which the study's project is."""
        return str(self.projects[study["project"]]["workspace"])


def new_account() -> AccountState:
    """Return an account with two workspaces of two projects each."""
    world = AccountState()
    for number, workspace in enumerate((FIRST_WORKSPACE, SECOND_WORKSPACE)):
        world.workspaces[workspace] = {"id": workspace, "title": ("Language lab", "Speech lab")[number]}
        for project_number in range(1, 3):
            key = f"{FIRST_PROJECT[:-1]}{2 * number + project_number}"
            title = ("Ratings", "Pilots")[project_number - 1]
            world.projects[key] = {"id": key, "title": title, "workspace": workspace}
    return world


def save_account(world: AccountState, path: Path) -> None:
    """Write the records so that a killed stub goes on from them: a file of its own, then a rename."""
    draft = path.with_suffix(".new")
    draft.write_text(json.dumps(asdict(world)), encoding="utf-8")
    Path(draft).replace(path)


def load_account(path: Path) -> AccountState:
    """Return the stored records. Raises OSError and ValueError for a file that is not there or damaged."""
    data = json.loads(path.read_text(encoding="utf-8"))
    values = {item.name: data[item.name] for item in fields(AccountState) if item.name != "settings"}
    return AccountState(settings=Settings(**data["settings"]), **values)
