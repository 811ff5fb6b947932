"""Add completion codes to the list of a channel: each person who finishes is shown the next."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from annotation.exceptions import StateError
from annotation.models import Study
from annotation.mturk.channels import ChannelRecord, ChannelSettings
from annotation.mturk.client import Market
from annotation.recruiting.change_channel import change_channel

MAX_CODES = 10_000
MAX_CODE_LENGTH = 100


def add_codes(
    study: Study, channel_id: str, codes: tuple[str, ...], *, market: Market, actor: str, now: datetime
) -> ChannelRecord:
    """Add `codes`, all or none; those that the list has already stay as they are. Raises StateError at `codes`."""
    if not codes:
        raise StateError("The list is empty. Give at least one code.").at("codes")
    return change_channel(study, channel_id, ChannelSettings(codes=codes), market=market, actor=actor, now=now)


def read_codes(lines: Iterable[str]) -> tuple[str, ...]:
    """The codes of a list, one per line. Raises StateError at `codes` that names row and rule."""
    seen: dict[str, int] = {}
    for row, line in enumerate(lines, start=1):
        code = line.strip().removeprefix("\ufeff")
        if not code:
            continue
        if len(code) > MAX_CODE_LENGTH or not code.isprintable() or " " in code:
            rule = f"a completion code has 1 to {MAX_CODE_LENGTH} characters, none of them a space"
            raise StateError(f"Row {row}: {rule}.").at("codes")
        if (before := seen.setdefault(code, row)) != row:
            raise StateError(f"Row {row}: the same code as in row {before}.").at("codes")
    if len(seen) > MAX_CODES:
        raise StateError(f"{MAX_CODES} codes can be added at once, not {len(seen)}. Split the list.").at("codes")
    return tuple(seen)
