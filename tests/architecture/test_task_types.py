"""Modules outside the folders of the task kinds that name one: a list that only shrinks."""

from __future__ import annotations

from pathlib import Path

from tests.architecture.__main__ import naming_a_task_type

ROOT = Path(__file__).resolve().parents[2]
KINDS = "annotation/design/kinds/"
# Most name a criterion of the two papers (who wrote a text, how typical it is), which kinds have the names of.
NAMING = {
    "annotation/collecting/ratings.py",
    "annotation/importing/import_report.py",
    "annotation/models/judgment.py",
    "annotation/models/study.py",
    "annotation/readers/foreign/ratings_mapping.py",
    "annotation/readers/records.py",
    "annotation/reports/evaluator_judgments.py",
    "annotation/reports/machine_scores.py",
    "metrics/data/csv_files.py",
    "metrics/data/source_ratings.py",
    "metrics/report/formats/csv.py",
    "metrics/report/prose/methods.py",
    "metrics/report/records.py",
    "metrics/report/sections/frequency.py",
    "metrics/report/sections/huse_extras.py",
    "metrics/report/sections/judgments.py",
    "metrics/report/sections/rating_scales.py",
    "metrics/report/sections/source_comparisons.py",
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
