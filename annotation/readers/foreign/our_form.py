"""Whether a file has our own columns, so that nothing need be chosen."""

from __future__ import annotations

import csv
import json
from pathlib import Path

NEEDED = {"id", "text", "source"}
HEAD = 256 * 1024
JSON_LINES = (".jsonl", ".ndjson", ".json")


def is_our_form(path: Path, encoding: str = "") -> bool:
    """Whether the strict reader of texts should read the file: by the names of its first row, without opening it all.

    A text file that is no table of any kind is its too, for it says what is wrong with the file.
    """
    if path.is_dir():
        return False
    with path.open("rb") as file:
        line = file.readline(HEAD)
    if not line.strip():
        return True
    text = line.decode(encoding or "utf-8-sig", "replace").strip()
    if path.suffix.lower() in JSON_LINES:
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            return False
        return isinstance(record, dict) and set(record) >= NEEDED
    for sign in ",;\t|":
        try:
            header = next(csv.reader([text], delimiter=sign), [])
        except csv.Error:
            continue
        if {name.strip() for name in header} >= NEEDED:
            return True
    return False
