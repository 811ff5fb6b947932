"""How much of a text is copied from another: the usual reason to sample again."""

from __future__ import annotations

from metrics.errors import BadInput


def overlap(text: str, source: str, *, n: int = 8) -> float:
    """Return the share of the text's words inside a run of n words that the source holds too, in [0, 1].

    0 for a text without words or with fewer than n of them.

    Raises BadInput for n < 1.
    """
    if n < 1:
        raise BadInput(f"n must be at least 1, not {n}", column="n")
    theirs = set(_grams(source, n))
    shared = {at + i for at, gram in enumerate(_grams(text, n)) if gram in theirs for i in range(n)}
    return len(shared) / len(text.split()) if shared else 0.0


def _grams(text: str, n: int) -> list[tuple[str, ...]]:
    words = text.split()
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
