"""How much of a text stands in another: the usual reason to sample again."""

from __future__ import annotations

from metrics.errors import BadInput


def overlap(text: str, source: str, *, n: int = 8) -> float:
    """Share of the text's word n-grams that the source holds, in [0, 1]; 0 for texts shorter than n words.

    Raises BadInput for n < 1.
    """
    if n < 1:
        raise BadInput(f"n must be at least 1, not {n}", column="n")
    mine, theirs = _grams(text, n), set(_grams(source, n))
    return sum(gram in theirs for gram in mine) / len(mine) if mine else 0.0


def _grams(text: str, n: int) -> list[tuple[str, ...]]:
    words = text.split()
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
