"""What is photographed: a page in a state, as somebody sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page


@dataclass(frozen=True)
class World:
    """A served installation in which a small study was rehearsed to its end, and who can sign in to it.

    cookies: by person: owner, newcomer (has no study yet), worker. study, draft: ids in the console's addresses.
    judged: of a study whose work waits for decisions; large: of one with 10,000 texts; failed: of a job that came to
    nothing; assignment, worker: of the judged study.
    """

    origin: str
    folder: Path
    cookies: dict[str, list[dict[str, Any]]]
    study: str
    draft: str
    judged: str = ""
    large: str = ""
    failed: str = ""
    assignment: str = ""
    worker: str = ""

    def of_study(self, path: str = "") -> str:
        """The address of a page of the finished study."""
        return f"{self.origin}/console/studies/{self.study}/{path}"

    def at(self, path: str) -> str:
        """An address in the console; {judged} and the like stand for the ids above."""
        return f"{self.origin}/console/{path.format(**vars(self))}"

    def of_draft(self, path: str = "") -> str:
        """The address of a page of a study that has nothing in it yet."""
        return f"{self.origin}/console/studies/{self.draft}/{path}"


@dataclass(frozen=True)
class Shot:
    """A page in a state. `name` is that of its files; `each`: a selector, and every element of it is a picture.

    address: of the page, given the world. act: what is done there before the picture is taken.
    """

    name: str
    address: Callable[[World], str]
    who: str = ""
    act: Callable[[Page], object] | None = None
    each: str = ""
