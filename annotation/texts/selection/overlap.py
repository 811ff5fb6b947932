"""How much of a text is copied from the texts that primed its generator (Clark et al. 2021, §2.2.1)."""

from __future__ import annotations

from collections.abc import Iterable

from annotation.texts.selection.tokens import bare_words

GRAM = 8


def grams_of(texts: Iterable[str], *, n: int = GRAM) -> frozenset[tuple[str, ...]]:
    """Every run of n bare words in any of the texts."""
    grams: set[tuple[str, ...]] = set()
    for text in texts:
        words = bare_words(text)
        grams.update(tuple(words[at : at + n]) for at in range(len(words) - n + 1))
    return frozenset(grams)


def share_within(text: str, grams: frozenset[tuple[str, ...]], *, n: int = GRAM) -> float:
    """The share, in [0, 1], of the text's bare words that lie inside a run of n words which `grams` holds."""
    words = bare_words(text)
    if not words:
        return 0.0
    covered_to = inside = 0
    for at in range(len(words) - n + 1):
        if tuple(words[at : at + n]) in grams:
            inside += at + n - max(at, covered_to)
            covered_to = at + n
    return inside / len(words)
