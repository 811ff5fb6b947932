"""What goes into a selection and what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text of the pool, as it was imported. `generator` is None for a reference; `context` an id."""

    id: str
    body: str
    generator: str | None = None
    context: str | None = None
    domain: str = ""

    @property
    def side(self) -> str:
        """`reference`, or the generator's name."""
        return self.generator or REFERENCE


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a text. left_out: why it is not judged, "" where it is. body: as it is judged.

    cut_at: characters of the original that are kept, None where the text is whole. split: the draw it belongs to.
    """

    body: str
    left_out: str = ""
    cut_at: int | None = None
    split: str = ""


@dataclass(frozen=True, slots=True)
class FunnelLine:
    """What one rule did. told: the rule in words. by_side: texts of each side before and after.

    changed: texts it shortened. note: what else there is to say ("" for nothing).
    """

    rule: str
    told: str
    before: int
    removed: int
    after: int
    changed: int
    by_side: Mapping[str, tuple[int, int]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Every text's fate by id, and the funnel, in the order of the rules."""

    fates: Mapping[str, Fate]
    funnel: tuple[FunnelLine, ...]

    @property
    def judged(self) -> int:
        return sum(not fate.left_out for fate in self.fates.values())
