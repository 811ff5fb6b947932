"""Requests to one studio, with the token of a person: lists page by page, long work to its end, errors as sentences."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any

import httpx

from annotation.client.errors import StudioError

PAGE_ROWS = 200  # the most that the web API gives at once
POLL_SECONDS = (0.2, 2.0)  # between two looks at long work: first, and at most
TOO_MANY = 429
# A minute's wait, and a second one where other programs with the same token were quicker.
LONGEST_WAIT_SECONDS = 150.0
Record = dict[str, Any]
Progress = Callable[[str], object]


class ApiConnection:
    """Calls the operations of `/api/v1/`. Every method raises StudioError."""

    def __init__(self, address: str, token: str, *, timeout_seconds: float = 60.0) -> None:
        self.address = address.rstrip("/")
        self._client = httpx.Client(
            base_url=f"{self.address}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            timeout=timeout_seconds,
            follow_redirects=False,
        )

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def __enter__(self) -> ApiConnection:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def get(self, path: str, **query: Any) -> Any:
        """Return what an operation that reads answers."""
        return self._json("GET", path, params=query)

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return the answer to a JSON body; None where the answer is empty."""
        return self._json(method, path, json=body)

    def upload(self, path: str, files: Mapping[str, tuple[str, bytes]], fields: Mapping[str, Any]) -> Any:
        """Return the answer to a form with files, each a name and its bytes."""
        return self._json("POST", path, files=files, data=fields)

    def file(self, path: str) -> bytes:
        """Return the bytes of a file."""
        return self._answer("GET", path).content

    def rows(self, path: str, **query: Any) -> Iterator[Record]:
        """Yield every row of a list, page by page."""
        offset = 0
        while True:
            page = self.get(path, limit=PAGE_ROWS, offset=offset, **query)
            yield from page["items"]
            offset += len(page["items"])
            if not page["items"] or offset >= page["count"]:
                return

    def finish(self, job: Record, *, progress: Progress | None = None, timeout_seconds: float | None = None) -> Record:
        """Wait until a job of the studio has ended, and return it. progress: gets a line when it has moved on.

        Raises StudioError with the job's own sentence where it failed, and where the time is over, which leaves the job
        running.
        """
        pause, shown, ends = POLL_SECONDS[0], "", _end(timeout_seconds)
        while job["state"] not in {"done", "failed"}:
            line = f"{job['kind']}: {job['step'] or job['state']}" + (
                f" {job['done']}/{job['of']}" if job["of"] else ""
            )
            if progress and line != shown:
                progress(line)
                shown = line
            if time.monotonic() >= ends:
                raise StudioError(f"The job {job['uuid']} ({job['kind']}) is still running.", code="timeout")
            time.sleep(pause)
            pause = min(POLL_SECONDS[1], 1.5 * pause)
            job = self.get(f"/jobs/{job['uuid']}")
        if job["state"] == "failed":
            raise StudioError(job["problem"] or f"The job {job['kind']} failed.", code="job")
        return job

    def _json(self, method: str, path: str, **options: Any) -> Any:
        answer = self._answer(method, path, **options)
        if answer.status_code == 204 or not answer.content:
            return None
        try:
            return answer.json()
        except ValueError:
            raise StudioError(f"{self.address} does not answer as a studio of Assay does.", code="connection") from None

    def _answer(self, method: str, path: str, *, ends: float | None = None, **options: Any) -> httpx.Response:
        """Return the answer. Where the token has called too often, wait as long as the studio says, and call again."""
        ends = ends or time.monotonic() + LONGEST_WAIT_SECONDS
        try:
            answer = self._client.request(method, path, **options)
        except httpx.TransportError as error:
            what = f"{self.address} does not answer: {str(error) or type(error).__name__}. Is the studio running?"
            raise StudioError(what, code="connection") from None
        if answer.is_success:
            return answer
        if answer.status_code == TOO_MANY and time.monotonic() < ends:
            time.sleep(_wait_seconds(answer))
            return self._answer(method, path, ends=ends, **options)
        with suppress(ValueError):
            problem = answer.json()
            if isinstance(problem, dict) and "detail" in problem:
                raise _refusal(problem)
        what = f"{self.address} answers {answer.status_code}, and not as a studio of Assay does."
        raise StudioError(what, code="connection")


def _wait_seconds(answer: httpx.Response) -> float:
    """The seconds that Retry-After names, at most a minute; one where it names none."""
    stated = answer.headers.get("retry-after", "")
    return min(60.0, float(stated)) if stated.isdigit() else 1.0


def _refusal(problem: Record) -> StudioError:
    fields = {fault["field"]: fault["rule"] for fault in problem.get("errors", ()) if fault["field"]}
    sentence, code = str(problem["detail"]), str(problem.get("code", ""))
    if code == "sign-in":
        sentence = "The studio does not know this token. Create one under Settings in the console."
    unsaid = [f"{field}: {rule}" for field, rule in fields.items() if field not in sentence]
    return StudioError(
        " ".join([sentence, *(f"({line})" for line in unsaid if line not in sentence)]), code=code, fields=fields
    )


def _end(timeout_seconds: float | None) -> float:
    return float("inf") if timeout_seconds is None else time.monotonic() + timeout_seconds


def chosen_progress(progress: Progress | bool) -> Progress | None:
    """Return the function that gets lines of progress: print for True, none for False."""
    if progress is True:
        return print
    return progress or None


def column_names(rows: Sequence[Record]) -> list[str]:
    """Return every name that a row has, in the order in which they occur."""
    return list(dict.fromkeys(name for row in rows for name in row))
