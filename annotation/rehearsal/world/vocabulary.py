"""Words and their numbers: the border between headlines as people read them and arrays of word ids.

A batch of headlines is an int16 array (n, MAX_WORDS + 1): word ids from 1, then END (0) to the end of the row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int16]

END = 0
UNKNOWN = -1
MAX_WORDS = 16


@dataclass(frozen=True)
class Vocabulary:
    """The words of the world as they are printed inside a headline; word i has the id i + 1.

    Case is for the eye only: a headline starts with a capital, and reading it back ignores case.
    """

    words: tuple[str, ...]
    index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        index = {word.casefold(): number for number, word in enumerate(self.words, start=1)}
        if len(index) != len(self.words):
            raise ValueError("two words of the vocabulary differ only in case")
        object.__setattr__(self, "index", index)

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, texts: Sequence[str]) -> Ids:
        """Ids of whitespace-separated words, (n, MAX_WORDS + 1); UNKNOWN for a word outside the vocabulary.

        A headline with more than MAX_WORDS words has UNKNOWN in its last column: nothing in this world can say it.
        """
        ids = np.zeros((len(texts), MAX_WORDS + 1), dtype=np.int16)
        for row, text in enumerate(texts):
            numbers = [self.index.get(word, UNKNOWN) for word in text.casefold().split()]
            ids[row, : len(numbers)] = numbers[: MAX_WORDS + 1]
            if len(numbers) > MAX_WORDS:
                ids[row, MAX_WORDS] = UNKNOWN
        return ids

    def decode(self, ids: Ids) -> list[str]:
        """Headlines as printed, the first letter a capital; `ids` as in `encode`, without UNKNOWN."""
        return [self._headline(row) for row in ids.tolist()]

    def _headline(self, row: Iterable[int]) -> str:
        text = " ".join(self.words[number - 1] for number in row if number != END)
        return text[:1].upper() + text[1:]


def token_counts(ids: Ids) -> NDArray[np.int64]:
    """Model tokens of each headline: its words and the END that closes it, so at least 1.

    This is what every log-probability of the world covers, hence the length that divides it.
    """
    return np.asarray((ids != END).sum(axis=1) + 1, dtype=np.int64)
