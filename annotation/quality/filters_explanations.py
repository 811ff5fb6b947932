"""Evidence from explanations: too short, copied from the text, repeated, in another language, pasted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from annotation.quality.work_table import Bools, Measured, Work, counted, facts, shares
from annotation.texts.selection.overlap import GRAM, runs_of, share_of_words
from annotation.texts.selection.tokens import bare_words

MIN_WORDS, MIN_CHARACTERS = 4, 15
COPIED = 0.8
SHORTEST_RUN = 4
PASTED = 0.5
# Words without which no longer English sentence is written. A language without a list here is not looked at.
ENGLISH = """a about after all also an and any are as at be because been but by can could did do does for from get good
had has have he her here his how i if in into is it its just like made make makes many more most much my no not of on
one or other out over read reads seem seems she should so some sound sounds than that the their them then there these
they this to too up very was way we well were what when where which while who why will with would wrong you your"""
SMALL_WORDS = {"en": frozenset(ENGLISH.split())}


# Scripts that set no blanks between words, and how many of their letters are about as long as a word.
UNSPACED = {
    2: re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"),
    4: re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"),
}
ANY_UNSPACED = re.compile("|".join(script.pattern for script in UNSPACED.values()).replace("]|[", ""))


def too_short(work: Work) -> Measured:
    """Share of the reasons with fewer than 4 words or 15 characters.

    In scripts without blanks, two letters of Chinese or Japanese, and four of Thai, Lao, Khmer or Burmese, count as a
    word; a letter of Chinese or Japanese counts as two characters.
    """
    sizes = zip(work.reasons.body, _word_counts(work), strict=True)
    return _shares(work, [n < MIN_WORDS or _characters_in(body) < MIN_CHARACTERS for body, n in sizes])


def _bare_words(work: Work) -> list[list[str]]:
    """The bare words of each reason, worked out once for each work."""
    if "bare_words" not in work.cache:
        work.cache["bare_words"] = [bare_words(body) for body in work.reasons.body]
    words: list[list[str]] = work.cache["bare_words"]
    return words


def _word_counts(work: Work) -> list[int]:
    if "word_counts" not in work.cache:
        work.cache["word_counts"] = [_words_in(body) for body in work.reasons.body]
    counts: list[int] = work.cache["word_counts"]
    return counts


def _words_in(body: str) -> int:
    """Count words between blanks, and those that letters of scripts without blanks make up."""
    if not _has_unspaced(body):
        return len(body.split())
    unspaced = 0
    for letters, script in UNSPACED.items():
        body, n = script.subn(" ", body)
        unspaced += -(-n // letters)
    return unspaced + sum(any(letter.isalnum() for letter in word) for word in body.split())


def _characters_in(body: str) -> int:
    return len(body.strip()) + (len(UNSPACED[2].findall(body)) if _has_unspaced(body) else 0)


def _has_unspaced(body: str) -> bool:
    return not body.isascii() and ANY_UNSPACED.search(body) is not None


def copied(work: Work) -> Measured:
    """Share of the reasons of at least 8 words that are copied: more than 80% of their words are in runs of 8 words
    which the text or its context holds. Of a text that is shorter, the whole text is the run."""
    known: dict[int, _KnownText] = {}
    verdicts: list[bool | None] = []
    texts = work.lines.text[work.reasons.line].tolist()
    for text, body, words in zip(texts, work.reasons.body, _bare_words(work), strict=True):
        if text not in known:
            known[text] = _KnownText(bare_words(work.bodies[text]))
        verdicts.append(known[text].holds(words) if len(body.split()) >= known[text].run else None)
    return _shares(work, verdicts)


class _KnownText:
    """The words of a text, and its runs of words, collected when a reason first shares enough words with it."""

    def __init__(self, words: list[str]) -> None:
        self.run = max(SHORTEST_RUN, min(GRAM, len(words)))
        self._words, self._vocabulary = words, frozenset(words)

    def holds(self, reason: list[str]) -> bool:
        """Whether more than COPIED of a reason's words are in runs of this text."""
        # No more words can be in runs of the text than occur in it, and those are counted ten times as fast.
        if sum(map(self._vocabulary.__contains__, reason)) <= COPIED * len(reason):
            return False
        return share_of_words(reason, self._runs, n=self.run) > COPIED

    @cached_property
    def _runs(self) -> frozenset[tuple[str, ...]]:
        return runs_of(self._words, n=self.run)


def repeated(work: Work) -> Measured:
    """Reasons that say, word for word, what another reason of the same or of another worker says."""
    bodies = [" ".join(words) for words in _bare_words(work)]
    often = Counter(bodies)
    again = np.array([often[body] > 1 and bool(body) for body in bodies], dtype=np.bool_)
    by = work.lines.assignment[work.reasons.line]
    n = counted(by, len(work)).astype(np.int64)
    return facts(np.where(n > 0, counted(by, len(work), again), np.nan), n)


def other_language(work: Work) -> Measured:
    """Share of the longer reasons in which hardly a word is one of the language's small words."""
    small = SMALL_WORDS.get(work.language.split("-")[0])
    if small is None:
        return facts(np.full(len(work), np.nan), np.zeros(len(work), dtype=np.int64))

    verdicts = [
        sum(map(small.__contains__, words)) < 0.1 * len(words) if n >= MIN_WORDS else None
        for words, n in zip(_bare_words(work), _word_counts(work), strict=True)
    ]
    return _shares(work, verdicts)


def pasted(work: Work) -> Measured:
    """Share of the reasons (from 15 characters on) more than half of which was not typed: pasted, dictated, put in.

    Where the page counted no key presses, pastes alone count.
    """
    line = work.reasons.line
    keys, pastes = work.lines.keystrokes[line], work.lines.pastes[line]
    size = np.array([len(body) for body in work.reasons.body], dtype=np.int64)
    uncounted = np.isnan(keys)
    known = np.where(uncounted, ~np.isnan(pastes), size >= MIN_CHARACTERS)
    return _shares_known(work, np.where(uncounted, pastes > 0, keys < (1 - PASTED) * size) & known, known)


def machine_written(work: Work) -> Measured:
    """Share of the reasons that the study's detector calls machine-written, of those of which it says anything."""
    verdicts = work.reasons.machine
    if verdicts is None:
        return facts(np.full(len(work), np.nan), np.zeros(len(work), dtype=np.int64))
    known = ~np.isnan(verdicts)
    by = work.lines.assignment[work.reasons.line][known]
    return shares(counted(by, len(work), verdicts[known]), counted(by, len(work)).astype(np.int64))


def _shares(work: Work, verdicts: Sequence[bool | None]) -> Measured:
    """Share of each assignment's reasons of which something is so; None: it cannot be said of this one."""
    known = np.array([verdict is not None for verdict in verdicts], dtype=np.bool_)
    return _shares_known(work, np.array([bool(verdict) for verdict in verdicts], dtype=np.bool_), known)


def _shares_known(work: Work, hits: Bools, known: Bools) -> Measured:
    by = work.lines.assignment[work.reasons.line]
    return shares(counted(by, len(work), hits), counted(by, len(work), known).astype(np.int64))
