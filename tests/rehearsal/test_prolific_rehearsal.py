"""A rehearsal on the stand-in for Prolific, as the command runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_a_whole_study_is_rehearsed_with_people_who_leave_in_every_way(
    tmp_path: Path, migrated: Callable[[Path], None]
) -> None:
    migrated(tmp_path / "assay.sqlite3")
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "deploy.settings.development",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'assay.sqlite3'}",
        "ASSAY_VAR": str(tmp_path),
    }
    command = [sys.executable, "manage.py", "rehearse_prolific", "--people", "4"]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=280, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for fate in (
        "returned the place",
        "ran out of time",
        "did not agree",
        "entered a wrong code",
        "closed the tab at the end",
        "returned the submission after the end",
    ):
        assert f"1 {fate}" in ran.stdout
    # Of four places three rewards of 1.00 and one rejection: a third of 3.00 as fee, a fifth of it as tax.
    assert "spent by the study: 4.20 USD here, 4.20 USD on Prolific" in ran.stdout
    assert "The books agree." in ran.stdout
