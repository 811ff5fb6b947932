"""What docs/operating.md says an operator types, in an empty folder: an installation, its backup, and that restored."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from deploy.processes import PROCESSES, processes_of
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


def blocks_after(heading: str) -> list[str]:
    """The lines of the plain block of commands under a heading of the page."""
    return TEXT.split(f"### {heading}\n", 1)[1].split("```", 2)[1].strip().splitlines()


def test_the_commands_for_systemd_name_the_folders_the_user_and_the_units_that_are_shipped() -> None:
    copied, prepared, enabled = blocks_after("With systemd")
    source, target = copied.split()[1:]
    units = sorted(path.name for path in ROOT.glob(source))
    assert units == ["assay.target", "assay@.service"]
    assert target == "/etc/systemd/system/"
    service = (ROOT / "deploy/systemd/assay@.service").read_text(encoding="utf-8")
    sudo, options = shlex.split(prepared), dict(re.findall(r"^(\w+)=(.*)$", service, re.M))
    assert sudo[2] == options["User"]
    assert sudo[4] == options["Environment"]
    assert sudo[5:8] == options["ExecStart"].split()[:3]
    main_options = {"--hosts": "study.example.org,tasks.example.org", "--contact": "ada@example.org"}
    assert sudo[8] == "prepare"
    assert dict(zip(sudo[9::2], sudo[10::2], strict=True)) == main_options
    assert enabled.split()[-1] in units


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="this machine has no systemd-analyze")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    """Verified with a program and a folder that this machine has: those of an installation are not here."""
    for path in (ROOT / "deploy/systemd").iterdir():
        text = path.read_text(encoding="utf-8").replace("/srv/assay/.venv/bin/python", sys.executable)
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    units = [f"assay@{process.name}.service" for process in processes_of(broker=False)]
    for unit in units:
        (tmp_path / unit).symlink_to("assay@.service")
    words = ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / unit) for unit in [*units, "assay.target"])]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    faults = [line for line in done.stderr.splitlines() if "assay" in line and "not found" not in line]
    assert faults == []


def test_the_commands_for_containers_name_what_the_compose_file_needs_and_has() -> None:
    up, logs, backup = blocks_after("With containers")
    file = ROOT / "deploy/compose.yaml"
    compose = file.read_text(encoding="utf-8")
    assert set(re.findall(r"(\w+)=\S+", up)) == set(re.findall(r"\$\{(\w+):\?", compose))
    services = yaml.safe_load(compose)["services"]
    for command in (up, logs, backup):
        assert command.partition("docker compose -f ")[2].split()[0] == str(file.relative_to(ROOT))
    assert logs.partition("#")[0].split()[-1] in services
    words = shlex.split(backup)
    assert words[words.index("exec") + 1] in services
    (written,) = [word for word in words if word.endswith(".assay")]
    volumes = services["web"]["volumes"]
    assert any(written.startswith(f"{volume.split(':')[1]}/") for volume in volumes)
