"""Settings are read once, typed, and refused with a sentence."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import call_command

from deploy.settings import environment

ROOT = Path(__file__).resolve().parents[2]
LONG_KEY = "a-long-and-random-looking-key-0123456789-abcdefghijklmnopqrstuvwxyz"
PRODUCTION = {
    "DJANGO_SETTINGS_MODULE": "deploy.settings.production",
    "SECRET_KEY": LONG_KEY,
    "PSEUDONYM_KEY": "another-key",
    "ALLOWED_HOSTS": "hits.example.org,frames.example.org",
}


def manage(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return python("manage.py", *words, **environment)


def python(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_production_settings_pass_the_deployment_check_without_a_warning(tmp_path: Path) -> None:
    found = manage("check", "--deploy", **PRODUCTION, DATABASE_URL=f"sqlite:///{tmp_path / 'a.sqlite3'}")
    assert found.returncode == 0, found.stderr
    assert "no issues (0 silenced)" in found.stdout


def test_in_production_a_commit_of_sqlite_waits_for_the_disk(tmp_path: Path) -> None:
    """PRAGMA synchronous answers 2 for FULL (SQLite's documentation)."""
    ask = "from django.db import connection as c; k = c.cursor(); print(k.execute('PRAGMA synchronous').fetchone()[0])"
    answer = manage("shell", "-v0", "-c", ask, **PRODUCTION, DATABASE_URL=f"sqlite:///{tmp_path / 'a.sqlite3'}")
    assert answer.stdout.strip() == "2", answer.stderr


def test_one_host_name_for_sessions_and_tasks_is_refused(tmp_path: Path) -> None:
    """A port does not make a second host: browsers send the cookies of a host to each of its ports."""
    one_host = {**PRODUCTION, "ALLOWED_HOSTS": "hits.example.org", "HIT_ORIGIN": "https://hits.example.org:8443"}
    checked = manage("check", "--deploy", **one_host, DATABASE_URL=f"sqlite:///{tmp_path / 'a.sqlite3'}")
    assert checked.returncode != 0
    assert "assay.E001" in checked.stderr
    assert "Give HIT_ORIGIN a host name of its own" in checked.stderr


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("DATABASE_URL", "mysql://root@localhost/assay", "must be sqlite:///path or postgres://user@host/name"),
        ("DATABASE_URL", "nonsense", "must be sqlite:///path or postgres://user@host/name"),
        ("DATABASE_URL", "postgres://[half", "must be sqlite:///path or postgres://user@host/name"),
        ("CELERY_BROKER_URL", "http://localhost", "must start with redis:// or amqp://"),
        ("WORKER_ORIGIN", "hits.example.org", "must be an origin such as https://hits.example.org"),
        ("HIT_ORIGIN", "https://hits.example.org/path", "must be an origin such as https://hits.example.org"),
        ("TRUSTED_PROXIES", "two", "must be a whole number"),
        ("DEBUG", "perhaps", "must be true or false"),
        ("MARKETPLACE_SIGNATURE_VERSION", "3", "must be 2 or 1"),
        ("MARKETPLACE_NOTICES_DAYS", "1", "must be 2 or more"),
        ("MARKETPLACE_FEES", "some", "must be none or mturk"),
        ("MTURK_FEES", "20 %", "must be none or mturk"),
    ],
)
def test_an_odd_setting_is_refused_with_a_sentence(name: str, value: str, sentence: str) -> None:
    found = manage("check", **{name: value})
    assert found.returncode == 2
    assert found.stderr.startswith(f"The environment variable {name} {sentence}")
    assert found.stderr.count("\n") == 1


def test_a_folder_that_cannot_be_made_for_the_database_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = manage("check", DATABASE_URL=f"sqlite:///{tmp_path / 'file' / 'a.sqlite3'}")
    assert (found.returncode, found.stderr.count("\n")) == (2, 1)
    assert found.stderr.startswith(f"The folder {tmp_path / 'file'} of DATABASE_URL cannot be made")


