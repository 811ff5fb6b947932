"""How much of a text is copied from the texts that primed its generator (Clark et al. 2021, §2.2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotation.texts.selection.tokens import bare_words

GRAM = 8


def grams_of(texts: Iterable[str], *, n: int = GRAM) -> frozenset[tuple[str, ...]]:
    """Every run of n bare words in any of the texts."""
    grams: set[tuple[str, ...]] = set()
    for text in texts:
        grams |= runs_of(bare_words(text), n=n)
    return frozenset(grams)


def runs_of(words: Sequence[str], *, n: int = GRAM) -> frozenset[tuple[str, ...]]:
    """Every run of n of these words."""
    return frozenset(tuple(words[at : at + n]) for at in range(len(words) - n + 1))


def share_within(text: str, grams: frozenset[tuple[str, ...]], *, n: int = GRAM) -> float:
    """The share, in [0, 1], of the text's bare words that lie inside a run of n words which `grams` holds."""
    return share_of_words(bare_words(text), grams, n=n)


def share_of_words(words: Sequence[str], grams: frozenset[tuple[str, ...]], *, n: int = GRAM) -> float:
    """The same share of bare words."""
    if not words:
        return 0.0
    covered_to = inside = 0
    for at in range(len(words) - n + 1):
        if tuple(words[at : at + n]) in grams:
            inside += at + n - max(at, covered_to)
            covered_to = at + n
    return inside / len(words)
