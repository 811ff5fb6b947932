"""Our SQLite backend: threads of one process write one after the other, without sleeping between tries."""

from __future__ import annotations

import sqlite3
import threading
import time

import pytest
from django.conf import settings
from django.db import connection, connections, transaction
from django.db.utils import DatabaseError, OperationalError

from annotation.accounts.models import User
from deploy.sqlite3.base import _locks

pytestmark = [
    pytest.mark.database,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="asked of SQLite, in the run on SQLite"),
]


@pytest.fixture
def other(transactional_db):
    """A second connection to the same database."""
    made = connections.create_connection("default")
    made.settings_dict = {**made.settings_dict, "OPTIONS": {**made.settings_dict["OPTIONS"], "timeout": 0.05}}
    yield made
    made.close()


def test_a_thread_that_waits_begins_when_the_other_has_committed(transactional_db):
    began, waits, names = threading.Event(), threading.Event(), []

    def write() -> None:
        began.wait(20)
        waits.set()
        with transaction.atomic():
            names.extend(User.objects.values_list("username", flat=True))
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    with transaction.atomic():
        began.set()
        assert waits.wait(20)
        User.objects.create(username="ada")
        assert names == []
    writer.join(20)
    assert names == ["ada"]


@pytest.mark.parametrize("end", ["commit", "rollback", "close"])
def test_the_turn_ends_with_the_transaction(other, end):
    other.ensure_connection()
    other._start_transaction_under_autocommit()
    assert other._held is not None
    getattr(other, f"_{end}")()
    assert other._held is None


def test_whoever_has_waited_for_the_whole_limit_is_told_that_the_database_is_locked(other):
    other.ensure_connection()
    with transaction.atomic():
        User.objects.create(username="ada")
        with pytest.raises(OperationalError, match="locked"):
            other._start_transaction_under_autocommit()
        assert other._held is None
    other._start_transaction_under_autocommit()
    other._rollback()


def test_a_check_waits_for_other_threads_no_longer_than_its_limit(other):
    other.settings_dict["OPTIONS"]["timeout"] = 60
    other.ensure_connection()
    with transaction.atomic():
        User.objects.create(username="ada")
        other.cursor().execute("PRAGMA busy_timeout = 50")
        other.turn_seconds = 0.05
        began = time.monotonic()
        with pytest.raises(OperationalError, match="locked"):
            other._start_transaction_under_autocommit()
    assert time.monotonic() - began < 30


def test_the_wait_for_a_turn_counts_towards_the_limit_of_the_lock(other):
    other.settings_dict["OPTIONS"]["timeout"] = 1.5
    other.ensure_connection()
    other.cursor().execute("PRAGMA busy_timeout = 1500")
    elsewhere = sqlite3.connect(str(other.settings_dict["NAME"]), timeout=1, isolation_level=None)
    elsewhere.execute("BEGIN IMMEDIATE")  # another process, from before to after
    turn = _locks.setdefault(str(other.settings_dict["NAME"]), threading.Lock())
    turn.acquire()
    threading.Timer(1.2, turn.release).start()
    began = time.monotonic()
    with pytest.raises(OperationalError, match="locked"):
        other._start_transaction_under_autocommit()
    waited = time.monotonic() - began
    elsewhere.close()
    assert waited < 1.2 + 1.5
    assert other.cursor().execute("PRAGMA busy_timeout").fetchone()[0] == 1500


def test_a_transaction_that_fails_leaves_the_turn_to_others(transactional_db):
    with pytest.raises(DatabaseError), transaction.atomic():
        connection.cursor().execute("SELECT * FROM no_such_table")
    assert connection._held is None


def test_installations_use_it():
    assert settings.DATABASES["default"]["ENGINE"] == "deploy.sqlite3"
