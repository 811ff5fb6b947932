"""Answers of k-alternative forced choice: which of k texts was written by a machine, from CSV or a released study.

The release of llm-deepfake-human-study is read as it is: JSON by task, with the key in a CSV whose column `label` names
the machine's paragraph; article i of task `hit<k>` is row k + i.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrics.data.csv_files import read_rows
from metrics.data.text_files import read_text
from metrics.errors import BadInput

COLUMNS = ("rater", "item", "choice", "answer")
CONDITION = "condition"
TASK = re.compile(r"hit([0-9]{1,6})")
QUESTION = re.compile(r"A([1-9][0-9]?)Q1")
PLACE = re.compile(r"paragraph[ _]([1-9][0-9]?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ForcedChoice:
    """One answer. choice: the alternative that was chosen; answer: the right one; condition: "" without any."""

    rater: str
    item: str
    choice: str
    answer: str
    condition: str = ""

    @property
    def right(self) -> bool:
        """Whether the right alternative was chosen."""
        return self.choice == self.answer


def read_choices(path: Path, key: Path | None = None) -> list[ForcedChoice]:
    """Answers from a CSV with `rater`, `item`, `choice`, `answer`, and `condition` where there is one.

    key: the CSV of right answers of a released study, whose answers are JSON. Each rater answers an item once in a
    condition. Raises BadInput.
    """
    if key is not None:
        return _released(path, key)
    rows = read_rows(path, COLUMNS)
    answers: dict[str, str] = {}
    seen: dict[tuple[str, str, str], int] = {}
    choices = []
    for row in rows:
        condition = row.text(CONDITION) if CONDITION in row.cells else ""
        choice = ForcedChoice(row.text("rater"), row.text("item"), row.text("choice"), row.text("answer"), condition)
        if answers.setdefault(choice.item, choice.answer) != choice.answer:
            raise row.error("answer", f"item {choice.item!r} was answered by {answers[choice.item]!r} before")
        line = seen.setdefault((choice.rater, choice.item, condition), row.line)
        if line != row.line:
            raise row.error("rater", f"rater {choice.rater!r} has already answered item {choice.item!r} in row {line}")
        choices.append(choice)
    return choices


def _released(path: Path, key: Path) -> list[ForcedChoice]:
    answers = [_place(row.text("label"), key.name, row.line) for row in read_rows(key, ("label",))]
    try:
        tasks = json.loads(read_text(path, "JSON"))
    except json.JSONDecodeError as error:
        raise BadInput(f"the file is not JSON: {error.msg}", where=path.name, row=error.lineno) from None
    if not isinstance(tasks, dict):
        raise BadInput("the file holds tasks by name, such as hit0", where=path.name)
    choices = []
    for name, task in tasks.items():
        begin = TASK.fullmatch(name)
        submissions = task.get("Answers") if isinstance(task, dict) else None
        if begin is None or not isinstance(submissions, list):
            raise BadInput("a task is called hit and a number, and has Answers", where=f"{path.name}, {name}")
        for submission in submissions:
            choices += _of_submission(submission, int(begin[1]), answers, f"{path.name}, {name}")
    return choices


def _of_submission(submission: Any, begin: int, answers: list[str], where: str) -> list[ForcedChoice]:
    if not isinstance(submission, dict) or not isinstance(submission.get("WorkerID"), str):
        raise BadInput("an answer has a WorkerID", where=where)
    choices = []
    for question, value in submission.items():
        article = QUESTION.fullmatch(question)
        if article is None or value is None:
            continue
        row = begin + int(article[1]) - 1
        if row >= len(answers):
            raise BadInput(f"{question} has no row in the key", where=where)
        choices.append(ForcedChoice(submission["WorkerID"], str(row + 1), _place(value, where), answers[row]))
    return choices


def _place(text: Any, where: str, line: int | None = None) -> str:
    """The number in "Paragraph 2" or "paragraph_2". Raises BadInput."""
    place = PLACE.fullmatch(text.strip()) if isinstance(text, str) else None
    if place is None:
        raise BadInput(f"{str(text)[:30]!r} names no paragraph", where=where, row=line)
    return place[1]
