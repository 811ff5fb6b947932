"""Modules outside the folders of the task kinds that name one: a list that only shrinks."""

from __future__ import annotations

from pathlib import Path

from tests.architecture.__main__ import naming_a_task_type

ROOT = Path(__file__).resolve().parents[2]
KINDS = "annotation/design/kinds/"
# Stored defaults of two fields, files of votes, a task's name in reports of earlier releases, and the home of the two
# names that the papers' files have for their question.
NAMING = {
    "annotation/models/judgment.py",
    "annotation/models/study.py",
    "annotation/readers/foreign/ratings_mapping.py",
    "metrics/data/criterion_names.py",
    "metrics/report/records.py",
}


def naming(root: Path) -> set[str]:
    """Their paths from the root."""
    found = (path for package in ("annotation", "metrics") for path in naming_a_task_type(root / package))
    return {path.relative_to(root).as_posix() for path in found}


def test_no_other_module_names_a_task_type() -> None:
    assert {path for path in naming(ROOT) if not path.startswith(KINDS)} == NAMING


def test_a_planted_module_is_seen(tmp_path: Path) -> None:
    (tmp_path / "annotation").mkdir()
    (tmp_path / "annotation/planted.py").write_text('if task == "likert": pass\n', encoding="utf-8")
    assert naming(tmp_path) == {"annotation/planted.py"}
