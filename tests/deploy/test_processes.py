"""One declaration of the processes: every form of starting an installation holds the same ones."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands

from deploy import __main__ as starting
from deploy import forms
from deploy.__main__ import main
from deploy.first_start import InstallationError, make_keys
from deploy.processes import PROCESSES, PROXY, WEB, processes_of
from deploy.settings.environment import read_file

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
HOSTS = {"ALLOWED_HOSTS": "study.example.org,tasks.example.org", "SITE_CONTACT": "ada@example.org"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_VAR", str(tmp_path / "var"))
    return tmp_path / "var"


def test_the_stored_files_are_those_that_the_declaration_makes() -> None:
    for name, text in forms.files().items():
        assert (DEPLOY / name).read_text(encoding="utf-8") == text, f"{name}: run `python -m deploy forms`"


def test_compose_systemd_and_one_machine_start_the_same_processes() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    started = {name: service["command"][1] for name, service in services.items() if "run" in service.get("command", [])}
    assert {*started.values(), PROXY.name} == {process.name for process in processes_of(broker=True)}
    assert all(name == process for name, process in started.items())
    assert {name for name, service in services.items() if service.get("profiles")} == {"scoring"}
    target = (DEPLOY / "systemd" / "assay.target").read_text(encoding="utf-8")
    units = re.findall(r"assay@(\w+)\.service", target)
    assert units == [process.name for process in processes_of(broker=False)]


def test_every_command_exists_and_every_queue_has_a_worker() -> None:
    commands = [process.command for process in PROCESSES]
    assert {words[3] for words in commands if words[2:3] == ("manage",)} <= set(get_commands())
    queues = {name for words in commands if "-Q" in words for name in words[words.index("-Q") + 1].split(",")}
    routes = {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()}
    assert queues == {*settings.CELERY_TASK_QUEUES, *routes}


def test_the_image_has_every_program_and_folder_that_the_processes_need() -> None:
    recipe = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    staged = re.search(r"^FOLDERS = \((.*)\)$", (ROOT / "distribution" / "stage.py").read_text(), re.M)
    assert staged
    for name in re.findall(r'"(\w+)"', staged[1]):
        assert f"COPY {name} {name}\n" in recipe
    # pg_dump and pg_restore of the same major version as the server: Debian 12 has 15.
    assert "bookworm" in recipe
    assert "image: docker.io/library/postgres:15\n" in forms.compose()
    assert "gunicorn" in WEB.command
    pinned = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    python = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    assert re.search(r"^gunicorn==", pinned, re.M)
    assert python.startswith(">=3.11")  # Debian 12's


def test_secrets_are_made_once_are_private_and_survive_a_second_start(folder: Path) -> None:
    assert make_keys(HOSTS)
    file = folder / "installation.env"
    first = read_file(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folder.iterdir()] == ["installation.env"]
    assert len({first["SECRET_KEY"], first["PSEUDONYM_KEY"], first["METRICS_TOKEN"]}) == 3
    assert min(len(first[name]) for name in ("SECRET_KEY", "PSEUDONYM_KEY")) == 64
    assert not make_keys(HOSTS)
    assert not make_keys({})
    assert read_file(file) == first
    with pytest.raises(InstallationError, match="has another SITE_CONTACT"):
        make_keys({**HOSTS, "SITE_CONTACT": "eve@example.org"})


def test_an_installation_elsewhere_takes_over_the_secrets_of_a_backup(folder: Path, tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.env"
    earlier.write_text("SECRET_KEY='a'\nPSEUDONYM_KEY='b'\nALLOWED_HOSTS='old.example.org,t.example.org'\n")
    make_keys(HOSTS, secrets_of=earlier)
    values = read_file(folder / "installation.env")
    assert (values["SECRET_KEY"], values["PSEUDONYM_KEY"]) == ("a", "b")
    assert values["ALLOWED_HOSTS"] == HOSTS["ALLOWED_HOSTS"]
    assert not make_keys(HOSTS, secrets_of=earlier)
    (tmp_path / "others.env").write_text("SECRET_KEY='a'\nPSEUDONYM_KEY='c'\n")
    with pytest.raises(InstallationError, match="has other secrets than"):
        make_keys(HOSTS, secrets_of=tmp_path / "others.env")
    (folder / "installation.env").unlink()
    with pytest.raises(InstallationError, match="cannot be read: No such file"):
        make_keys(HOSTS, secrets_of=tmp_path / "absent.env")
    with pytest.raises(InstallationError, match="it has no SECRET_KEY and no PSEUDONYM_KEY"):
        make_keys(HOSTS, secrets_of=Path(__file__))


WHOLE = ["prepare", "--hosts", "a.org,b.org", "--contact", "ada@a.org"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["prepare"], "Name the host name for people, and another for tasks: --hosts STUDY,TASKS.\n"),
        (["prepare", "--hosts", "a.org,b.org"], "Name who runs this site"),
        (["prepare", "--hosts", "a.org", "--contact", "ada@a.org"], "--hosts needs two host names"),
        (["prepare", "--hosts", "a.org,a.org", "--contact", "ada@a.org"], "--hosts needs two host names"),
        (["prepare", "--hosts", "a.org,b.org", "--contact", "a'b@a.org"], "neither an apostrophe nor a line break"),
        ([*WHOLE, "--restore", "/none.assay"], "The backup /none.assay does not exist. Nothing was made."),
        ([*WHOLE, "--restore", __file__], "name the copy of its installation.env by --secrets FILE. Nothing was made."),
        ([*WHOLE, "--hosts", "https://a.example,b.example"], "without https:// and without a port"),
        ([*WHOLE, "--hosts", "a.example:8443,b.example"], "not 'a.example:8443'"),
        ([*WHOLE, "--hosts", "a example,b.example"], "not 'a example'"),
        ([*WHOLE, "--hosts", "A.example, a.example"], "two host names"),
        ([*WHOLE, "--contact", "ada"], "a mail address"),
        ([*WHOLE, "--database", "mysql://x"], "begins with postgres://"),
        ([*WHOLE, "--broker", "amqp://x"], "begins with redis://"),
    ],
)
def test_a_first_start_without_a_decision_is_refused_with_a_sentence(
    words: list[str], sentence: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ALLOWED_HOSTS", raising=False)
    monkeypatch.delenv("SITE_CONTACT", raising=False)
    monkeypatch.delenv("SECRET_KEY", raising=False)
    assert main(words) == 2
    assert sentence in capsys.readouterr().err
    assert not (folder / "installation.env").exists()


def test_a_start_at_a_port_that_is_taken_says_so_before_anything_is_made(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["start", *WHOLE[1:], "--address", f"127.0.0.1:{port}"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"Port {port} of 127.0.0.1 is taken")
    assert "--address" in said
    assert not folder.exists()


def test_a_command_finds_the_installation_by_its_file_and_settings_chosen_by_hand_are_left_alone(folder: Path) -> None:
    make_keys({**HOSTS, "DATABASE_URL": f"sqlite:///{folder / 'a.sqlite3'}"})
    show = "from django.conf import settings; print(settings.SETTINGS_MODULE, settings.WORKER_ORIGIN)"
    code = f"import deploy, django; django.setup(); {show}"
    clean = {"PATH": "/usr/bin", "ASSAY_VAR": str(folder)}
    shown = []
    for env in (clean, {**clean, "DJANGO_SETTINGS_MODULE": "deploy.settings.development"}):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True
        )
        shown.append(done.stdout.strip())
    assert shown == [
        "deploy.settings.production https://study.example.org",
        "deploy.settings.development http://127.0.0.1:8000",
    ]


def test_counts_of_web_processes_lie_in_memory_where_a_full_disk_does_not_end_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    var, memory = tmp_path / "var", tmp_path / "memory"
    var.mkdir()
    memory.mkdir()
    monkeypatch.setenv("ASSAY_VAR", str(var))
    monkeypatch.setattr(starting, "MEMORY", memory)
    folder = starting._metrics_folder()
    assert starting._metrics_folder() == folder
    assert folder.parent == memory
    assert folder.stat().st_mode & 0o077 == 0
    # Whoever made a link in its place, or where there is no such file system, gets none of the counts.
    folder.rmdir()
    folder.symlink_to(tmp_path)
    assert starting._metrics_folder() == var / "metrics"
    monkeypatch.setattr(starting, "MEMORY", tmp_path / "missing")
    assert starting._metrics_folder() == var / "metrics"
