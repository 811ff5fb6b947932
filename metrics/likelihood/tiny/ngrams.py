"""Counts of byte n-grams, and the interpolated Witten-Bell probabilities that they give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]

# Symbols: the 256 bytes, the end of a text, its start, and nothing (before the start). The first 257 can come next.
END, START, NOTHING = 256, 257, 258
SYMBOLS = 257
BITS = np.uint64(9)
BLOCK = 4096  # positions whose whole distributions are held at once


def encode_text(text: str) -> list[int]:
    """The bytes of a text in UTF-8; a lone surrogate has bytes too."""
    return list(text.encode("utf-8", "surrogatepass"))


def pack(symbols: Sequence[int], order: int) -> Keys:
    """The last `order` symbols up to each symbol, 9 bits each, the latest lowest; nothing stands before the first."""
    padded = np.concatenate([np.full(order - 1, NOTHING, np.uint64), np.asarray(symbols, np.uint64)])
    keys = np.zeros(len(symbols), np.uint64)
    for place in range(order):
        keys = (keys << BITS) | padded[place : place + len(symbols)]
    return keys


def count_ngrams(texts: Iterable[str], order: int) -> NGrams:
    """Count the n-grams of texts, each between a start and an end."""
    parts = [pack([START, *encode_text(text), END], order)[1:] for text in texts]
    grams, counts = np.unique(np.concatenate(parts), return_counts=True)
    return NGrams(order, grams, counts.astype(np.int64))


@dataclass(frozen=True)
class Level:
    """n-grams of one length. grams [G], sorted, with counts [G]; contexts [C]: the distinct grams without their last
    symbol; first [C + 1]: where the grams of each begin; total, types [C]: occurrences, and kinds of next symbols."""

    grams: Keys
    counts: NDArray[np.int64]
    contexts: Keys
    first: NDArray[np.int64]
    total: Floats
    types: Floats

    def rows(self, contexts: Keys) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Where each context stands, and whether it is known."""
        rows = np.minimum(np.searchsorted(self.contexts, contexts), len(self.contexts) - 1)
        return rows, self.contexts[rows] == contexts


@dataclass(frozen=True)
class NGrams:
    """Counts of the n-grams of the highest length; shorter ones are counted from them.

    P(w | h) = (count(h w) + T(h) P(w | h')) / (count(h) + T(h)), where h' is h without its first symbol, T(h) the
    kinds of symbols seen behind h, and 1 / 257 stands below the empty h (Witten and Bell 1991; Chen and Goodman 1999).
    An h never seen gives P(w | h').
    """

    order: int
    grams: Keys
    counts: NDArray[np.int64]

    @cached_property
    def levels(self) -> list[Level]:
        """By length, the shortest first."""
        return [self._level(length) for length in range(1, self.order + 1)]

    def _level(self, length: int) -> Level:
        short = self.grams & _mask(length)
        grams, inverse = np.unique(short, return_inverse=True)
        counts = np.bincount(inverse, weights=self.counts).astype(np.int64)
        contexts, first = np.unique(grams >> BITS, return_index=True)
        bounds = np.append(first, len(grams)).astype(np.int64)
        total = np.add.reduceat(counts, first).astype(np.float64)
        return Level(grams, counts, contexts, bounds, total, np.diff(bounds).astype(np.float64))

    def probabilities(self, symbols: Sequence[int], first: int) -> Floats:
        """P of each symbol from `first` on, given all before it: [len(symbols) - first], above 0."""
        keys = pack(symbols, self.order)[first:]
        share = np.full(len(keys), 1.0 / SYMBOLS)
        for length, level in enumerate(self.levels, start=1):
            grams = keys & _mask(length)
            rows, known = level.rows(grams >> BITS)
            places = np.minimum(np.searchsorted(level.grams, grams), len(level.grams) - 1)
            seen = np.where(level.grams[places] == grams, level.counts[places], 0)
            types = level.types[rows]
            share = np.where(known, (seen + types * share) / (level.total[rows] + types), share)
        return share

    def distributions(self, symbols: Sequence[int], first: int) -> Floats:
        """P of every possible next symbol at each place from `first` on: [len(symbols) - first, 257]; rows sum to 1."""
        keys = pack(symbols, self.order)[first:]
        spread = np.full((len(keys), SYMBOLS), 1.0 / SYMBOLS)
        for length, level in enumerate(self.levels, start=1):
            rows, known = level.rows((keys & _mask(length)) >> BITS)
            mine = np.flatnonzero(known)
            rows = rows[mine]
            types = level.types[rows][:, None]
            seen = np.zeros((len(mine), SYMBOLS))
            begins, sizes = level.first[rows], level.first[rows + 1] - level.first[rows]
            lines = np.repeat(np.arange(len(mine)), sizes)
            steps = np.arange(len(lines)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            entries = np.repeat(begins, sizes) + steps
            seen[lines, (level.grams[entries] & _mask(1)).astype(np.int64)] = level.counts[entries]
            spread[mine] = (seen + types * spread[mine]) / (level.total[rows][:, None] + types)
        return spread


def _mask(length: int) -> np.uint64:
    return np.uint64((1 << (9 * length)) - 1)
