"""Each fault that a file of texts can have, planted at a seeded row: it is told by its code, row and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.readers.problem_codes import CATALOGUE
from annotation.readers.problems import Problem
from annotation.readers.texts import Examination, examine_texts
from tests.annotation.readers.faults import COLUMNS, FAULTS, WHOLE, Fault, csv_line, json_line, planted, rows

LARGE, MIDDLE, SMALL = 100_000, 20_000, 60
FORMS = ("csv", "jsonl")


def good_lines(count: int, form: str) -> list[bytes]:
    if form == "csv":
        return [(",".join(COLUMNS) + "\n").encode(), *(csv_line(row) for row in rows(count))]
    return [json_line(row) for row in rows(count)]


@pytest.fixture(scope="module")
def middle_csv() -> list[bytes]:
    return good_lines(MIDDLE, "csv")


def examined(path: Path, content: bytes) -> tuple[Examination, list[tuple[Problem, bool]]]:
    """The examination, and every problem and warning, listed or not."""
    path.write_bytes(content)
    told: list[tuple[Problem, bool]] = []
    found = examine_texts(path, sink=lambda file, problem, warns: told.append((problem, warns)))
    return found, told


def is_told(fault: Fault, row: int, told: list[tuple[Problem, bool]]) -> bool:
    return any(
        (one.code, one.row, one.field, warns) == (fault.code, row, fault.column, fault.warns) for one, warns in told
    )


def tell_all_faults(form: str, count: int, path: Path) -> None:
    lines = good_lines(count, form)
    names = [name for name, fault in FAULTS.items() if form in fault.forms]
    content, places = planted(lines, names, form=form, seed=20261121, good=list(rows(count)))
    found, told = examined(path, content)
    assert [name for name in names if not is_told(FAULTS[name], places[name], told)] == []
    # Every kind is among those listed, not only in the file of all problems.
    listed = {one.code for one in (*found.faults[0].problems.listed, *found.faults[0].warnings.listed)}
    assert listed == {one.code for one, _ in told}
    assert found.total_problems == sum(not warns for _, warns in told)
    assert not found.texts


@pytest.mark.long
def test_all_faults_in_one_csv_of_100_000_rows_are_told_at_once(tmp_path: Path) -> None:
    tell_all_faults("csv", LARGE, tmp_path / "texts.csv")


def test_all_faults_in_one_file_of_20_000_json_lines_are_told_at_once(tmp_path: Path) -> None:
    tell_all_faults("jsonl", MIDDLE, tmp_path / "texts.jsonl")


@pytest.mark.parametrize("form", FORMS)
def test_a_good_file_has_no_fault(form: str, tmp_path: Path) -> None:
    found, told = examined(tmp_path / f"texts.{form}", b"".join(good_lines(1000, form)))
    assert (found.rows, len(found.texts), told) == (1000, 1000, [])


@pytest.mark.parametrize("name", WHOLE)
def test_a_fault_of_a_whole_file_of_20_000_rows(name: str, middle_csv: list[bytes], tmp_path: Path) -> None:
    code, row, column, spoil = WHOLE[name]
    found, told = examined(tmp_path / "texts.csv", spoil(middle_csv))
    assert (code, row, column) in [(one.code, one.row, one.field) for one, _ in told]
    assert bool(found.texts) == (name == "an unknown column")


SINGLE = [(name, form) for name, fault in FAULTS.items() for form in fault.forms]


@pytest.mark.parametrize(("name", "form"), SINGLE, ids=[f"{name}, {form}" for name, form in SINGLE])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_fault_alone_is_told_where_it_stands(name: str, form: str, seed: int, tmp_path: Path) -> None:
    fault, good = FAULTS[name], list(rows(SMALL))
    content, places = planted(good_lines(SMALL, form), [name], form=form, seed=seed, good=good)
    found, told = examined(tmp_path / f"texts.{form}", content)
    assert is_told(fault, places[name], told), told
    assert bool(found.texts) == fault.warns
    assert all(one.what_to_do for one, _ in told)


def test_a_delimiter_that_is_asked_for_and_wrong_is_told(tmp_path: Path) -> None:
    from annotation.readers.tabular import FileForm

    path = tmp_path / "texts.csv"
    path.write_bytes(b"".join(good_lines(SMALL, "csv")))
    found = examine_texts(path, form=FileForm(delimiter=";"))
    first = found.faults[0].problems.listed[0]
    assert (first.code, first.row) == ("wrong-delimiter", 1)
    assert "commas would cut it" in first.rule


def test_the_manual_tells_of_every_code() -> None:
    manual = (Path(__file__).resolve().parents[3] / "docs" / "import.md").read_text(encoding="utf-8")
    for code, fault in CATALOGUE.items():
        warns = " (a warning)" if fault.warns else ""
        assert code == "rule" or f"| `{code}` | {fault.means}{warns} | {fault.do} |" in manual
