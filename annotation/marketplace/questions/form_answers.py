"""What a worker answered to a QuestionForm: checked against its rules, and written as QuestionFormAnswers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import regex
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.marketplace.questions.answer_xml import HEAD, TAIL, Pairs, clean, element
from annotation.marketplace.questions.form_fields import Form, FreeText, Question, Selection

# A requester's expression that takes longer is passed over: it must cost neither the site nor the worker's answer.
PATIENCE_SECONDS = 0.2
_NUMBER = re.compile(r"\s*[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})\s*", re.ASCII)


@dataclass(frozen=True)
class EnteredAnswer:
    """The answer to one question: the text of a free text, or the chosen identifiers and the text of "other"."""

    question: Question
    text: str = ""
    chosen: tuple[str, ...] = ()


def parse_answers(form: Form, pairs: Pairs) -> tuple[EnteredAnswer, ...]:
    """What the fields of a web form say to each question; fields and choices that it does not have are left out."""
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(clean(value))
    return tuple(_parse_answer(question, values) for question in form.questions)


def _parse_answer(question: Question, values: dict[str, list[str]]) -> EnteredAnswer:
    texts = values.get(question.field, [])
    if isinstance(question.answer, FreeText):
        return EnteredAnswer(question, text=texts[0] if texts else "")
    chosen = tuple(choice.identifier for choice in question.answer.choices if choice.identifier in texts)
    other = values.get(question.other_field, []) if question.answer.other is not None else []
    return EnteredAnswer(question, text=other[0].strip() if other else "", chosen=chosen)


def faults(answers: Sequence[EnteredAnswer]) -> dict[str, str]:
    """By field name, the sentence about each answer that breaks a rule."""
    sentences = {each.question.field: _fault(each) for each in answers}
    return {field: sentence for field, sentence in sentences.items() if sentence}


def _fault(entered: EnteredAnswer) -> str:
    answer = entered.question.answer
    if isinstance(answer, Selection):
        return _choice_fault(entered, answer)
    if entered.question.required and not entered.text.strip():
        return _("Please answer this question.")
    return _text_fault(answer, entered.text)


def _choice_fault(entered: EnteredAnswer, answer: Selection) -> str:
    count = len(entered.chosen) + bool(entered.text)
    if not count and not entered.question.required:
        return ""
    minimum = max(answer.min_choices, 1) if entered.question.required else answer.min_choices
    if count < minimum:
        return ngettext("Please choose an answer.", "Please choose at least %(count)d answers.", minimum) % {
            "count": minimum
        }
    if count > answer.max_choices:
        sentence = ngettext(
            "Please choose only one answer.", "Please choose at most %(count)d answers.", answer.max_choices
        )
        return sentence % {"count": answer.max_choices}
    return _text_fault(answer.other, entered.text) if answer.other is not None and entered.text else ""


def _text_fault(rule: FreeText, text: str) -> str:
    if rule.numeric and text.strip() and (sentence := _number_fault(rule, text)):
        return sentence
    if rule.shortest is not None and len(text) < rule.shortest:
        sentence = ngettext(
            "Please write at least %(count)d character.", "Please write at least %(count)d characters.", rule.shortest
        )
        return sentence % {"count": rule.shortest}
    if rule.longest is not None and len(text) > rule.longest:
        sentence = ngettext(
            "Please write at most %(count)d character.", "Please write at most %(count)d characters.", rule.longest
        )
        return sentence % {"count": rule.longest}
    return next(
        (pattern.message for pattern in rule.patterns if not _matches(pattern.regex, pattern.ignore_case, text)), ""
    )


def _number_fault(rule: FreeText, text: str) -> str:
    if _NUMBER.fullmatch(text) is None:
        return _("Please write a number, such as 12 or 3.5.")
    number = Decimal(text.strip())
    if rule.min_value is not None and number < rule.min_value:
        return _("Please write a number from %(least)d on.") % {"least": rule.min_value}
    if rule.max_value is not None and number > rule.max_value:
        return _("Please write a number up to %(most)d.") % {"most": rule.max_value}
    return ""


def _matches(expression: str, ignore_case: bool, text: str) -> bool:
    flags = regex.ASCII | (regex.IGNORECASE if ignore_case else 0)
    try:
        return regex.search(expression, text, flags=flags, timeout=PATIENCE_SECONDS) is not None
    except TimeoutError:
        return True


def form_answers_xml(answers: Sequence[EnteredAnswer]) -> str:
    """One Answer a question, in the form's order: FreeText, or SelectionIdentifiers and OtherSelectionText."""
    return HEAD + "".join(_answer(each) for each in answers) + TAIL


def _answer(entered: EnteredAnswer) -> str:
    if isinstance(entered.question.answer, FreeText):
        inner = [element("FreeText", entered.text)]
    else:
        inner = [element("SelectionIdentifier", identifier) for identifier in entered.chosen]
        inner += [element("OtherSelectionText", entered.text)] if entered.text else []
    return "\n".join(["<Answer>", element("QuestionIdentifier", entered.question.identifier), *inner, "</Answer>\n"])
