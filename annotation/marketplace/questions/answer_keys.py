"""Answer keys: how the answers to a qualification test become its score."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from xml.etree.ElementTree import Element

from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.questions.form_answers import EnteredAnswer
from annotation.marketplace.questions.form_fields import Form, Selection
from annotation.marketplace.questions.form_parser import FARTHEST, SCHEMAS
from annotation.marketplace.questions.safe_xml import children, name_of, parse_integer, root_of, sequence, text_of

NAMESPACE = f"{SCHEMAS}/2005-10-01/AnswerKey.xsd"
LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Marks:
    """What one question gives: for exactly these choices this score, for all others `otherwise`."""

    options: tuple[tuple[frozenset[str], int], ...]
    otherwise: int


@dataclass(frozen=True)
class Mapping:
    """From the sum to the value: sum ("" ), percentage of `maximum`, scale by `factor`, or `ranges` of sums."""

    kind: str = ""
    maximum: int = 1
    factor: Decimal = Decimal(1)
    ranges: tuple[tuple[int, int, int], ...] = ()
    outside: int = 0


@dataclass(frozen=True)
class Key:
    """An answer key by question identifier."""

    marks: dict[str, Marks]
    mapping: Mapping

    def score(self, answers: Sequence[EnteredAnswer]) -> int:
        """The qualification's value for answers to a test."""
        answered = {each.question.identifier: frozenset(each.chosen) for each in answers}
        total = sum(_earned(marks, answered.get(name, frozenset())) for name, marks in self.marks.items())
        return max(-LARGEST, min(LARGEST, _value(self.mapping, total)))


def _earned(marks: Marks, chosen: frozenset[str]) -> int:
    return next((score for selection, score in marks.options if selection == chosen), marks.otherwise)


def _value(mapping: Mapping, total: int) -> int:
    if mapping.kind == "percentage":
        return _rounded(Decimal(100 * total) / mapping.maximum)
    if mapping.kind == "scale":
        return _rounded(total * mapping.factor)
    if mapping.kind == "ranges":
        return next((value for low, high, value in mapping.ranges if low <= total <= high), mapping.outside)
    return total


def _rounded(number: Decimal) -> int:
    return int(number.quantize(Decimal(1), rounding=ROUND_HALF_UP))


def read_key(text: str, form: Form) -> Key:
    """Read the AnswerKey of a test. Raises InvalidParameterError, also where it does not fit `form`."""
    namespace, name, root = root_of(text)
    if (namespace, name) != (NAMESPACE, "AnswerKey"):
        raise InvalidParameterError(f"AnswerKey must be an AnswerKey ({NAMESPACE}), not {name!r} in {namespace!r}.")
    rows = children(root, namespace=NAMESPACE, allowed=("Question", "QualificationValueMapping"))
    mapped = rows.pop() if rows and name_of(rows[-1]) == "QualificationValueMapping" else None
    marks: dict[str, Marks] = {}
    for row in rows:
        identifier, question_marks = _question(row)
        if identifier in marks:
            raise InvalidParameterError(f"AnswerKey: the question {identifier!r} comes twice.")
        marks[identifier] = question_marks
    _check_fit(marks, form)
    return Key(marks, _mapping(mapped) if mapped is not None else Mapping())


def _question(element: Element) -> tuple[str, Marks]:
    if name_of(element) != "Question":
        raise InvalidParameterError("QualificationValueMapping must come once, after every Question.")
    rows = children(element, namespace=NAMESPACE, allowed=("QuestionIdentifier", "AnswerOption", "DefaultScore"))
    names = [name_of(row) for row in rows]
    options = names.count("AnswerOption")
    tail = ["DefaultScore"] if names[-1:] == ["DefaultScore"] else []
    if not options or names != ["QuestionIdentifier", *["AnswerOption"] * options, *tail]:
        raise InvalidParameterError(
            "Question of an AnswerKey must hold QuestionIdentifier, AnswerOptions, DefaultScore."
        )
    otherwise = _score(rows[-1]) if tail else 0
    return text_of(rows[0]).strip(), Marks(tuple(_option(row) for row in rows[1 : 1 + options]), otherwise)


