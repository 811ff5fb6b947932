"""What the page of a QuestionForm shows of each part: how a question is asked, and what was answered to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.marketplace.questions.form_answers import EnteredAnswer
from annotation.marketplace.questions.form_fields import Block, Form, FreeText, Overview, Question, Selection

TALLEST = 20
# In a native list options are plain text.
LISTS = {"dropdown", "combobox", "list"}


@dataclass(frozen=True)
class Option:
    """One choice: its number in the question, whether it is chosen, and what is shown for it."""

    number: int
    value: str
    chosen: bool
    content: Block


@dataclass(frozen=True)
class Part:
    """An overview (`question` is None) or a question with its number, its field and what is said about its answer."""

    content: tuple[Block, ...]
    number: int = 0
    question: Question | None = None
    widget: str = ""
    required: bool = False
    text: str = ""
    other: str = ""
    options: tuple[Option, ...] = ()
    fault: str = ""
    rows: int = 1
    none: bool = False


def shown(form: Form, *, answers: Sequence[EnteredAnswer], faults: dict[str, str]) -> list[Part]:
    """Return the parts of `form` in order; `answers` and `faults` are empty until answers were not accepted."""
    entered_by_question = {each.question.identifier: each for each in answers}
    parts: list[Part] = []
    number = 0
    for part in form.parts:
        if isinstance(part, Overview):
            parts.append(Part(part.content))
            continue
        number += 1
        parts.append(_question(part, number, entered_by_question.get(part.identifier), faults.get(part.field, "")))
    return parts


def _question(question: Question, number: int, entered: EnteredAnswer | None, fault: str) -> Part:
    answer = question.answer
    if isinstance(answer, FreeText):
        return Part(
            content=question.content,
            number=number,
            question=question,
            widget="text",
            required=question.required or bool(answer.shortest),
            text=answer.default if entered is None else entered.text,
            rows=min(answer.lines, TALLEST),
            fault=fault,
        )
    chosen = entered.chosen if entered else ()
    widget = _widget(answer)
    return Part(
        content=question.content,
        number=number,
        question=question,
        widget=widget,
        required=question.required,
        other=entered.text if entered else "",
        options=tuple(
            Option(place, choice.identifier, choice.identifier in chosen, choice.content)
            for place, choice in enumerate(answer.choices, 1)
        ),
        fault=fault,
        # Who has chosen a radio button by mistake must be able to take it back.
        none=widget in {"radio", "select"} and not question.required,
    )


def _widget(answer: Selection) -> str:
    """select, radio or checkbox: what can be chosen, and whether the choices are plain text, come before the style."""
    if answer.max_choices > 1:
        return "checkbox"
    plain = all(choice.content.kind == "text" for choice in answer.choices)
    return "select" if plain and answer.style in LISTS else "radio"
