"""What is known of texts, from CSV: who wrote them, and what people said."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from metrics.data.csv_files import read_rows
from metrics.data.evaluator_judgments import HUMAN, MACHINE
from metrics.errors import BadInput


def read_origins(path: Path, names: Sequence[str]) -> dict[str, str]:
    """`human` or `machine` by text, of the columns text and truth. names: of the texts there are. Raises BadInput."""
    origins: dict[str, str] = {}
    seen: dict[str, int] = {}
    for row in read_rows(path, ("text", "truth")):
        name, truth = row.text("text"), row.text("truth")
        if name not in names:
            raise row.error("text", f"no text is called {name!r}")
        if truth not in (HUMAN, MACHINE):
            raise row.error("truth", f"the truth must be {HUMAN!r} or {MACHINE!r}, not {truth!r}")
        if name in seen:
            raise row.error("text", f"duplicate text {name!r}, first in row {seen[name]}")
        seen[name] = row.line
        origins[name] = truth
    if not origins:
        raise BadInput("the file names no text", where=path.name)
    return origins


def read_human_shares(path: Path) -> dict[str, float]:
    """Share of people who said human by text, of the columns text and human_share. Raises BadInput."""
    shares: dict[str, float] = {}
    for row in read_rows(path, ("text", "human_share")):
        name, share = row.text("text"), float(row.number("human_share"))
        if name in shares:
            raise row.error("text", f"duplicate text {name!r}")
        if not 0 <= share <= 1:
            raise row.error("human_share", "a share lies between 0 and 1")
        shares[name] = share
    if not shares:
        raise BadInput("the file names no text", where=path.name)
    return shares
