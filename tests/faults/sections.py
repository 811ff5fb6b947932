"""docs/reliability.md by sections: each command of the fault runs writes one of them, and leaves the others."""

from __future__ import annotations

import re
from pathlib import Path

TITLE = "# Reliability\n"
FOOT = """## What this does not show

Power loss (only processes are killed, and servers restarted), a marketplace that is not ours, and a notice to a worker:
marketplaces know no token for notices, so one whose answer was lost may come twice. Nothing hangs on it. The
table of named moments at the top is of 2026-11-22. Of a fault or an installation without a paragraph above no trial is
recorded. The tables quote what was answered in the trial; a later version may say it in other words.
"""
# The order on the page.
SECTIONS = ("points", "installations", "machines", "disk", "storage", "locked", "broker", "clock")
SECTION = "<!-- section: {name} -->\n{text}\n<!-- end: {name} -->\n"


def write_section(path: Path, name: str, text: str) -> None:
    """Replace a section of the page, or add it in its place. KeyError: there is no such section."""
    found = read_sections(path.read_text(encoding="utf-8") if path.exists() else "")
    if name not in SECTIONS:
        raise KeyError(name)
    found[name] = text.strip()
    parts = [SECTION.format(name=each, text=found[each]) for each in SECTIONS if each in found]
    path.write_text("\n".join([TITLE, *parts, FOOT]), encoding="utf-8")


def is_smaller(size: int, path: Path, recorded: str) -> bool:
    """Whether a run is smaller than the one that the page records, and so is told and not written.

    recorded: a pattern of the page's words, whose group is the number of the run that is recorded.
    """
    found = re.search(recorded, path.read_text(encoding="utf-8")) if path.exists() else None
    smaller = bool(found) and size < int(found[1].replace(",", ""))
    if smaller:
        print(f"{path.name} records a larger run ({found[1]}, this one {size:,}) and was left as it is.", flush=True)
    return smaller


def read_sections(page: str) -> dict[str, str]:
    """The sections of a page by their names."""
    return {
        name: text.strip()
        for name, text in re.findall(r"<!-- section: (\w+) -->\n(.*?)\n<!-- end: \1 -->", page, re.DOTALL)
    }


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
