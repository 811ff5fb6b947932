"""The short form of the fault run on Prolific: one study, and a planted fault of each kind."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from tests.faults import kill_points

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_a_study_on_prolific_whose_processes_are_killed_doubles_and_loses_nothing(
    tmp_path: Path, migrated: Callable[[Path], None]
) -> None:
    migrated(tmp_path / "migrated.sqlite3")
    command = [sys.executable, "-m", "tests.faults.on_prolific", "--short"]
    command += ["--migrated", str(tmp_path / "migrated.sqlite3")]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)
    assert "nothing doubled, nothing lost, the books agree" in ran.stdout, ran.stdout + ran.stderr
    assert ran.stdout.count("planted: ") == 5
    assert ran.returncode == 0


@pytest.mark.parametrize("name", kill_points.ON_PROLIFIC)
def test_every_point_on_prolific_is_a_function_of_the_project(name: str) -> None:
    module, _, path = kill_points.ON_PROLIFIC[name].target.partition(":")
    holder: object = import_module(module)
    for part in path.split("."):
        holder = getattr(holder, part)
    assert callable(holder)
