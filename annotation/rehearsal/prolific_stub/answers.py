"""What the stub answers, and the errors it answers with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Record = dict[str, Any]

TITLES = {
    400: "Bad request",
    401: "Not authenticated",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    422: "Unprocessable",
    429: "Too many requests",
    502: "Bad gateway",
}


@dataclass
class StubAnswer:
    """Status, JSON body (None: an empty one), further headers."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


class ApiError(Exception):
    """An error of the API: its HTTP status and its detail, a sentence or messages by field."""

    def __init__(self, status: int, detail: str | dict[str, list[str]]) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail

    def to_answer(self) -> StubAnswer:
        """Return the documented error body."""
        body = {
            "status": self.status,
            "error_code": 140000 + self.status,
            "title": TITLES[self.status],
            "detail": self.detail,
            "additional_information": "/api/v1/errors/",
        }
        return StubAnswer(self.status, {"error": body})


def listing(rows: list[Record], query: dict[str, str], path: str) -> StubAnswer:
    """Return a page of `rows`: by page and page_size where they are asked for, by limit and offset elsewhere."""
    if "page" in query or "page_size" in query:
        size = _read_number(query, "page_size", 20)
        first = (_read_number(query, "page", 1) - 1) * size
        names = [f"page={n}&page_size={size}" for n in (first // size + 2, first // size)]
    else:
        size, first = _read_number(query, "limit", 200), _read_number(query, "offset", 0, lowest=0)
        names = [f"limit={size}&offset={n}" for n in (first + size, max(0, first - size))]
    others = "".join(f"&{name}={query[name]}" for name in ("study", "status", "state") if name in query)
    links = {
        "self": {"href": path},
        "next": {"href": f"{path}?{names[0]}{others}" if first + size < len(rows) else None},
        "previous": {"href": f"{path}?{names[1]}{others}" if first else None},
        "last": {"href": None},
    }
    return StubAnswer(200, {"results": rows[first : first + size], "_links": links, "meta": {"count": len(rows)}})


def _read_number(query: dict[str, str], name: str, default: int, lowest: int = 1) -> int:
    value = query.get(name, str(default))
    if not value.isdecimal() or int(value) < lowest:
        raise ApiError(400, {name: [f"must be a whole number from {lowest} on"]})
    return int(value)
