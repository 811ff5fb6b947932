"""From an operation's result to the JSON of a response."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any


def encoded(value: dict[str, Any]) -> bytes:
    """JSON in ASCII: times as epoch seconds with milliseconds, without None members."""
    return json.dumps(plain(value), separators=(",", ":")).encode()


def plain(value: Any) -> Any:
    """`value` with datetimes as numbers and without None members of objects."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, datetime):
        return round(value.timestamp(), 3)
    return value
