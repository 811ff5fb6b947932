"""Small measures of texts: truncation at a sentence, overlap with a priming text, repetition, perplexity."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metrics.errors import BadInput, InsufficientData
from metrics.generation.overlap import overlap

SPLITTER = "simple-1"
NGRAM = 8
WORDS = 100
# A sentence ends at . ! ? or their kin, closing quotation marks and brackets included, where a blank follows.
END = re.compile(
    r"[.!?\u2026]+[\"'\u201d\u2019\u00bb)\]]*(?=\s)|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d\uff09]*|\n\s*\n"
)
NEXT = re.compile(r"\s*(\S)")
LAST = re.compile(r"(?:^|[\s(\"'\u201c\u2018\[])([^\s(\"'\u201c\u2018\[]+)$")
# A full stop after these, or after a single capital letter, ends no sentence.
TITLES = (
    "mr",
    "mrs",
    "ms",
    "dr",
    "prof",
    "rev",
    "gen",
    "col",
    "sgt",
    "capt",
    "lt",
    "sen",
    "rep",
    "gov",
    "st",
    "jr",
    "sr",
)
ABBREVIATIONS = frozenset((*TITLES, "vs", "etc", "e.g", "i.e", "cf", "al", "approx", "no", "vol", "fig"))


@dataclass(frozen=True, slots=True)
class Truncated:
    """A text cut after a sentence. offset: characters kept of the original; words: kept, split at blanks.

    long_enough: the original has the words asked for (a shorter text is kept whole). splitter: which rule found the
    sentences.
    """

    text: str
    offset: int
    words: int
    long_enough: bool
    splitter: str = SPLITTER


def truncate(text: str, words: int = WORDS) -> Truncated:
    """Cut at the end of the first sentence with which at least `words` words are reached (Clark et al. 2021).

    Where no sentence ends there, the whole text is kept. Raises InsufficientData for a blank text, BadInput.
    """
    if words < 1:
        raise BadInput("the number of words must be at least 1", column="words")
    total = len(text.split())
    if not total:
        raise InsufficientData("There is no word to truncate.")
    end = len(text)
    for offset in sentence_ends(text):
        if len(text[:offset].split()) >= words:
            end = offset
            break
    shortened = text[:end].rstrip()
    return Truncated(shortened, len(shortened), len(shortened.split()), total >= words)


def sentence_ends(text: str) -> list[int]:
    """Offsets just behind each sentence, the end of the text included.

    A simple rule: . ! ? with closing marks before a blank, unless the next word begins in lower case or the full stop
    belongs to a common English abbreviation or an initial; the full-width stops of Chinese and Japanese; blank lines.
    """
    last = len(text.rstrip())
    begin = len(text) - len(text.lstrip())
    ends = {min(match.end(), last) for match in END.finditer(text) if match.group().isspace() or _ends(text, match)}
    return sorted({end for end in ends if end > begin} | {last})


def _ends(text: str, match: re.Match[str]) -> bool:
    following = NEXT.match(text, match.end())
    if following and following.group(1).islower():
        return False
    if match.group() != ".":
        return True
    # The longest abbreviation is short: a look at the last few characters is enough.
    before = LAST.search(text, max(0, match.start() - 12), match.start())
    word = before.group(1) if before else ""
    return not (word.lower() in ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word.isupper() and word != "I"))


def priming_overlap(generated: str, priming: str, n: int = NGRAM) -> float:
    """Share of the words of `generated` inside an n-gram that `priming` has too, in [0, 1]; words split at blanks.

    A text of fewer than n words has no n-gram: 0. Raises InsufficientData for a blank text, BadInput.
    """
    if n < 1:
        raise BadInput("an n-gram has at least 1 word", column="n")
    if not generated.strip():
        raise InsufficientData("There is no generated word.")
    return overlap(generated, priming, n=n)


def distinct(tokens: Sequence[str], n: int) -> float:
    """Distinct n-grams over n-grams, in (0, 1]; low: repetitive (Li et al. 2016).

    Raises InsufficientData below n tokens, BadInput.
    """
    if n < 1:
        raise BadInput("an n-gram has at least 1 token", column="n")
    total = len(tokens) - n + 1
    if total < 1:
        raise InsufficientData(f"distinct-{n} needs {n} tokens, and there are {len(tokens)}.")
    return len({tuple(tokens[at : at + n]) for at in range(total)}) / total


def longest_repeat(tokens: Sequence[str]) -> int:
    """Length in tokens of the longest run that occurs twice (the two may overlap); 0 without any repeat."""
    low, high = 0, max(0, len(tokens) - 1)
    # A run that occurs twice has every shorter run in it twice: halving finds the longest.
    while low < high:
        middle = (low + high + 1) // 2
        if _repeats(tokens, middle):
            low = middle
        else:
            high = middle - 1
    return low


def _repeats(tokens: Sequence[str], length: int) -> bool:
    total = len(tokens) - length + 1
    return len({tuple(tokens[at : at + length]) for at in range(total)}) < total


def unknown_share(tokens: Sequence[str], vocabulary: Iterable[str]) -> float:
    """Share of tokens outside the vocabulary, in [0, 1]. Raises InsufficientData for no token."""
    if not tokens:
        raise InsufficientData("There is no token to look up.")
    known = set(vocabulary)
    return sum(token not in known for token in tokens) / len(tokens)


def perplexity(log_prob: float, tokens: int) -> float:
    """exp(-log p / N), at least 1, lower is likelier; inf for log p = -inf. log_prob: the natural total, at most 0.

    Raises BadInput. A value beyond the range of floats is inf.
    """
    if math.isnan(log_prob) or log_prob > 1e-6:
        raise BadInput("a log-probability is at most 0", column="log_prob")
    if tokens < 1:
        raise BadInput("tokens is at least 1", column="tokens")
    mean = -min(log_prob, 0.0) / tokens
    return math.exp(mean) if mean < 709 else math.inf
