"""What Prolific answers, before it is read as a record: rows of lists in any of their forms, and failures."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

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


def content(response: httpx.Response) -> Any:
    """The JSON of an answer; an empty object for none. Raises ProlificError where what should be JSON is not."""
    if not response.content:
        return {}
    try:
        return response.json()
    except ValueError:
        raise ProlificError("Prolific's answer cannot be read.", later=True, unanswered=True) from None


def document_of(response: httpx.Response) -> Json:
    """The JSON object of an answer; empty for any other."""
    document = content(response)
    return document if isinstance(document, dict) else {}


def rows_of(document: Any, seen: int) -> tuple[list[Json], bool]:
    """The rows of one page, and whether it is the last: by its links, else by the count of all, else by being empty.

    A bare list is all there is.
    """
    if isinstance(document, list):
        return [row_of(row) for row in document], True
    rows = [row_of(row) for row in document.get("results") or []]
    links = document.get("_links")
    if isinstance(links, dict) and "next" in links:
        following = links["next"]
        return rows, not rows or not (following.get("href") if isinstance(following, dict) else following)
    if "next" in document:
        return rows, not rows or not document["next"]
    meta = document.get("meta")
    total = meta.get("count") if isinstance(meta, dict) else document.get("count")
    return rows, not rows or (isinstance(total, int) and seen + len(rows) >= total)


def row_of(row: Any) -> Json:
    """A row of a list; of a list of words, each as an id."""
    return row if isinstance(row, dict) else {"id": row}


def ids_in(path: str, body: Json | None) -> set[str]:
    """What in a request may be an id of a person: parts of the address, and the lines of bonuses."""
    lines = str((body or {}).get("csv_bonuses") or "").splitlines()
    parts = {part for part in path.split("/") if any(letter.isdigit() for letter in part)}
    return parts | {line.partition(",")[0] for line in lines}


def refusal_of(response: httpx.Response, ids: Collection[str]) -> ProlificError:
    status = response.status_code
    later = status == TOO_MANY or status >= httpx.codes.INTERNAL_SERVER_ERROR
    return ProlificError(
        f"Prolific answered {status}: {_detail(response, ids)}",
        status=status,
        later=later,
        unanswered=status >= httpx.codes.INTERNAL_SERVER_ERROR,
        retry_after=_wait(response.headers.get("Retry-After", "")),
    )


def _detail(response: httpx.Response, ids: Collection[str]) -> str:
    """What went wrong in Prolific's words, without the ids of people and studies."""
    try:
        document = response.json()
    except ValueError:
        return response.reason_phrase or "no reason"
    error = document.get("error", document) if isinstance(document, dict) else document
    detail = (error.get("detail") or error.get("title") or "") if isinstance(error, dict) else error
    text = _plain(detail) or response.reason_phrase
    for known in sorted(ids, key=len, reverse=True):
        text = text.replace(known, "...")
    return without_ids(text)[:LONGEST_DETAIL]


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_plain(part)}" for name, part in value.items())
    return ", ".join(map(_plain, value)) if isinstance(value, list) else str(value)


def without_ids(text: str) -> str:
    """`text` with every id of Prolific's form replaced."""
    return _ID.sub("...", text)


def _wait(header: str) -> timedelta | None:
    """What a Retry-After asks for, in seconds or as a date; at most a day. None without."""
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return timedelta(seconds=min(max(seconds, 0), 24 * 3600)) if math.isfinite(seconds) else None
