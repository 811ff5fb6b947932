"""Assay's marketplace as the requester side hears it about Prolific: fixed numbers, and what it was asked."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from annotation.mturk.client import Market
from annotation.mturk.records import RequesterName

CHANNEL = "C0PROLIFIC"
AT = datetime(2026, 11, 24, 9, tzinfo=UTC)
COUNTRY = {
    "FilterId": "country",
    "Title": "Country of residence",
    "Description": "Where people live.",
    "Kind": "select",
    "Choices": [{"Value": "0", "Label": "United Kingdom"}, {"Value": "1", "Label": "United States"}],
}
AGE = {"FilterId": "age", "Title": "Age", "Description": "In years.", "Kind": "range", "Lowest": 18.0, "Highest": 100.0}
STARS = {"FilterId": "stars", "Title": "Favourite constellation", "Kind": "constellation"}
WORKSPACE = {
    "WorkspaceId": "w1",
    "Title": "Language lab",
    "Currency": "GBP",
    "AvailableMinor": 500_000,
    "Projects": [{"ProjectId": "p1", "Title": "Ratings"}, {"ProjectId": "p2", "Title": "Pilots"}],
}


class PretendMarketplace:
    """Answers each operation on Prolific; `calls`: operation and members as they came."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.account: dict[str, Any] = {"Connected": False}
        self.submissions: list[dict[str, Any]] = []
        self.quote: dict[str, Any] = {
            "Currency": "USD",
            "RewardMinor": 150,
            "Places": 12,
            "RewardsMinor": 1800,
            "FeesMinor": 719,
            "TotalMinor": 2519,
            "BonusReserveMinor": 840,
            "AvailableMinor": 500_000,
            "HourlyMinor": 900,
            "Problems": [],
        }
        self.study: dict[str, Any] = {
            "ChannelId": CHANNEL,
            "Status": "draft",
            "Address": "",
            "Description": "",
            "Minutes": 10,
            "RewardMinor": 150,
            "HighestRewardMinor": 200,
            "Places": 12,
            "ContentWarningDetails": "",
            "ExcludesEarlier": True,
            "Currency": "USD",
            "TotalMinor": 2519,
            "PaidMinor": 0,
            "FeesMinor": 0,
            "BonusPaidMinor": 0,
            "BonusReserveMinor": 840,
            "Filters": [],
        }

    def call(self, operation: str, **members: Any) -> dict[str, Any]:
        self.calls.append((operation, members))
        answer: dict[str, Any] = getattr(self, operation, self.get_prolific_study)(**members)
        return answer

    def last(self, operation: str) -> dict[str, Any]:
        """The members of the last call of the operation."""
        return next(members for name, members in reversed(self.calls) if name == operation)

    def create_channel(self, **members: Any) -> dict[str, Any]:
        return self.get_channel()

    def list_channels(self, **members: Any) -> dict[str, Any]:
        return {"Channels": [self.get_channel()]}

    def get_channel(self, **members: Any) -> dict[str, Any]:
        texts = ("Consent", "ConsentVersion", "Debrief", "DebriefVersion", "ReturnUrl", "CompletionCode", "StopCode")
        counts = ("Opened", "Consented", "Began", "Finished", "StoppedEarly", "Returned", "Withdrew")
        return {
            **dict.fromkeys((*texts, "Contact", "Link", "PayWords"), ""),
            "ChannelId": CHANNEL,
            "Study": self.tag,
            "Name": "Prolific",
            "Title": "Headlines",
            "Kind": "prolific",
            "Version": 1,
            "Pays": "prolific",
            "CreatedAt": AT,
            "CodesMissing": 0,
            "IdParameters": [],
            "IdOptional": False,
            "Invited": 0,
            "Funnel": {**dict.fromkeys(counts, 0), "Refused": []},
        }

    tag = ""

    def get_prolific_account(self, **members: Any) -> dict[str, Any]:
        return self.account

    def connect_prolific(self, **members: Any) -> dict[str, Any]:
        names = {"TokenEnd": members["Token"][-4:], "Email": "lab@example.org"}
        self.account = {"Connected": True, **names, "Workspaces": [WORKSPACE]}
        return self.account

    def choose_prolific_project(self, **members: Any) -> dict[str, Any]:
        self.account |= members
        return self.account

    def disconnect_prolific(self, **members: Any) -> dict[str, Any]:
        self.account = {"Connected": False}
        return self.account

    def list_prolific_filters(self, **members: Any) -> dict[str, Any]:
        return {"Filters": [COUNTRY, AGE, STARS]}

    def count_prolific_people(self, **members: Any) -> dict[str, Any]:
        return {"People": 24_000, "TooFew": False}

    def set_prolific_draft(self, **members: Any) -> dict[str, Any]:
        self.study |= members
        return self.study

    def quote_prolific_study(self, **members: Any) -> dict[str, Any]:
        return self.quote

    def publish_prolific_study(self, **members: Any) -> dict[str, Any]:
        self.study["Status"] = "publishing"
        return self.study

    def get_prolific_study(self, **members: Any) -> dict[str, Any]:
        return self.study

    def list_prolific_submissions(self, **members: Any) -> dict[str, Any]:
        return {"Submissions": self.submissions}

    def get_prolific_work(self, **members: Any) -> dict[str, Any]:
        rows = [row for row in self.submissions if members["AssignmentId"] in row["AssignmentIds"]]
        return {"CameByProlific": bool(rows), **({"Submission": rows[0]} if rows else {})}

    def request_prolific_return(self, **members: Any) -> dict[str, Any]:
        return {}

    def reject_prolific_work(self, **members: Any) -> dict[str, Any]:
        return {}


def pretend(monkeypatch: pytest.MonkeyPatch) -> PretendMarketplace:
    """Let every Market answer so until the test ends."""
    marketplace = PretendMarketplace()
    monkeypatch.setattr(Market, "call_extension", lambda market, name, **members: marketplace.call(name, **members))
    monkeypatch.setattr(Market, "requester", lambda market: RequesterName("lab", "Ada Lovelace"))
    return marketplace
