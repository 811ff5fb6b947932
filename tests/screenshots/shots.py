"""What is photographed: a page in a state, as somebody sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page


@dataclass(frozen=True)
class World:
    """A served installation with studies in every state, and who can sign in to it.

    cookies: by person: owner and newcomer (has no study yet) and half (owes the code) of the console; worker,
    beginner (has done nothing yet),
    guest (came by an invitation, and is done), asked (a guest who is asked to agree again) and inside (a guest at a
    task) of the worker site.
    ids: what stands in addresses, by the names that `staged` and `crowded` give.
    """

    origin: str
    folder: Path
    cookies: Mapping[str, list[dict[str, Any]]]
    ids: Mapping[str, str]

    def at(self, path: str) -> str:
        """An address in the console; {study} and the like stand for the ids."""
        return f"{self.origin}/console/{path.format_map(self.ids)}"

    def at_work(self, path: str) -> str:
        """An address on the worker site."""
        return f"{self.origin}/hits/{path.format_map(self.ids)}"


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
