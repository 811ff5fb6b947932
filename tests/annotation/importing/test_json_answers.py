"""Old batch results whose answers are JSON: a mapping names what is inside."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from annotation.readers.batch import read_batch
from annotation.readers.problems import FileProblems

MAPPING = """
name = "crowd elements"
[[items]]
text = "Input.items.{i}.text"
source = "Input.items.{i}.by"
rating = "Answer.q{i}.{answer}"
[sources]
person = "reference"
gpt2 = "model"
[scale]
numbers = "1-3"
blank = "skip"
"""
ITEMS = [{"text": "the rain falls", "by": "person"}, {"text": "rain is rain", "by": "gpt2"}]


def buttons(chosen: int) -> dict[str, bool]:
    return {str(number): number == chosen for number in (1, 2, 3)}


def batch(path: Path, answers: list[str]) -> Path:
    """A row for each worker; answers as a crowd-form hands them in."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(["HITId", "WorkerId", "AssignmentId", "Input.items", "Answer.taskAnswers", "Approve", "Reject"])
        for at, answer in enumerate(answers):
            writer.writerow(["H1", f"W{at}", f"A{at}", json.dumps(ITEMS), answer])
    return path


def test_several_nested_questions_are_read(tmp_path: Path) -> None:
    mapping = tmp_path / "map.toml"
    mapping.write_text(MAPPING)
    first = json.dumps([{"q0": buttons(3), "q1": buttons(1), "note": "fine"}])
    second = json.dumps([{"q0": buttons(2), "q1": buttons(2), "late": {"on": True}}])
    work = read_batch(batch(tmp_path / "batch.csv", [first, second]), mapping)
    assert [(text.body, text.source, text.generator) for text in work.texts] == [
        ("the rain falls", "reference", None),
        ("rain is rain", "model", "model"),
    ]
    assert [[judgment.label for judgment in submission.judgments] for submission in work.submissions] == [
        ["3", "1"],
        ["2", "2"],
    ]
    raw = dict(work.submissions[0].raw)
    assert raw["Answer.taskAnswers"] == first
    assert "Answer.q0.3" not in raw


def test_nothing_ticked_is_a_blank_answer(tmp_path: Path) -> None:
    mapping = tmp_path / "map.toml"
    mapping.write_text(MAPPING)
    answer = json.dumps([{"q0": buttons(0), "q1": buttons(1)}])
    work = read_batch(batch(tmp_path / "batch.csv", [answer]), mapping)
    assert [judgment.label for judgment in work.submissions[0].judgments] == ["1"]


def test_two_ticked_answers_are_a_problem(tmp_path: Path) -> None:
    mapping = tmp_path / "map.toml"
    mapping.write_text(MAPPING)
    answer = json.dumps([{"q0": {"1": True, "2": True, "3": False}, "q1": buttons(1)}])
    with pytest.raises(FileProblems, match="two answers are ticked: 1 and 2"):
        read_batch(batch(tmp_path / "batch.csv", [answer]), mapping)
