"""Prolific's API over HTTP: the only module that knows its paths. Source: Prolific's public API reference.

Every failure is a ProlificError, which says whether trying later can help, and whether the call may have had its
effect. Its sentence holds no id of a person.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
from django.conf import settings

from annotation.marketplace.prolific.records import (
    AccountRecord,
    BonusBatchRecord,
    BonusLine,
    CostRecord,
    FilterRecord,
    Minor,
    SessionRecord,
    StudyRecord,
    WorkspaceRecord,
    minor_of,
)

# httpx logs every address at INFO, and the ids of submissions are in addresses.
logging.getLogger("httpx").setLevel(logging.WARNING)

PREFIX = "/api/v1"
TIMEOUT_SECONDS = 30.0
PAGE_SIZE = 100
MAX_PAGES = 1000
LONGEST_DETAIL = 300
TOO_MANY = 429
_ID = re.compile(r"\b[0-9a-f]{24}\b", re.IGNORECASE)

Json = dict[str, Any]


class ProlificError(Exception):
    """A call that failed.

    later: trying again later can help, after `retry_after` where Prolific names it. unanswered: the call may have had
    its effect. status: of the answer; 0 without one.
    """

    def __init__(
        self,
        sentence: str,
        *,
        status: int = 0,
        later: bool = False,
        unanswered: bool = False,
        retry_after: timedelta | None = None,
    ) -> None:
        super().__init__(sentence)
        self.status, self.later, self.unanswered, self.retry_after = status, later, unanswered, retry_after


class Client:
    """Calls with one account's token. Each raises ProlificError."""

    def __init__(self, token: str, *, transport: httpx.BaseTransport | None = None) -> None:
        base = settings.PROLIFIC_API_URL.rstrip("/")
        self._http = httpx.Client(
            base_url=base + PREFIX,
            headers={"Authorization": f"Token {token}"},
            timeout=TIMEOUT_SECONDS,
            transport=transport,
            # A proxy of the environment does not lead to this machine.
            trust_env=urlsplit(base).hostname not in {"127.0.0.1", "localhost"},
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    # Account

    def get_account(self) -> AccountRecord:
        """Whose token it is: the check that it works."""
        document = self._call("GET", "/users/me/")
        return AccountRecord(str(document.get("email") or ""), str(document.get("currency_code") or ""))

    def list_workspaces(self) -> list[WorkspaceRecord]:
        """Every workspace with its balance and projects."""
        return [self._workspace(row) for row in self._windows("/workspaces/")]

    def _workspace(self, row: Json) -> WorkspaceRecord:
        key = str(row["id"])
        balance = self._call("GET", f"/workspaces/{key}/balance/")
        projects = self._windows(f"/workspaces/{key}/projects/")
        return WorkspaceRecord(
            workspace_id=key,
            title=str(row.get("title") or row.get("name") or key),
            currency=str(balance.get("currency_code") or ""),
            available=minor_of(balance["available_balance"]) if "available_balance" in balance else None,
            projects=tuple((str(project["id"]), str(project.get("title") or project["id"])) for project in projects),
        )

    def get_available_balance(self, workspace_id: str) -> Minor | None:
        """What a workspace can spend; None where the answer does not say."""
        balance = self._call("GET", f"/workspaces/{workspace_id}/balance/")
        return minor_of(balance["available_balance"]) if "available_balance" in balance else None

    # Filters and prices

    def list_filters(self, workspace_id: str) -> list[FilterRecord]:
        """Every filter that people can be chosen by."""
        return [FilterRecord.of(row) for row in self._windows("/filters/", {"workspace_id": workspace_id})]

    def count_eligible(self, filters: Sequence[Json]) -> int:
        """How many people pass every filter."""
        return int(self._call("POST", "/eligibility-count/", {"filters": list(filters)}).get("count") or 0)

    def calculate_cost(self, reward: Minor, places: int) -> Minor:
        """The total for `places` people at `reward` each, with fees and tax."""
        body = {"reward": reward.units, "total_available_places": places}
        return minor_of(self._call("POST", "/study-cost-calculator/", body).get("total_cost"))

    # Studies

    def find_study(self, project_id: str, key: str) -> StudyRecord | None:
        """The study of a project whose internal name holds `key`."""
        for row in self._windows(f"/projects/{project_id}/studies/"):
            if key in str(row.get("internal_name") or "") or key in str(row.get("metadata") or ""):
                return StudyRecord.of(row)
        return None

    def create_study(self, fields: Json) -> StudyRecord:
        """A draft. Not repeatable: look with `find_study` before."""
        return StudyRecord.of(self._call("POST", "/studies/", fields))

    def get_study(self, study_id: str) -> StudyRecord:
        """A study as it is now."""
        return StudyRecord.of(self._call("GET", f"/studies/{study_id}/"))

    def update_study(self, study_id: str, fields: Json) -> StudyRecord:
        """Change fields of a study."""
        return StudyRecord.of(self._call("PATCH", f"/studies/{study_id}/", fields))

    def transition_study(self, study_id: str, action: str) -> None:
        """PUBLISH, PAUSE, START or STOP a study."""
        self._call("POST", f"/studies/{study_id}/transition/", {"action": action})

    def get_cost(self, study_id: str) -> CostRecord:
        """What a study has cost so far."""
        return CostRecord.of(self._call("GET", f"/studies/{study_id}/cost/"))

    # Groups of people

    def find_group(self, workspace_id: str, name: str) -> str:
        """The id of a group by its name; "" for none."""
        rows = self._windows("/participant-groups/", {"workspace_id": workspace_id})
        return next((str(row["id"]) for row in rows if row.get("name") == name), "")

    def create_group(self, workspace_id: str, name: str) -> str:
        """The id of a new group. Not repeatable: look with `find_group` before."""
        return str(self._call("POST", "/participant-groups/", {"workspace_id": workspace_id, "name": name})["id"])

    # Submissions

    def list_submissions(self, study_id: str) -> list[SessionRecord]:
        """Every submission of a study."""
        return [SessionRecord.of(row) for row in self._pages("/submissions/", {"study": study_id})]

    def get_submission(self, session_id: str) -> SessionRecord:
        """One submission."""
        return SessionRecord.of(self._call("GET", f"/submissions/{session_id}/"))

    def transition_submission(self, session_id: str, fields: Json) -> None:
        """APPROVE, REJECT or COMPLETE a submission."""
        self._call("POST", f"/submissions/{session_id}/transition/", fields)

    def request_return(self, session_id: str, reasons: Sequence[str]) -> None:
        """Ask a person to return their submission."""
        body = {"request_return_reasons": list(reasons)}
        self._call("POST", f"/submissions/{session_id}/request-return/", body)

    # Bonuses

    def create_bonuses(self, study_id: str, lines: Sequence[BonusLine], currency: str) -> BonusBatchRecord:
        """Bonuses that are known to Prolific afterwards, and paid by `pay_bonuses` only. Amounts go as decimals."""
        text = "\n".join(f"{line.session_id},{line.amount.as_decimal(currency)}" for line in lines)
        document = self._call("POST", "/submissions/bonus-payments/", {"study_id": study_id, "csv_bonuses": text})
        fees = minor_of(document.get("fees")) + minor_of(document.get("vat"))
        return BonusBatchRecord(str(document["id"]), minor_of(document.get("amount")), fees)

    def pay_bonuses(self, batch_id: str) -> None:
        """Pay. Sent twice it pays twice."""
        self._call("POST", f"/bulk-bonus-payments/{batch_id}/pay/")

    # Hooks

    def list_event_types(self) -> list[str]:
        """The events that can be subscribed to."""
        rows = self._windows("/hooks/event-types/")
        return [str(row.get("event_type") or "") for row in rows]

    def create_secret(self, workspace_id: str) -> str:
        """What hooks of a workspace are signed with from now on."""
        return str(self._call("POST", "/hooks/secrets/", {"workspace_id": workspace_id})["value"])

    def list_hook_events(self, workspace_id: str, address: str) -> set[str]:
        """The events of which `address` is told already."""
        rows = self._windows("/hooks/subscriptions/", {"workspace_id": workspace_id})
        return {str(row.get("event_type")) for row in rows if row.get("target_url") == address}

    def subscribe(self, workspace_id: str, event_type: str, address: str) -> None:
        """Have `address` told of an event, confirmed at once."""
        body = {"workspace_id": workspace_id, "event_type": event_type, "target_url": address}
        response = self._send("POST", "/hooks/subscriptions/", body)
        secret = response.headers.get("X-Hook-Secret", "")
        self._call("POST", f"/hooks/subscriptions/{_document(response)['id']}/", {"secret": secret})

    # HTTP

    def _windows(self, path: str, query: Mapping[str, Any] | None = None) -> Iterator[Json]:
        """The rows of a list that is read by limit and offset, to its end."""
        for number in range(MAX_PAGES):
            window = {**(query or {}), "limit": PAGE_SIZE, "offset": number * PAGE_SIZE}
            rows, is_last = _rows(self._call("GET", path, query=window))
            yield from rows
            if is_last:
                return

    def _pages(self, path: str, query: Mapping[str, Any]) -> Iterator[Json]:
        """The rows of a list that is read by pages, to its end."""
        for number in range(1, MAX_PAGES + 1):
            rows, is_last = _rows(self._call("GET", path, query={**query, "page": number, "page_size": PAGE_SIZE}))
            yield from rows
            if is_last:
                return

    def _call(self, method: str, path: str, body: Json | None = None, query: Json | None = None) -> Json:
        return _document(self._send(method, path, body, query))

    def _send(self, method: str, path: str, body: Json | None = None, query: Json | None = None) -> httpx.Response:
        try:
            response = self._http.request(method, path, json=body, params=query)
        except httpx.ConnectError:
            raise ProlificError("Prolific cannot be reached.", later=True) from None
        except httpx.HTTPError as error:
            sentence = f"Prolific did not answer ({type(error).__name__})."
            raise ProlificError(sentence, later=True, unanswered=True) from None
        if response.is_success:
            return response
        raise _refusal(response)


def _document(response: httpx.Response) -> Json:
    """The JSON object of an answer; empty for any other. Raises ProlificError where what should be JSON is not."""
    if not response.content:
        return {}
    try:
        document = response.json()
    except ValueError:
        raise ProlificError("Prolific's answer cannot be read.", later=True, unanswered=True) from None
    return document if isinstance(document, dict) else {}


def _rows(document: Json) -> tuple[list[Json], bool]:
    """The rows of one page, and whether it is the last."""
    rows = document.get("results") or []
    links = document.get("_links")
    if not isinstance(links, dict):
        return rows, len(rows) < PAGE_SIZE
    following = links.get("next")
    return rows, not (following.get("href") if isinstance(following, dict) else following)


def _refusal(response: httpx.Response) -> ProlificError:
    status = response.status_code
    later = status == TOO_MANY or status >= httpx.codes.INTERNAL_SERVER_ERROR
    return ProlificError(
        f"Prolific answered {status}: {_detail(response)}",
        status=status,
        later=later,
        unanswered=status >= httpx.codes.INTERNAL_SERVER_ERROR,
        retry_after=_wait(response.headers.get("Retry-After", "")),
    )


def _detail(response: httpx.Response) -> str:
    """What went wrong in Prolific's words, without the ids of people and studies."""
    try:
        error = response.json()["error"]
        detail = error.get("detail") or error.get("title") or ""
    except (ValueError, KeyError, TypeError, AttributeError):
        return response.reason_phrase or "no reason"
    text = (
        detail if isinstance(detail, str) else "; ".join(f"{name}: {_plain(value)}" for name, value in detail.items())
    )
    return without_ids(text)[:LONGEST_DETAIL]


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_plain(part)}" for name, part in value.items())
    return ", ".join(map(_plain, value)) if isinstance(value, list) else str(value)


def without_ids(text: str) -> str:
    """`text` with every id of Prolific's form replaced."""
    return _ID.sub("...", text)


def _wait(header: str) -> timedelta | None:
    """Seconds of a Retry-After; None without, or for a date."""
    return timedelta(seconds=min(int(header), 24 * 3600)) if header.isdigit() else None
