"""Questions about a text and what follows an answer, as data of a study."""

from __future__ import annotations

from dataclasses import dataclass

# The texts that one question shows, where it shows all texts of a context.
ALL_OF_CONTEXT = 0
Labels = tuple[tuple[str, str, str], ...]  # label, code, gloss


@dataclass(frozen=True, slots=True)
class Criterion:
    """One question about a text, answered on a scale. many: several labels may be chosen.

    labels: of a number, its two ends and any point between them that has a name; the code is the number.
    """

    name: str
    question: str
    scale: str
    labels: Labels
    many: bool = False


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A text asked for after an answer. when: the labels that call for it (none: always)."""

    name: str
    text: str
    when: tuple[str, ...] = ()
    least_characters: int = 0
    required: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """A label of a scale as the page shows it."""

    label: str
    gloss: str
