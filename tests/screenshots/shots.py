"""What is photographed: a page in a state, as somebody sees it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
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


@contextmanager
def replacing(folder: Path, *, all_pictures: bool = False) -> Iterator[Path]:
    """A temporary folder for pictures, which take their places in `folder` at the end; where something failed, none do.

    all_pictures: those in `folder` that were not taken anew are deleted then.
    """
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)
        pictures = sorted(Path(name).glob("*.png"))
        folder.mkdir(exist_ok=True)
        for picture in pictures:
            shutil.copyfile(picture, folder / picture.name)
        if all_pictures:
            for old in {file.name for file in folder.glob("*.png")} - {picture.name for picture in pictures}:
                (folder / old).unlink()
