"""Quiz Design (Laban et al. 2022): questions that teachers accepted or rejected with a reason, grouped by answer."""

from __future__ import annotations

from pathlib import Path

from metrics.data.json_files import Record, read_records
from metrics.errors import BadInput
from metrics.nnd.build import Options, build_tests
from metrics.nnd.orders import best_above_others
from metrics.nnd.records import Candidate, TestSet

NO_ERROR = "No error"
TEMPLATE = "{answer} \n {context}"


def quiz_design_tests(path: Path, *, template: str = TEMPLATE, options: Options | None = None) -> TestSet:
    """No error against any error, over the distinct questions of each group. Raises BadInput, InsufficientData.

    path: JSON lines, one group each: group_id, answer_span, context, questions [{question, reason}]. template: what a
    model is given, with {answer} and {context}; models trained on another format need their own.
    """
    for part in ("{answer}", "{context}"):
        if part not in template:
            raise BadInput(f"the template must hold {part}", column="template")
    groups: dict[str, int] = {}
    candidates = []
    for record in read_records(path):
        name = record.name("group_id")
        if name in groups:
            raise record.error("group_id", f"duplicate group {name!r}, first in row {groups[name]}")
        groups[name] = record.row
        candidates += _questions(record, name, template)
    order = best_above_others(NO_ERROR, [NO_ERROR, *dict.fromkeys(candidate.label for candidate in candidates), "any"])
    return build_tests(candidates, order, "quiz-design", options=options, settings={"template": template})


def _questions(record: Record, group: str, template: str) -> list[Candidate]:
    context = _document(template, record.text("answer_span"), record.text("context"))
    answers: dict[str, Candidate] = {}
    for question in record.records("questions"):
        text, label = question.text("question"), question.text("reason")
        earlier = answers.get(text)
        if earlier is not None and earlier.label != label:
            raise question.error("reason", f"the question {text!r} is labeled {earlier.label!r} and {label!r}")
        if earlier is None:
            answers[text] = Candidate(f"{group}/{len(answers)}", group, context, text, label)
    return list(answers.values())


def _document(template: str, answer: str, context: str) -> str:
    # One pass: an answer that itself holds "{context}" stays as it is.
    head, tail = template.split("{answer}", 1)
    return head.replace("{context}", context) + answer + tail.replace("{context}", context)
