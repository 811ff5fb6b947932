"""A disk that is full, a database that is locked, read-only or away: a sentence and a status, no traceback."""

from __future__ import annotations

import errno
import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import DatabaseError, IntegrityError, InternalError, OperationalError

from annotation.accounts.database_errors import sentence_of
from deploy import embedded

ROOT = Path(__file__).resolve().parents[2]


def locked(path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        sqlite3.connect(path, timeout=0).execute("CREATE TABLE b (x)")
    finally:
        other.close()


def full(path: Path) -> None:
    small = sqlite3.connect(path)
    small.execute("PRAGMA max_page_count = 2")
    for number in range(9):
        small.execute(f"CREATE TABLE t{number} (x)")


def read_only(path: Path) -> None:
    sqlite3.connect(path).execute("CREATE TABLE a (x)")
    sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute("CREATE TABLE b (x)")


def absent(path: Path) -> None:
    sqlite3.connect(path / "no" / "folder").execute("SELECT 1")


def damaged(path: Path) -> None:
    path.write_text("no database")
    sqlite3.connect(path).execute("SELECT name FROM sqlite_master")


def raised_by(act: Callable[[Path], None], path: Path) -> DatabaseError:
    """The error as Django hands it on."""
    with pytest.raises(sqlite3.DatabaseError) as caught:
        act(path)
    kind = OperationalError if isinstance(caught.value, sqlite3.OperationalError) else DatabaseError
    wrapped = kind(str(caught.value))
    wrapped.__cause__ = caught.value
    return wrapped


@pytest.mark.parametrize(
    ("act", "what", "advice"),
    [
        (locked, "is locked by another process", "Wait until it has finished"),
        (full, "is full", "Free some space"),
        (read_only, "is read-only", "Make it writable"),
        (absent, "cannot be opened", "Check that its folder exists"),
        (damaged, "is damaged, or is not a database", "restore the latest backup"),
    ],
)
def test_what_sqlite_says_becomes_a_sentence(
    act: Callable[[Path], None], what: str, advice: str, tmp_path: Path
) -> None:
    sentence = sentence_of(raised_by(act, tmp_path / "a.sqlite3"))
    assert what in sentence
    assert advice in sentence


class ByServerError(Exception):
    """What psycopg raises carries the SQLSTATE of the server."""

    def __init__(self, sqlstate: str | None) -> None:
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("kind", "sqlstate", "what"),
    [  # https://www.postgresql.org/docs/current/errcodes-appendix.html
        (OperationalError, "53100", "is full"),
        (InternalError, "25006", "is read-only"),
        (OperationalError, "55P03", "is locked"),
        (OperationalError, "57P01", "cannot be reached"),
        (OperationalError, "08006", "cannot be reached"),
        (OperationalError, "53300", "cannot be reached"),
    ],
)
def test_what_postgresql_says_becomes_a_sentence(kind: type[Exception], sqlstate: str, what: str) -> None:
    error = kind("the server's words")
    error.__cause__ = ByServerError(sqlstate)
    assert what in sentence_of(error)


def test_a_full_disk_of_files_is_told_and_faults_of_ours_keep_their_traceback() -> None:
    assert "is full" in sentence_of(OSError(errno.ENOSPC, "No space left on device"))
    assert [sentence_of(one) for one in (OSError(errno.ENOENT, "x"), IntegrityError("x"), ValueError("x"))] == [""] * 3
    missing = OperationalError("no such table: annotation_study")
    missing.__cause__ = sqlite3.OperationalError("no such table: annotation_study")
    missing.__cause__.sqlite_errorname = "SQLITE_ERROR"
    assert sentence_of(missing) == ""


def test_every_command_ends_so_unless_the_traceback_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def fails(argv: list[str]) -> None:
        raise raised_by(locked, tmp_path / "a.sqlite3")

    monkeypatch.setattr(embedded, "prepare", list)
    monkeypatch.setattr(embedded, "execute_from_command_line", fails)
    with pytest.raises(SystemExit) as ended:
        embedded.run(["manage.py", "any"])
    assert (ended.value.code, capsys.readouterr().err.count("\n")) == (2, 1)
    with pytest.raises(OperationalError):
        embedded.run(["manage.py", "any", "--traceback"])


def test_a_command_on_a_disk_that_takes_no_more_ends_with_a_sentence(
    tmp_path: Path, migrated: Callable[[Path], None]
) -> None:
    database = tmp_path / "a.sqlite3"
    migrated(database)
    found = subprocess.run(
        [sys.executable, "manage.py", "sign_in_link", "ada", "--create"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "DATABASE_URL": f"sqlite:///{database}", "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stderr.count("\n")) == (2, 1)
    assert str(database) in found.stderr
