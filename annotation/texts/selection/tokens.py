"""Words and sentences of a text, by rules that are written down: a selection must give the same texts in ten years.

Words are separated by blanks, so scripts written without blanks have few words: select those texts individually.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

TOOL = "assay-sentences 1"  # raise the number when a rule below changes

# Words that end in a full stop inside a sentence.
ABBREVIATION = re.compile(
    r"mr|mrs|ms|dr|prof|st|sr|jr|gen|col|lt|sgt|capt|cmdr|gov|sen|messrs|mme|mlle|vs|cf|approx|e\.g|i\.e|etc|al|figs?"
    r"|eqs?|nos|vols?|pp|jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec|inc|ltd|corp|dept|univ|ave|blvd|a\.m|p\.m|u\.s|u\.k"
    r"|u\.n|d\.c|ph\.d|b\.a|m\.a|bzw|z\.b|d\.h|u\.a|usw|evtl|ggf|tsp|tbsp"
)
CLOSERS = "\"')]}»”’›」』）】"
# An end mark, what closes with it, and then a blank or the end; marks of Chinese and Japanese need no blank.
END = re.compile(
    rf"(?:[.!?…؟۔।॥።]+[{re.escape(CLOSERS)}]*(?=\s|\Z))|(?:[。！？｡]+[{re.escape(CLOSERS)}]*)|(?:\n[ \t\r]*\n)"
)
SPOKEN = re.compile(r"\S+")
# Vowel signs and other marks belong to the letter before them: Hindi, Arabic or Thai words would be split at each.
MARKS = "".join(chr(code) for code in range(0x300, 0xAC00) if unicodedata.category(chr(code)).startswith("M"))
# In texts whose underscores, which are no letters here, have become blanks: so one class holds all that goes on a word.
WORD = re.compile(rf"\w[\w{MARKS}]*(?:['’-]\w[\w{MARKS}]*)*")


@dataclass(frozen=True, slots=True)
class Cut:
    """A text cut at the end of a sentence. at: characters of the original that are kept. words: how many those hold."""

    body: str
    at: int
    words: int


def count_words(text: str) -> int:
    """Words between blanks."""
    return len(text.split())


def bare_words(text: str) -> list[str]:
    """Words without punctuation, in small letters, in one form of Unicode: what is compared between texts."""
    # ASCII is its own NFKC form.
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return WORD.findall(plain.replace("_", " "))


def sentence_ends(text: str) -> Iterator[int]:
    """Where sentences end (the place after each end), the end of the text last."""
    last = 0
    for match in END.finditer(text):
        if _ends_sentence(text, match):
            last = match.start() if match[0].startswith("\n") else match.end()
            if last:
                yield last
    if last < len(text.rstrip()):
        yield len(text.rstrip())


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    mark = match[0]
    if not mark.startswith(".") or mark.startswith(".."):
        return True
    before = text[max(0, match.start() - 40) : match.start()].split()
    word = before[-1].lstrip("(\"'“‘[«").casefold() if before else ""
    follows = text[match.end() : match.end() + 40].lstrip()
    if follows[:1].islower():
        return False
    if not follows:
        return True
    # "J. Smith", "e.g. Paris": a single letter or a known short form goes on; "in the U.S. The" is ambiguous.
    return not (
        ABBREVIATION.fullmatch(word) or (len(word) == 1 and word.isalpha() and before[-1].isupper() and word != "i")
    )


def cut_after_words(text: str, words: int) -> Cut | None:
    """The text up to the end of the first sentence at which `words` words are reached; None where it is whole so.

    If the word that reaches the number ends a sentence, that sentence is the last (Clark et al. 2021, §2.2).
    """
    length = len(text.rstrip())
    starts = [word.start() for word in SPOKEN.finditer(text)]
    if len(starts) < words:
        return None
    for end in sentence_ends(text):
        reached = bisect_left(starts, end)
        if reached >= words:
            return Cut(text[:end], end, reached) if end < length else None
    return None
