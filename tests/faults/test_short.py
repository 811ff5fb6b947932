"""The short form of the fault run: one small study on SQLite, its processes killed at moments chosen by chance."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults import points

ROOT = Path(__file__).resolve().parents[2]


def test_a_study_whose_processes_are_killed_loses_nothing_and_pays_once() -> None:
    command = [sys.executable, "-m", "tests.faults", "--short"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)
    assert "nothing lost, nothing paid twice" in ran.stdout, ran.stdout + ran.stderr
    assert ran.returncode == 0


def test_every_named_point_is_a_function_of_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, point in points.ALL.items():
        module, _, path = point.target.partition(":")
        holder: object = __import__(module, fromlist=["_"])
        *parents, last = path.split(".")
        for parent in parents:
            holder = getattr(holder, parent)
        monkeypatch.setattr(holder, last, getattr(holder, last))
        points.doom(name, 10**9)
