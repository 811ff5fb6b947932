"""What docs/operating.md says an operator types, in an empty folder: an installation, its backup, and that restored."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.processes import PROCESSES
from deploy.settings.environment import read_file
from tests.operating.steps import ELSEWHERE, HERE, PAGE, SYSTEM, in_folders, steps

ROOT = Path(__file__).resolve().parents[2]
TEXT = PAGE.read_text(encoding="utf-8")


def test_nothing_to_running_is_one_command_so_is_a_proven_backup_and_so_is_that_restored_elsewhere() -> None:
    typed = [step for step in steps(TEXT) if step.place != SYSTEM]
    assert typed[0].command.startswith("make start")
    assert [step.command for step in typed if "--prove" in step.command] == [
        ".venv/bin/python manage.py backup /backup/first.assay --prove"
    ]
    (elsewhere,) = [step.command for step in typed if step.place == ELSEWHERE]
    assert elsewhere.startswith("make start")
    assert "--restore" in elsewhere


def test_a_block_of_an_unknown_place_is_seen() -> None:
    with pytest.raises(ValueError, match="no such place: the moon"):
        steps("```sh\n# the moon\nls\n```\n")


def test_the_page_names_every_process_with_its_purpose() -> None:
    for process in PROCESSES:
        assert f"| `{process.name}` | {process.purpose} |" in TEXT


@pytest.mark.long
def test_its_commands_make_an_installation_prove_a_backup_and_restore_it(
    tmp_path: Path, migrated: Callable[[Path], None]
) -> None:
    """Without the packages of the system, the processes and the certificates: `python -m tests.operating --root` has
    these. The tables are there already, so that the test does not take a minute."""
    backup = tmp_path / "backup"
    backup.mkdir()
    folders = {HERE: tmp_path / "here", ELSEWHERE: tmp_path / "elsewhere"}
    folders[HERE].mkdir()
    migrated(folders[HERE] / "assay.sqlite3")
    printed = ""
    for step in steps(TEXT):
        if step.place == SYSTEM:
            continue
        var = folders[step.place]
        command = in_folders(step.command, python=sys.executable, var=var, backup=backup)
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "ASSAY_VAR": str(var)}
        done = subprocess.run(shlex.split(command), cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        # The doctor finds that nothing serves the two hosts here, and says so.
        right = (1, "https://study.example.org does not answer") if "doctor" in command else (0, "")
        assert done.returncode == right[0], done.stdout + done.stderr
        assert right[1] in done.stdout
        printed += done.stdout
    assert f"Proven backup: {backup / 'first.assay'}" in printed
    assert f"Restored {backup / 'first.assay'}" in printed
    secrets = [read_file(folder / "installation.env") for folder in folders.values()]
    assert len({(each["SECRET_KEY"], each["PSEUDONYM_KEY"], each["MTURK_SECRET_KEY"]) for each in secrets}) == 1
    # An owner who was never signed in gets a link here and there.
    assert printed.count("/console/enter/") == 3
