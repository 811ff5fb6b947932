"""A HIT's page filled in and read back without a marketplace: what can be sent can be answered."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import html

from annotation.design.wording import Wording
from annotation.exceptions import AnswerError, QuestionError, QuestionTooLargeError
from annotation.hits.parse_answers import read_line
from annotation.hits.render import ShownLine
from annotation.mturk.question_xml import html_question


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of it: bytes of the page, whether it is too large for a question, and what does not work."""

    size: int
    too_large: bool
    problems: tuple[str, ...]


def try_page(page: str, lines: list[ShownLine], wording: Wording) -> Tried:
    """Wrap the page as a question, fill its form in as a browser without script would, and read the answers."""
    problems, too_large = [], False
    try:
        html_question(page)
    except QuestionTooLargeError:
        too_large = True
    except QuestionError as error:
        problems.append(str(error))
    answers = _fill_form(page)
    for line in lines:
        if line.expected:
            continue
        try:
            answered = read_line(answers, line.position, wording)
        except AnswerError as error:
            problems.append(str(error))
            break
        problems += [f"Line {line.position + 1} has no answer for {name}." for name in answered.missing]
    if "assignmentId" not in answers:
        problems.append("The form has no field assignmentId.")
    return Tried(len(page.encode()), too_large, tuple(problems))


def _fill_form(page: str) -> dict[str, str]:
    """The form's fields with the first label, or the least number, of every question chosen."""
    form = html.fromstring(page).get_element_by_id("answers")
    answers = {field.get("name"): field.get("value") or "" for field in form.xpath(".//input[@type='hidden']")}
    for choice in form.xpath(".//input[@type='radio' or @type='checkbox']"):
        answers.setdefault(choice.get("name"), choice.get("value"))
    for number in form.xpath(".//input[@type='number']"):
        answers.setdefault(number.get("name"), number.get("min") or "0")
    return answers
