"""Prolific's API over HTTP: the only module that knows its paths. Source: Prolific's public API reference.

Every failure is a ProlificError, which says whether trying later can help, and whether the call may have had its
effect. Its sentence holds no id of a person.
"""

from __future__ import annotations

import functools
import logging
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
from django.conf import settings

from annotation.marketplace.prolific.answers import (
    Json,
    ProlificError,
    content,
    document_of,
    ids_in,
    refusal_of,
    rows_of,
)
from annotation.marketplace.prolific.records import (
    AccountRecord,
    BalanceRecord,
    BonusBatchRecord,
    BonusLine,
    CostRecord,
    FilterRecord,
    Minor,
    SessionRecord,
    StudyRecord,
    WorkspaceRecord,
    count_of,
    id_of,
    secret_of,
    total_of,
)

# httpx logs every address at INFO, and the ids of submissions are in addresses.
logging.getLogger("httpx").setLevel(logging.WARNING)

PREFIX = "/api/v1"
TIMEOUT_SECONDS = 30.0
PAGE_SIZE = 100
MAX_PAGES = 1000
# Lists that the public documents do not name with certainty.
NO_SUCH_PATH = frozenset({404, 405})

Read = TypeVar("Read")


@functools.cache
def _certificates() -> ssl.SSLContext:
    """What Prolific's certificate is checked against: reading it takes longer than a call."""
    return httpx.create_ssl_context()


