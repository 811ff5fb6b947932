"""What a QuestionForm asks: contents, questions and the answers they take."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.marketplace.questions.answer_xml import RESERVED

OTHER = "|other"


@dataclass(frozen=True)
class Block:
    """One piece of content. `kind` is title, text, list, html (already sanitised), image, audio or video."""

    kind: str
    text: str = ""
    items: tuple[str, ...] = ()
    url: str = ""


@dataclass(frozen=True)
class Pattern:
    """A regular expression that must be found in an answer, and what is said where it is not."""

    regex: str
    ignore_case: bool
    message: str


@dataclass(frozen=True)
class FreeText:
    """A text field. Bounds of None are not set; lengths count characters, a line end as one."""

    numeric: bool = False
    min_value: int | None = None
    max_value: int | None = None
    shortest: int | None = None
    longest: int | None = None
    patterns: tuple[Pattern, ...] = ()
    default: str = ""
    lines: int = 1


@dataclass(frozen=True)
class Choice:
    identifier: str
    content: Block


@dataclass(frozen=True)
class Selection:
    """A multiple-choice field: from `min_choices` to `max_choices` of `choices`; an `other` text counts as one more."""

    choices: tuple[Choice, ...]
    min_choices: int = 1
    max_choices: int = 1
    style: str = ""
    other: FreeText | None = None


@dataclass(frozen=True)
class Question:
    identifier: str
    name: str
    required: bool
    content: tuple[Block, ...]
    answer: FreeText | Selection

    @property
    def field(self) -> str:
        """The name of its field in the web form: the identifier, unless a HIT's own parameter is called so."""
        return f"q:{self.identifier}" if self.identifier in RESERVED else self.identifier

    @property
    def other_field(self) -> str:
        return self.field + OTHER


@dataclass(frozen=True)
class Overview:
    content: tuple[Block, ...]


@dataclass(frozen=True)
class Form:
    """A QuestionForm: overviews and questions in the order given."""

    parts: tuple[Overview | Question, ...]

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(part for part in self.parts if isinstance(part, Question))