def _option(element: Element) -> tuple[frozenset[str], int]:
    rows = children(element, namespace=NAMESPACE, allowed=("SelectionIdentifier", "AnswerScore"))
    names = [name_of(row) for row in rows]
    if len(names) < 2 or names != ["SelectionIdentifier"] * (len(names) - 1) + ["AnswerScore"]:
        raise InvalidParameterError("AnswerOption must hold one or more SelectionIdentifier and an AnswerScore.")
    return frozenset(text_of(row).strip() for row in rows[:-1]), _score(rows[-1])


def _score(element: Element) -> int:
    return parse_integer(text_of(element), name_of(element), minimum=-FARTHEST)


def _mapping(element: Element) -> Mapping:
    allowed = ("PercentageMapping", "ScaleMapping", "RangeMapping")
    rows = children(element, namespace=NAMESPACE, allowed=allowed)
    if len(rows) != 1:
        raise InvalidParameterError(f"QualificationValueMapping must hold one of {', '.join(allowed)}.")
    (row,) = rows
    if name_of(row) == "RangeMapping":
        return _ranges(row)
    if name_of(row) == "PercentageMapping":
        child = sequence(row, namespace=NAMESPACE, names=("MaximumSummedScore",))["MaximumSummedScore"]
        return Mapping("percentage", maximum=parse_integer(text_of(child), "MaximumSummedScore", minimum=1))
    child = sequence(row, namespace=NAMESPACE, names=("SummedScoreMultiplier",))["SummedScoreMultiplier"]
    text = text_of(child).strip()
    if re.fullmatch(r"[+-]?(\d{1,9}(\.\d{0,9})?|\.\d{1,9})", text, re.ASCII) is None:
        raise InvalidParameterError(f"SummedScoreMultiplier must be a decimal number, not {text[:40]!r}.")
    return Mapping("scale", factor=Decimal(text))


def _ranges(element: Element) -> Mapping:
    rows = children(element, namespace=NAMESPACE, allowed=("SummedScoreRange", "OutOfRangeQualificationValue"))
    row_names = [name_of(row) for row in rows]
    if len(row_names) < 2 or row_names != ["SummedScoreRange"] * (len(row_names) - 1) + [
        "OutOfRangeQualificationValue"
    ]:
        raise InvalidParameterError(
            "RangeMapping must hold SummedScoreRanges and then one OutOfRangeQualificationValue."
        )
    names = ("InclusiveLowerBound", "InclusiveUpperBound", "QualificationValue")
    range_elements = [sequence(row, namespace=NAMESPACE, names=names) for row in rows[:-1]]
    ranges = tuple((_score(row[names[0]]), _score(row[names[1]]), _score(row[names[2]])) for row in range_elements)
    ordered = sorted(ranges)
    if any(low > high for low, high, _ in ranges) or any(before[1] >= after[0] for before, after in pairwise(ordered)):
        raise InvalidParameterError("Ranges of a RangeMapping must not be empty and must not overlap.")
    return Mapping("ranges", ranges=ranges, outside=_score(rows[-1]))


def _check_fit(marks: dict[str, Marks], form: Form) -> None:
    """Every question of the test has choices only, and the key names only its questions and choices."""
    for question in form.questions:
        if not isinstance(question.answer, Selection) or question.answer.other is not None:
            raise InvalidParameterError(
                f"A test with an AnswerKey can have multiple-choice questions only; {question.identifier!r} takes text."
            )
    known = {question.identifier: question.answer for question in form.questions}
    for identifier, question_marks in marks.items():
        answer = known.get(identifier)
        if not isinstance(answer, Selection):
            raise InvalidParameterError(f"AnswerKey names the question {identifier!r}, which the test does not have.")
        choices = {choice.identifier for choice in answer.choices}
        unknown = {name for selection, _ in question_marks.options for name in selection} - choices
        if unknown:
            raise InvalidParameterError(f"AnswerKey names the selection {min(unknown)!r}, which {identifier!r} lacks.")
