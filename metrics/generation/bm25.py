"""BM25 retrieval (Robertson and Zaragoza 2009): the baseline that answers with a training text."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics.data.arrays import Floats, Ints
from metrics.errors import BadInput, InsufficientData

K1, B = 1.2, 0.75
WORD = re.compile(r"\w+")
# A retrieved text has probability 1 under this "model", and every other text 0 (Hashimoto et al. 2019, section 5.1).
RETRIEVED_LOG_PROB, OTHER_LOG_PROB = 0.0, -math.inf


@dataclass(frozen=True, slots=True)
class Match:
    """A document by its number, its score (at least 0) and the log-probability it counts with."""

    document: int
    score: float
    log_prob: float = RETRIEVED_LOG_PROB


def split_words(text: str) -> list[str]:
    """Runs of letters, digits and underscores in lower case."""
    return WORD.findall(text.casefold())


class Bm25:
    """An index of documents.

    Score of a document: sum over the distinct words of the query, as often as the query has them, of
    idf * f (k1 + 1) / (f + k1 (1 - b + b len / mean len)), idf = ln(1 + (N - df + 0.5) / (df + 0.5)).
    k1 >= 0; b in [0, 1]. Raises InsufficientData for no document, BadInput.
    """

    def __init__(self, documents: Sequence[str], *, k1: float = K1, b: float = B):
        if not documents:
            raise InsufficientData("BM25 needs a document.")
        if not (k1 >= 0 and math.isfinite(k1) and 0 <= b <= 1):
            raise BadInput("k1 is at least 0 and b lies between 0 and 1", column="k1" if not k1 >= 0 else "b")
        self.size, self.k1, self.b = len(documents), k1, b
        postings: dict[str, tuple[list[int], list[int]]] = {}
        lengths = np.zeros(self.size)
        for number, document in enumerate(documents):
            document_words = split_words(document)
            lengths[number] = len(document_words)
            for word, times in Counter(document_words).items():
                where, counts = postings.setdefault(word, ([], []))
                where.append(number)
                counts.append(times)
        mean = float(lengths.mean()) or 1.0
        self._norm: Floats = k1 * (1 - b + b * lengths / mean)
        self._postings: dict[str, tuple[Ints, Floats]] = {
            word: (np.array(where), np.array(counts, dtype=np.float64)) for word, (where, counts) in postings.items()
        }

    def scores(self, query: str) -> Floats:
        """Score of each document, (documents,), at least 0; 0 where no word is shared."""
        total = np.zeros(self.size)
        for word, times in Counter(split_words(query)).items():
            if word in self._postings:
                where, counts = self._postings[word]
                idf = math.log1p((self.size - len(where) + 0.5) / (len(where) + 0.5))
                total[where] += times * idf * counts * (self.k1 + 1) / (counts + self._norm[where])
        return total

    def search(self, query: str, k: int = 1) -> list[Match]:
        """The k best documents, best first; ties by the lower number. Also those of score 0. Raises BadInput."""
        if k < 1:
            raise BadInput("k must be at least 1", column="k")
        scores = self.scores(query)
        best = np.argsort(-scores, kind="stable")[:k]
        return [Match(int(number), float(scores[number])) for number in best]
