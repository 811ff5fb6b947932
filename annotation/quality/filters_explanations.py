"""Evidence from explanations: too short, copied from the text, repeated, in another language, pasted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import numpy as np

from annotation.quality.work_table import Measured, Work, counted, facts, shares
from annotation.texts.selection.overlap import GRAM, grams_of, share_within
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


def too_short(work: Work) -> Measured:
    """Share of the reasons with fewer than 4 words or 15 characters.

    In scripts without blanks, two letters of Chinese or Japanese, and four of Thai, Lao, Khmer or Burmese, count as a
    word; a letter of Chinese or Japanese counts as two characters.
    """
    return _shares(work, lambda body, _: _words_in(body) < MIN_WORDS or _characters_in(body) < MIN_CHARACTERS)


def _words_in(body: str) -> int:
    """Count words between blanks, and those that letters of scripts without blanks make up."""
    unspaced = 0
    for letters, script in UNSPACED.items():
        body, n = script.subn(" ", body)
        unspaced += -(-n // letters)
    return (
        unspaced + sum(any(letter.isalnum() for letter in word) for word in body.split())
        if unspaced
        else len(body.split())
    )


def _characters_in(body: str) -> int:
    return len(body.strip()) + len(UNSPACED[2].findall(body))


def copied(work: Work) -> Measured:
    """Share of the reasons of at least 8 words that are copied: more than 80% of their words are in runs of 8 words
    which the text or its context holds. Of a text that is shorter, the whole text is the run."""
    grams: dict[int, tuple[int, frozenset[tuple[str, ...]]]] = {}

    def from_text(body: str, line: int) -> bool | None:
        text = int(work.lines.text[line])
        if text not in grams:
            run = max(SHORTEST_RUN, min(GRAM, len(bare_words(work.bodies[text]))))
            grams[text] = run, grams_of([work.bodies[text]], n=run)
        run, known = grams[text]
        return share_within(body, known, n=run) > COPIED if len(body.split()) >= run else None

    return _shares(work, from_text)


def repeated(work: Work) -> Measured:
    """Reasons that say, word for word, what another reason of the same or of another worker says."""
    bodies = [" ".join(bare_words(body)) for body in work.reasons.body]
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

    def strange(body: str, _: int) -> bool | None:
        words = bare_words(body)
        return sum(word in small for word in words) < 0.1 * len(words) if _words_in(body) >= MIN_WORDS else None

    return _shares(work, strange)


def pasted(work: Work) -> Measured:
    """Share of the reasons (from 15 characters on) more than half of which was not typed: pasted, dictated, put in.

    Where the page counted no key presses, pastes alone count.
    """
    keys, pastes = work.lines.keystrokes, work.lines.pastes

    def not_typed(body: str, line: int) -> bool | None:
        if np.isnan(keys[line]):
            return None if np.isnan(pastes[line]) else bool(pastes[line] > 0)
        return bool(keys[line] < (1 - PASTED) * len(body)) if len(body) >= MIN_CHARACTERS else None

    return _shares(work, not_typed)


def machine_written(work: Work) -> Measured:
    """Share of the reasons that the study's detector calls machine-written, of those of which it says anything."""
    verdicts = work.reasons.machine
    if verdicts is None:
        return facts(np.full(len(work), np.nan), np.zeros(len(work), dtype=np.int64))
    known = ~np.isnan(verdicts)
    by = work.lines.assignment[work.reasons.line][known]
    return shares(counted(by, len(work), verdicts[known]), counted(by, len(work)).astype(np.int64))


def _shares(work: Work, is_so: Callable[[str, int], bool | None]) -> Measured:
    """Share of each assignment's reasons of which something is so; None: it cannot be said of this one."""
    lines = work.reasons.line.tolist()
    verdicts = [is_so(body, line) for line, body in zip(lines, work.reasons.body, strict=True)]
    known = np.array([verdict is not None for verdict in verdicts], dtype=np.bool_)
    by = work.lines.assignment[work.reasons.line]
    hits = counted(by, len(work), np.array([bool(verdict) for verdict in verdicts], dtype=np.bool_))
    return shares(hits, counted(by, len(work), known).astype(np.int64))
