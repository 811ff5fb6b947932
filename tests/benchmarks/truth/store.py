"""Simulated studies kept in files, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
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
    def file(self) -> Path:
        """Where its arrays lie: named by what they are and by everything they depend on."""
        digest = hashlib.sha256(repr((self.name, self.make.__qualname__, self.arguments)).encode())
        for source in self.sources:
            digest.update((ROOT / source).read_bytes())
        return FOLDER / f"{self.name.replace(' ', '_').replace('/', '_')}-{digest.hexdigest()[:16]}.npz"

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
