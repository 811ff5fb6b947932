"""Sentences of a report, each bound to the facts that it states.

A template is written once, with the fields of the report's input (or of its results) that its words state. What is not
known is never filled in: a sentence whose facts are missing is not written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import Formatter
from typing import Any

from metrics.data.number_format import fixed


class Sentence(str):
    """A sentence that knows its template. key: of the template; facts: the fields that it states."""

    key: str
    facts: tuple[str, ...]

    def __new__(cls, words: str, key: str = "", facts: tuple[str, ...] = ()) -> Sentence:
        """Bind the words to a template's key and facts."""
        sentence = super().__new__(cls, words)
        sentence.key, sentence.facts = key, facts
        return sentence


ROUNDED = re.compile(r"\.(\d+)([f%])")


class _Rounding(Formatter):
    """Rounds as every table and figure does."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        spec = ROUNDED.fullmatch(format_spec)
        if spec is None:
            return super().format_field(value, format_spec)
        digits, percent = int(spec[1]), spec[2] == "%"
        return f"{fixed(100 * value, digits)}%" if percent else fixed(value, digits)


FORMATTER = _Rounding()


@dataclass(frozen=True, slots=True)
class Template:
    """The words of a sentence with places for values, and the facts that they state.

    facts: paths of fields: of `ReportInput` (`crowd.workers`), of the results (`results.huse`), or how the report was
    asked for (`options.level`).
    """

    key: str
    words: str
    facts: tuple[str, ...]

    def fill(self, **values: Any) -> Sentence:
        """Write the sentence."""
        return Sentence(FORMATTER.format(self.words, **values), self.key, self.facts)


TEMPLATES: dict[str, Template] = {}


def template(key: str, words: str, *facts: str) -> Template:
    """Register a template. Raises ValueError for a key that is taken, and for a sentence that states no fact."""
    if key in TEMPLATES:
        raise ValueError(f"The sentence {key} has two templates.")
    if not facts:
        raise ValueError(f"The sentence {key} names no fact.")
    TEMPLATES[key] = Template(key, words, facts)
    return TEMPLATES[key]


class Plain(str):
    """A caption that names what a table lists and states nothing of a study: no number, no name, no verb."""


STATES = re.compile(
    r"[\d{}“”\"%]|\b(?:is|are|was|were|has|have|had|does|do|did|can|may|will|should|differs?|holds?|shows?|speaks?|"
    r"depends?|means that)\b",
    re.IGNORECASE,
)


def plain(words: str) -> Plain:
    """Write a caption without facts. Raises ValueError where it states something: then it needs a template."""
    if stated := STATES.search(words):
        raise ValueError(f"The caption {words!r} states something ({stated[0]}): write a template with its facts.")
    return Plain(words)
