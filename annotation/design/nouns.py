"""What a text is called, in the words of a page: singular, plural, article; and what is said only beside a context.

`{noun}`, `{nouns}` and `{a noun}` stand for the names; `{context: ...}` holds words for texts that come with a context.
"""

from __future__ import annotations

import re

_CONTEXT = re.compile(r"\{context:([^{}]*)\}")
_SOUNDS = (
    # (as the word begins, whether it takes "an"), the first that fits
    (re.compile(r"(hour|honest|honou?r|heir)", re.IGNORECASE), True),
    (re.compile(r"(uni|use|usu|uti|eu|ewe|one\b|once\b|ubi)", re.IGNORECASE), False),
    (re.compile(r"[aeiou]", re.IGNORECASE), True),
)
_IRREGULAR = {"person": "people", "summary": "summaries", "analysis": "analyses", "thesis": "theses"}


def fill_words(text: str, *, noun: str, nouns: str, context: bool, with_article: str = "") -> str:
    """`text` with the names in place of their marks. context: whether the text in question comes with one.

    with_article: the name with its article, in place of the English one.
    """
    named = (
        text.replace("{a noun}", with_article or f"{article_of(noun)} {noun}")
        .replace("{noun}", noun)
        .replace("{nouns}", nouns)
    )
    return _CONTEXT.sub(lambda match: match[1] if context else "", named)


def article_of(noun: str) -> str:
    """`a` or `an`, by how an English word begins."""
    return "an" if next((an for begins, an in _SOUNDS if begins.match(noun)), False) else "a"


def plural_of(noun: str) -> str:
    """The English plural of a regular noun; of several words, that of the last (`news story`: `news stories`)."""
    *first, last = noun.rsplit(" ", 1)
    return " ".join((*first, _plural(last)))


def _plural(word: str) -> str:
    low = word.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if re.search(r"[^aeiou]y$", low):
        return f"{word[:-1]}ies"
    return f"{word}es" if re.search(r"(s|x|z|ch|sh)$", low) else f"{word}s"
