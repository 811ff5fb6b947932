"""The short form of the fault run: one small study on SQLite, its processes killed at moments chosen by chance."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults import kill_points as points

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_a_study_whose_processes_are_killed_loses_nothing_and_pays_once(
    tmp_path: Path, migrated: Callable[[Path], None]
) -> None:
    migrated(tmp_path / "migrated.sqlite3")
    command = [sys.executable, "-m", "tests.faults", "--short", "--migrated", str(tmp_path / "migrated.sqlite3")]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)
    assert "nothing lost, nothing paid twice" in ran.stdout, ran.stdout + ran.stderr
    assert ran.returncode == 0


def _replaced(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Doom this process at the point (at a moment that never comes), undone after the test."""
    module, _, path = points.ALL[name].target.partition(":")
    holder: object = __import__(module, fromlist=["_"])
    *parents, last = path.split(".")
    for parent in parents:
        holder = getattr(holder, parent)
    monkeypatch.setattr(holder, last, getattr(holder, last))
    points.doom(name, 10**9)


@pytest.mark.parametrize("name", points.ALL)
def test_every_named_point_is_a_function_of_the_project(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    _replaced(monkeypatch, name)


@pytest.mark.parametrize(
    "target", ["annotation.ledger:no_such", "annotation.no_such:reserve", "annotation.outbox.queue:Market.x"]
)
def test_a_point_that_is_no_function_of_the_project_is_noticed(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    monkeypatch.setitem(points.ALL, "nowhere", points.Point("nowhere", target, "after"))
    with pytest.raises((AttributeError, ImportError)):
        _replaced(monkeypatch, "nowhere")


def test_the_short_form_fails_where_something_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.faults import __main__ as faults
    from tests.faults.verdict import Run

    run = Run("SQLite", 1, found=Counter({"lost hits": 1}))
    run.kills["a row taken"] = 1
    monkeypatch.setattr(faults, "embedded", lambda *_, **__: run)
    monkeypatch.setattr(sys, "argv", ["faults", "--short"])
    with pytest.raises(SystemExit) as ended:
        faults.main()
    assert ended.value.code == 1
