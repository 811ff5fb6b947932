"""Words in figures that come from outside: long names made short, names that run from right to left kept in place."""

from __future__ import annotations

import re

LEGEND = 34  # letters of a name next to its key
SHORTEST_PART = 5  # letters of each part of a name
LETTERS = r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]+"
RIGHT_TO_LEFT = re.compile(rf"{LETTERS}(?:\s+{LETTERS})*")
ROW_LETTERS = 46  # of the label above a row of a figure, with its numbers: what 360 pixels hold


def shorten(name: str, letters: int = LEGEND) -> str:
    """Shorten a name to at most `letters`: its beginning and its end, which distinguish long names."""
    if len(name) <= letters:
        return name
    tail = (letters - 1) // 3
    return f"{name[: letters - 1 - tail].rstrip()}…{name[-tail:].lstrip() if tail else ''}"


def shorten_parts(name: str, letters: int, between: str = " × ") -> str:
    """Shorten a name of parts ("examples × stories × gpt") to at most `letters`: its longest parts, until it fits.

    Where parts of five letters and more do not fit, there are no spaces between them, and the name is shortened as one
    where that is not enough either.
    """
    parts = name.split(between)
    for link in (between, between.strip()):
        room = letters - len(link) * (len(parts) - 1)
        for limit in range(max(map(len, parts)), SHORTEST_PART - 1, -1):
            if len(parts) > 1 and sum(min(len(part), limit) for part in parts) <= room:
                return link.join(shorten(part, limit) for part in parts)
    return shorten(name, letters)


def isolate_right_to_left(text: str) -> str:
    """Isolate right-to-left words (U+2068, U+2069), so that adjacent numbers keep their order."""
    return RIGHT_TO_LEFT.sub(lambda match: f"\u2068{match[0]}\u2069", text)


def format_count(n: int, noun: str) -> str:
    """`1 rating`, `1,200 ratings`."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def noun_of(n: int, nouns: str) -> str:
    """The noun after a number: `evaluator` of 1, else `evaluators`. nouns: in the plural."""
    return nouns.removesuffix("s") if n == 1 else nouns
