"""Simulated studies kept in files, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "var" / "truth"
Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Job:
    """One piece of work: `make(*arguments)` gives arrays. sources: files, from the root, whose change makes it anew."""

    name: str
    make: Callable[..., Arrays]
    arguments: tuple[Any, ...]
    sources: tuple[str, ...]

    @property
    def code(self) -> str:
        """What it is and everything it depends on, in 16 digits."""
        return digest([repr((self.name, self.make.__qualname__, self.arguments))], self.sources)

    @property
    def file(self) -> Path:
        """Where its arrays lie."""
        return FOLDER / f"{self.name.replace(' ', '_').replace('/', '_')}-{self.code}.npz"

    def run(self) -> bool:
        """Do it unless its file is there; whether it was done now."""
        if self.file.exists():
            return False
        made = self.make(*self.arguments)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.file.with_suffix(".part.npz")
        np.savez(unfinished, **made)
        unfinished.replace(self.file)
        return True

    def arrays(self) -> Arrays:
        """What it made; done now if it was not yet."""
        self.run()
        with np.load(self.file) as stored:
            return dict(stored)


def digest(words: Iterable[str], sources: Iterable[str]) -> str:
    """16 digits that change with a word or with the code, not the comments, of a file."""
    found = hashlib.sha256("\n".join(words).encode())
    for source in sources:
        found.update(_code((ROOT / source).read_bytes()))
    return found.hexdigest()[:16]


@functools.lru_cache(maxsize=256)
def _code(text: bytes) -> bytes:
    """A module without comments, docstrings and layout."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree).encode()
