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
class Given:
    """The answer to one question: the text of a free text, or the chosen identifiers and the text of "other"."""

    question: Question
    text: str = ""
    chosen: tuple[str, ...] = ()


def given_to(form: Form, pairs: Pairs) -> tuple[Given, ...]:
    """What the fields of a web form say to each question; fields and choices that it does not have are left out."""
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(clean(value))
    return tuple(_given(question, values) for question in form.questions)


def _given(question: Question, values: dict[str, list[str]]) -> Given:
    said = values.get(question.field, [])
    if isinstance(question.answer, FreeText):
        return Given(question, text=said[0] if said else "")
    chosen = tuple(choice.identifier for choice in question.answer.choices if choice.identifier in said)
    other = values.get(question.other_field, []) if question.answer.other is not None else []
    return Given(question, text=other[0].strip() if other else "", chosen=chosen)


def faults(given: Sequence[Given]) -> dict[str, str]:
    """By field name, the sentence about each answer that breaks a rule."""
    said = {each.question.field: _fault(each) for each in given}
    return {field: sentence for field, sentence in said.items() if sentence}


def _fault(given: Given) -> str:
    answer = given.question.answer
    if isinstance(answer, Selection):
        return _choice_fault(given, answer)
    if given.question.required and not given.text.strip():
        return _("Please answer this question.")
    return _text_fault(answer, given.text)


def _choice_fault(given: Given, answer: Selection) -> str:
    count = len(given.chosen) + bool(given.text)
    if not count and not given.question.required:
        return ""
    least = max(answer.least, 1) if given.question.required else answer.least
    if count < least:
        return ngettext("Please choose an answer.", "Please choose at least %(count)d answers.", least) % {
            "count": least
        }
    if count > answer.most:
        said = ngettext("Please choose only one answer.", "Please choose at most %(count)d answers.", answer.most)
        return said % {"count": answer.most}
    return _text_fault(answer.other, given.text) if answer.other is not None and given.text else ""


def _text_fault(rule: FreeText, text: str) -> str:
    if rule.numeric and text.strip() and (said := _number_fault(rule, text)):
        return said
    if rule.shortest is not None and len(text) < rule.shortest:
        said = ngettext(
            "Please write at least %(count)d character.", "Please write at least %(count)d characters.", rule.shortest
        )
        return said % {"count": rule.shortest}
    if rule.longest is not None and len(text) > rule.longest:
        said = ngettext(
            "Please write at most %(count)d character.", "Please write at most %(count)d characters.", rule.longest
        )
        return said % {"count": rule.longest}
    return next((pattern.said for pattern in rule.patterns if not _found(pattern.regex, pattern.ignore_case, text)), "")


def _number_fault(rule: FreeText, text: str) -> str:
    if _NUMBER.fullmatch(text) is None:
        return _("Please write a number, such as 12 or 3.5.")
    number = Decimal(text.strip())
    if rule.least is not None and number < rule.least:
        return _("Please write a number from %(least)d on.") % {"least": rule.least}
    if rule.most is not None and number > rule.most:
        return _("Please write a number up to %(most)d.") % {"most": rule.most}
    return ""


def _found(expression: str, ignore_case: bool, text: str) -> bool:
    flags = regex.ASCII | (regex.IGNORECASE if ignore_case else 0)
    try:
        return regex.search(expression, text, flags=flags, timeout=PATIENCE_SECONDS) is not None
    except TimeoutError:
        return True


def form_answers_xml(given: Sequence[Given]) -> str:
    """One Answer a question, in the form's order: FreeText, or SelectionIdentifiers and OtherSelectionText."""
    return HEAD + "".join(_answer(each) for each in given) + TAIL


def _answer(given: Given) -> str:
    if isinstance(given.question.answer, FreeText):
        inner = [element("FreeText", given.text)]
    else:
        inner = [element("SelectionIdentifier", identifier) for identifier in given.chosen]
        inner += [element("OtherSelectionText", given.text)] if given.text else []
    return "\n".join(["<Answer>", element("QuestionIdentifier", given.question.identifier), *inner, "</Answer>\n"])
