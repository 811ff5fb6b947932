"""The page of the fault runs: a command writes its section and leaves the others; a trial says what each person met."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import __main__ as everything
from tests.faults import on_prolific
from tests.faults.installed import tracebacks
from tests.faults.outside import Trial, page
from tests.faults.sections import FOOT, is_smaller, read_sections, write_section


def test_a_section_is_replaced_and_the_others_stay_in_their_order(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    for name, text in (("clock", "later"), ("points", "first"), ("clock", "once more")):
        write_section(file, name, text)
    written = file.read_text()
    assert read_sections(written) == {"points": "first", "clock": "once more"}
    assert list(read_sections(written)) == ["points", "clock"]
    assert written.endswith(FOOT)
    with pytest.raises(KeyError):
        write_section(file, "unknown", "")


def test_the_stored_page_holds_what_the_commands_wrote() -> None:
    stored = (Path(__file__).resolve().parents[2] / "docs" / "reliability.md").read_text()
    assert "points" in read_sections(stored)


@pytest.mark.parametrize(
    ("name", "recorded", "size"),
    [("prolific-faults.md", on_prolific.RECORDED, 1000), ("reliability.md", everything.RECORDED, 200)],
)
def test_a_run_smaller_than_the_recorded_one_is_told_and_not_written(
    name: str, recorded: str, size: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = Path(__file__).resolve().parents[2] / "docs" / name
    assert is_smaller(size - 1, stored, recorded)
    assert f"{name} records a larger run" in capsys.readouterr().out
    assert not is_smaller(size, stored, recorded)
    assert not is_smaller(1, tmp_path / name, recorded)


def test_a_trial_names_what_was_met_and_each_audit_that_is_not_0() -> None:
    met = {"during": {"worker: submit|503 Try again": 2}}
    trial = Trial(
        "SQLite", "A lock.", 60, met, 3, 5, 1, ["FAULT disk: full"], [], {"lost hits": 2, "double payments": 0}
    )
    text = page([trial], "## Locked")
    assert "| worker: submit | - | 2 x 503 Try again | - |" in text
    assert "Audits: 2 lost hits." in text
    assert "All was well 3 s after it ended" in text
    assert "lived through it" not in text
    trial.found, trial.well_after, trial.web, trial.day = {"lost hits": 0}, -1, (3, 2), "2026-01-02"
    assert "**SQLite, 2026-01-02.**" in page([trial], "")
    assert "Of 3 processes of the web, 2 lived through it." in page([trial], "")
    assert "All 1 audits: 0." in page([trial], "")
    assert "not within" in page([trial], "")


def test_tracebacks_are_counted_by_the_exception_that_ended_them() -> None:
    log = """It ended with -9; it starts again.
Traceback (most recent call last):
  File "a.py", line 1, in a
    raise Missing
a.Missing: no row
Traceback (most recent call last):

  File "b.py", line 1
ValueError
Traceback (most recent call last):
  File "a.py", line 9, in a
a.Missing
"""
    assert tracebacks(log) == {"a.Missing": 2, "ValueError": 1}
