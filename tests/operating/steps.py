"""The commands of docs/operating.md, in the order in which an operator types them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "operating.md"
BLOCK = re.compile(r"^```sh\n# (?P<place>[^\n]+)\n(?P<lines>.*?)^```", re.M | re.S)
SYSTEM, HERE, ELSEWHERE = "packages of the system, as root", "installation", "elsewhere"


@dataclass(frozen=True, slots=True)
class Step:
    """A command, and where it is typed."""

    place: str
    command: str


def steps(page: str) -> list[Step]:
    """The steps of a page. Raises ValueError for a block of another place."""
    made = [
        Step(block["place"], line) for block in BLOCK.finditer(page) for line in block["lines"].splitlines() if line
    ]
    other = {step.place for step in made} - {SYSTEM, HERE, ELSEWHERE}
    if other:
        raise ValueError(f"no such place: {', '.join(sorted(other))}")
    return made


def in_folders(command: str, *, python: str, var: Path, backup: Path) -> str:
    """The command for another interpreter and other folders, with the tables in place of the processes: what can be
    run where nothing may be installed."""
    command = command.replace(".venv/bin/python", python).replace("/backup/", f"{backup}/")
    command = re.sub(r"(?<![\w/])var/", f"{var}/", command)
    started = re.fullmatch(r"make start MODELS=no HOSTS=(\S+) CONTACT=(\S+)(?: START=\"(.*)\")?", command)
    if started:
        command = f"{python} -m deploy prepare --hosts {started[1]} --contact {started[2]} {started[3] or ''}".strip()
    return command