class Client:
    """Calls with one account's token. Each raises ProlificError."""

    def __init__(self, token: str, *, transport: httpx.BaseTransport | None = None) -> None:
        base = settings.PROLIFIC_API_URL.rstrip("/")
        self._http = httpx.Client(
            base_url=base + PREFIX,
            headers={"Authorization": f"Token {token}"},
            timeout=TIMEOUT_SECONDS,
            transport=transport,
            verify=_certificates(),
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
        return AccountRecord.of(self._call("GET", "/users/me/"))

    def list_workspaces(self) -> list[WorkspaceRecord]:
        """Every workspace with its balance and projects."""
        return [self._workspace(row) for row in self._windows("/workspaces/")]

    def _workspace(self, row: Json) -> WorkspaceRecord:
        key = str(row["id"])
        balance = self._balance(key)
        projects = self._windows(f"/workspaces/{key}/projects/")
        return WorkspaceRecord(
            workspace_id=key,
            title=str(row.get("title") or row.get("name") or key),
            currency=balance.currency,
            available=balance.available,
            projects=tuple(
                (str(project["id"]), str(project.get("title") or project.get("name") or project["id"]))
                for project in projects
            ),
        )

    def get_available_balance(self, workspace_id: str) -> Minor | None:
        """What a workspace can spend; None where the answer does not say."""
        return self._balance(workspace_id).available

    def _balance(self, workspace_id: str) -> BalanceRecord:
        return self._read(BalanceRecord.of, self._call("GET", f"/workspaces/{workspace_id}/balance/"))

    # Filters and prices

    def list_filters(self) -> list[FilterRecord]:
        """Every filter that people can be chosen by."""
        return [self._read(FilterRecord.of, row) for row in self._windows("/filters/")]

    def count_eligible(self, filters: Sequence[Json]) -> int:
        """How many people pass every filter."""
        return self._read(count_of, self._call("POST", "/eligibility-count/", {"filters": list(filters)}))

    def calculate_cost(self, reward: Minor, places: int) -> Minor:
        """The total for `places` people at `reward` each, with fees and tax."""
        body = {"reward": reward.units, "total_available_places": places}
        return self._read(total_of, self._call("POST", "/study-cost-calculator/", body))

    # Studies

    def find_study(self, project_id: str, key: str) -> StudyRecord | None:
        """The study of a project whose internal name or metadata hold `key`."""
        for row in self._studies(project_id):
            if key in f"{row.get('internal_name')} {row.get('metadata')}":
                return self._read(StudyRecord.of, row)
            if "internal_name" not in row and "metadata" not in row and "id" in row:
                # A list in short: the study itself says more.
                full = self._call("GET", f"/studies/{row['id']}/")
                if key in f"{full.get('internal_name')} {full.get('metadata')}":
                    return self._read(StudyRecord.of, full)
        return None

    def _studies(self, project_id: str) -> list[Json]:
        """The studies of a project; of the account, where Prolific does not list them by project."""
        try:
            return list(self._windows(f"/projects/{project_id}/studies/"))
        except ProlificError as error:
            if error.status not in NO_SUCH_PATH:
                raise
        return list(self._windows("/studies/"))

    def create_study(self, fields: Json) -> StudyRecord:
        """A draft. Not repeatable: look with `find_study` before."""
        return self._read(StudyRecord.of, self._call("POST", "/studies/", fields))

    def get_study(self, study_id: str) -> StudyRecord:
        """A study as it is now."""
        return self._read(StudyRecord.of, self._call("GET", f"/studies/{study_id}/"))

    def update_study(self, study_id: str, fields: Json) -> StudyRecord:
        """Change fields of a study."""
        return self._read(StudyRecord.of, self._call("PATCH", f"/studies/{study_id}/", fields))

    def transition_study(self, study_id: str, action: str) -> None:
        """PUBLISH, PAUSE, START or STOP a study."""
        self._call("POST", f"/studies/{study_id}/transition/", {"action": action})

    def get_cost(self, study_id: str) -> CostRecord:
        """What a study has cost so far."""
        return self._read(CostRecord.of, self._call("GET", f"/studies/{study_id}/cost/"))

    # Groups of people

    def find_group(self, workspace_id: str, name: str) -> str:
        """The id of a group by its name; "" for none, and where groups are not listed."""
        try:
            rows = list(self._windows("/participant-groups/", {"workspace_id": workspace_id}))
        except ProlificError as error:
            if error.status not in NO_SUCH_PATH:
                raise
            return ""
        return next((str(row["id"]) for row in rows if row.get("name") == name), "")

    def create_group(self, workspace_id: str, name: str) -> str:
        """The id of a new group. Not repeatable: look with `find_group` before."""
        document = self._call("POST", "/participant-groups/", {"workspace_id": workspace_id, "name": name})
        return self._read(id_of, document)

    # Submissions

    def list_submissions(self, study_id: str) -> list[SessionRecord]:
        """Every submission of a study."""
        rows = [self._read(SessionRecord.of, row) for row in self._pages("/submissions/", {"study": study_id})]
        # A row that moves to another page while they are read comes twice.
        return list({row.session_id: row for row in rows}.values())

    def get_submission(self, session_id: str) -> SessionRecord:
        """One submission."""
        return self._read(SessionRecord.of, self._call("GET", f"/submissions/{session_id}/"))

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
        return self._read(BonusBatchRecord.of, document)

    def pay_bonuses(self, batch_id: str) -> None:
        """Pay. Sent twice it pays twice."""
        self._call("POST", f"/bulk-bonus-payments/{batch_id}/pay/")

    # Hooks

    def list_event_types(self) -> list[str]:
        """The events that can be subscribed to."""
        rows = self._windows("/hooks/event-types/")
        return [str(row.get("event_type") or row.get("name") or row.get("id") or "") for row in rows]

    def create_secret(self, workspace_id: str) -> str:
        """What hooks of a workspace are signed with from now on."""
        return self._read(secret_of, self._call("POST", "/hooks/secrets/", {"workspace_id": workspace_id}))

    def list_hook_events(self, workspace_id: str, address: str) -> set[str]:
        """The events of which `address` is told already."""
        rows = self._windows("/hooks/subscriptions/", {"workspace_id": workspace_id})
        return {str(row.get("event_type")) for row in rows if row.get("target_url") == address}

    def subscribe(self, workspace_id: str, event_type: str, address: str) -> None:
        """Have `address` told of an event, confirmed at once."""
        body = {"workspace_id": workspace_id, "event_type": event_type, "target_url": address}
        response = self._send("POST", "/hooks/subscriptions/", body)
        secret = response.headers.get("X-Hook-Secret", "")
        self._call("POST", f"/hooks/subscriptions/{document_of(response)['id']}/", {"secret": secret})

    # HTTP

    def _windows(self, path: str, query: Mapping[str, Any] | None = None) -> Iterator[Json]:
        """The rows of a list that is read by limit and offset, to its end, however many each answer holds."""
        seen, before = 0, list[Json]()
        for _ in range(MAX_PAGES):
            rows, is_last = self._page(path, {**(query or {}), "limit": PAGE_SIZE, "offset": seen}, seen)
            if rows == before:
                # The list takes no window: it is all there is.
                return
            yield from rows
            if is_last:
                return
            seen, before = seen + len(rows), rows

    def _pages(self, path: str, query: Mapping[str, Any]) -> Iterator[Json]:
        """The rows of a list that is read by pages, to its end."""
        seen, before = 0, list[Json]()
        for number in range(1, MAX_PAGES + 1):
            rows, is_last = self._page(path, {**query, "page": number, "page_size": PAGE_SIZE}, seen)
            if rows == before:
                return
            yield from rows
            if is_last:
                return
            seen, before = seen + len(rows), rows

    def _page(self, path: str, query: Json, seen: int) -> tuple[list[Json], bool]:
        """The rows of one page, and whether it is the last. `seen`: how many came before."""
        try:
            document = content(self._send("GET", path, query=query))
        except ProlificError as error:
            if seen and error.status == httpx.codes.NOT_FOUND:
                # A page behind the last.
                return [], True
            raise
        return rows_of(document, seen)

    @staticmethod
    def _read(reader: Callable[[Json], Read], document: Json) -> Read:
        """A record of an answer. Raises ProlificError where the answer has another form: it may have had its effect."""
        try:
            return reader(document)
        except (KeyError, TypeError, ValueError, ArithmeticError) as error:
            sentence = f"Prolific's answer cannot be read ({type(error).__name__})."
            raise ProlificError(sentence, later=True, unanswered=True) from None

    def _call(self, method: str, path: str, body: Json | None = None, query: Json | None = None) -> Json:
        return document_of(self._send(method, path, body, query))

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
        raise refusal_of(response, ids_in(path, body))
