"""How hard a text is to read: LIX, which needs no syllables and holds for English, German and Spanish.

Source: Björnsson, C. H. (1983). Readability of newspapers in 11 languages. Reading Research Quarterly, 18(4), 480-497.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
END = re.compile(r"[.!?:](?=\s|$)|\n")
LONG = 6
BANDS = ((30, "very easy"), (40, "easy"), (50, "medium"), (60, "hard"))


@dataclass(frozen=True, slots=True)
class ReadingLevel:
    """lix: words per sentence, plus the percentage of words of more than six letters."""

    lix: float
    words: int
    sentences: int

    @property
    def band(self) -> str:
        """The level in words."""
        return next((name for limit, name in BANDS if self.lix < limit), "very hard")


def reading_level(text: str) -> ReadingLevel | None:
    """The level of a text; None for one without words.

    >>> reading_level("The cat sat. The elephant watched.").lix
    36.333333333333336
    """
    words = WORD.findall(text)
    if not words:
        return None
    ends = sum(1 for part in END.split(text) if WORD.search(part))
    share = 100 * sum(len(word) > LONG for word in words) / len(words)
    return ReadingLevel(len(words) / ends + share, len(words), ends)