@pytest.mark.parametrize("name", ["SECRET_KEY", "PSEUDONYM_KEY", "ALLOWED_HOSTS"])
def test_production_refuses_to_start_without(name: str) -> None:
    found = manage("check", **{key: value for key, value in PRODUCTION.items() if key != name})
    assert found.returncode != 0
    assert f"The environment variable {name} must" in found.stderr


def test_a_secret_is_never_repeated_in_a_refusal() -> None:
    found = manage("check", DATABASE_URL="oracle://scott:tiger@db/assay")
    assert found.returncode != 0
    assert "tiger" not in found.stderr.splitlines()[-1]


def test_the_migrations_match_the_models(db: None) -> None:
    # Exits with code 1 where a migration is missing.
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


@pytest.mark.parametrize(("prepare", "options"), [("yes", "-c lock_timeout=20s"), ("no", None)])
def test_postgresql_waits_for_a_lock_as_long_as_sqlite_but_not_behind_a_pool(
    prepare: str, options: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_DATABASE", "postgres://ada@127.0.0.1/assay")
    monkeypatch.setenv("DATABASE_PREPARE", prepare)
    assert environment.database("A_DATABASE", "")["OPTIONS"].get("options") == options


@pytest.fixture
def database(tmp_path: Path, migrated: Callable[[Path], None]) -> str:
    migrated(tmp_path / "a.sqlite3")
    return f"sqlite:///{tmp_path / 'a.sqlite3'}"


def test_a_terminal_that_lacks_a_letter_shows_its_number_and_nothing_fails(tmp_path: Path, database: str) -> None:
    narrow = {"PYTHONIOENCODING": "latin-1:strict", "PYTHONUTF8": "1"}
    found = manage("report", "研究", "--out", str(tmp_path), **narrow, DATABASE_URL=database)
    assert found.returncode == 2
    assert found.stderr == "CommandError: There is no study called \\u7814\\u7a76.\n"


def test_a_study_named_by_bytes_that_are_no_letters_is_told(tmp_path: Path, database: str) -> None:
    found = manage("report", "st\udcff", "--out", str(tmp_path), DATABASE_URL=database)
    assert (found.returncode, found.stderr) == (2, "CommandError: There is no study called 'st\\udcff'.\n")


@pytest.mark.parametrize(
    ("environment", "fees"),
    [
        ({}, "none none"),
        ({"MARKETPLACE_FEES": "mturk"}, "mturk mturk"),
        # Another marketplace than our own charges by MTurk's list unless its operator says otherwise.
        ({"MTURK_ENDPOINT_URL": "http://127.0.0.1:9/mturk/"}, "none mturk"),
        ({"MTURK_ENDPOINT_URL": "http://127.0.0.1:9/mturk/", "MTURK_FEES": "none"}, "none none"),
    ],
)
def test_who_charges_what_is_said_by_the_settings(environment: dict[str, str], fees: str) -> None:
    words = "from django.conf import settings; print(settings.MARKETPLACE_FEES, settings.MTURK_FEES)"
    found = python("-c", words, DJANGO_SETTINGS_MODULE="deploy.settings.development", **environment)
    assert found.stdout.strip() == fees, found.stderr


def test_a_database_of_before_the_first_migration_was_written_anew_is_refused(tmp_path: Path, database: str) -> None:
    with closing(sqlite3.connect(tmp_path / "a.sqlite3")) as opened:
        opened.execute("ALTER TABLE annotation_study DROP COLUMN noun")
    refused = manage("report", "any", "--out", str(tmp_path), DATABASE_URL=database)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "1 column is missing (annotation_study.noun)" in refused.stderr
    diagnosed = manage("doctor", DATABASE_URL=database)
    assert "1 column is missing (annotation_study.noun)" in diagnosed.stdout
