"""The stub as a function from request to answer: token, faults, shapes, handlers, log, stored state."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

# Handlers register themselves when they are imported.
from annotation.rehearsal.prolific_stub import accounts, bonuses, correspondence, steering, studies  # noqa: F401
from annotation.rehearsal.prolific_stub.account_state import AccountState, load_account, new_account, save_account
from annotation.rehearsal.prolific_stub.answers import ApiError, Record, StubAnswer
from annotation.rehearsal.prolific_stub.events import wait_until_sent
from annotation.rehearsal.prolific_stub.faults import RequestFault, strike
from annotation.rehearsal.prolific_stub.other_forms import in_other_form, shorten_page
from annotation.rehearsal.prolific_stub.routing import HANDLERS, ApiCall, check_query, match_operation, read_body


@dataclass(frozen=True)
class Request:
    """A request as it came."""

    method: str
    target: str
    raw: bytes
    authorization: str = ""


@dataclass
class Application:
    """The account, its log of requests, and the files in which they survive the process."""

    state: Path | None = None
    log: Path | None = None
    world: AccountState = field(default_factory=new_account)
    requests: list[Record] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        if self.state is not None and self.state.exists():
            self.world = load_account(self.state)

    def answer(self, request: Request) -> StubAnswer | None:
        """Return the answer; None where the connection ends without any."""
        path = urlsplit(request.target).path
        if path == f"{steering.PREFIX}hooks/wait":
            # Outside the lock: who receives a hook may ask the stub before answering.
            wait_until_sent()
            return StubAnswer(200, {})
        with self.lock:
            if path.startswith(steering.PREFIX):
                return self._steer(path.removeprefix(steering.PREFIX), request)
            answer = self._serve(path, request)
            self._store()
            return answer

    def _steer(self, name: str, request: Request) -> StubAnswer:
        data = json.loads(request.raw or b"{}")
        if name.startswith("participants/"):
            name, data = _as_play(name, request)
        if name == "reset":
            # Ids are given once, also across accounts: a client may still know the earlier ones.
            number, self.world, self.requests = self.world.last_number, new_account(), []
            self.world.last_number = number
            result: Any = {}
        elif name == "requests":
            result = self.requests
        elif name in steering.COMMANDS:
            try:
                result = steering.COMMANDS[name](self.world, data)
            except ApiError as error:
                return error.to_answer()
        else:
            return ApiError(404, f"No such command: {name}").to_answer()
        self._store()
        return StubAnswer(200, result)

    def _store(self) -> None:
        if self.state is not None:
            save_account(self.world, self.state)

    def _serve(self, path: str, request: Request) -> StubAnswer | None:
        entry: Record = {"method": request.method, "path": path, "query": urlsplit(request.target).query}
        entry |= {"body": request.raw.decode("utf-8", "replace"), "operation": None, "fault": None}
        fault: RequestFault | None = None
        try:
            self._check_token(request)
            operation, names = match_operation(request.method, path)
            entry["operation"] = operation
            fault = strike(self.world, operation)
            entry["fault"] = fault.kind if fault else None
            if fault is None or fault.has_effect:
                answer = self._carry_out(operation, names, path, request)
            else:
                answer = StubAnswer(502)
        except ApiError as error:
            answer = error.to_answer()
        entry |= {"status": answer.status, "answer": answer.body}
        self._write_log(entry)
        if fault is not None:
            return _faulty(fault, answer)
        if self.world.settings.answers_in_other_forms:
            return in_other_form(entry["operation"] or "", answer)
        return self._with_unknown_fields(answer)

    def _check_token(self, request: Request) -> None:
        scheme, _, token = request.authorization.partition(" ")
        if scheme != "Token" or not token:
            raise ApiError(401, "Authentication credentials were not provided.")
        if token != self.world.settings.token:
            raise ApiError(403, "The token is not valid.")

    def _carry_out(self, operation: str, names: dict[str, str], path: str, request: Request) -> StubAnswer:
        query = dict(parse_qsl(urlsplit(request.target).query, keep_blank_values=True))
        check_query(operation, query)
        if self.world.settings.answers_in_other_forms:
            query = shorten_page(operation, query)
        body = read_body(operation, request.raw)
        names = {name: unquote(value) for name, value in names.items()}
        return HANDLERS[operation](ApiCall(operation, self.world, path, names, query, body))

    def _with_unknown_fields(self, answer: StubAnswer) -> StubAnswer:
        if not self.world.settings.has_unknown_fields or not isinstance(answer.body, dict):
            return answer
        added = {"field_of_next_year": {"nested": ["value"]}}
        body = answer.body | added
        if isinstance(body.get("results"), list):
            body["results"] = [row | added if isinstance(row, dict) else row for row in body["results"]]
        return StubAnswer(answer.status, body, answer.headers)

    def _write_log(self, entry: Record) -> None:
        entry["number"] = len(self.requests) + 1
        self.requests.append(entry)
        if self.log is not None:
            with self.log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")


def _as_play(name: str, request: Request) -> tuple[str, Record]:
    """`participants/N/arrive`, `.../complete?cc=CODE`, `.../return`, `.../timeout` as the command `play`."""
    _, person, deed = [*name.split("/"), "", ""][:3]
    query = dict(parse_qsl(urlsplit(request.target).query))
    return "play", {"person": person, "deed": deed, "code": query.get("cc")} | query


def _faulty(fault: RequestFault, answer: StubAnswer) -> StubAnswer | None:
    if fault.kind.startswith("drop"):
        return None
    if fault.kind == "throttle":
        error = ApiError(429, "Too many requests.").to_answer()
        error.headers["Retry-After"] = str(fault.retry_after_seconds)
        return error
    # What a failing gateway answers is not the API's error body.
    return StubAnswer(502, "<html>Bad Gateway</html>", {"Content-Type": "text/html"})
