"""Our SQLite backend: threads of one process write one after the other, without sleeping between tries."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from django.conf import settings
from django.db import connection, connections, transaction
from django.db.utils import DatabaseError, OperationalError

from annotation.accounts.models import User
from deploy.sqlite3.base import PATIENT_THREADS, STUCK_SECONDS, Turn, _turns

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


@contextmanager
def _locked_elsewhere(wrapper) -> Iterator[None]:
    """Another process that writes."""
    with closing(sqlite3.connect(str(wrapper.settings_dict["NAME"]), timeout=1, isolation_level=None)) as elsewhere:
        elsewhere.execute("BEGIN IMMEDIATE")
        yield


def turn_of(wrapper) -> Turn:
    return _turns.setdefault(str(wrapper.settings_dict["NAME"]), Turn())


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
    turn = turn_of(other)
    turn.lock.acquire()
    threading.Timer(1.2, turn.lock.release).start()
    began = time.monotonic()
    with _locked_elsewhere(other), pytest.raises(OperationalError, match="locked"):
        other._start_transaction_under_autocommit()
    waited = time.monotonic() - began
    assert waited < 1.2 + 1.5
    assert other.cursor().execute("PRAGMA busy_timeout").fetchone()[0] == 1500


@pytest.mark.parametrize(("waiting", "is_refused"), [(PATIENT_THREADS, True), (PATIENT_THREADS - 1, False)])
def test_where_threads_wait_and_none_begins_for_seconds_a_further_one_is_refused_at_once(other, waiting, is_refused):
    other.settings_dict["OPTIONS"]["timeout"] = 60
    other.ensure_connection()
    turn = turn_of(other)
    turn.lock.acquire()
    turn.waiting, turn.since = waiting, time.monotonic() - STUCK_SECONDS
    release = threading.Timer(0.2, turn.lock.release)
    release.start()
    try:
        if is_refused:
            with pytest.raises(OperationalError, match="locked"), _locked_elsewhere(other):
                other._start_transaction_under_autocommit()
        else:
            other._start_transaction_under_autocommit()
            other._rollback()
        assert turn.waiting == waiting
        assert release.finished.is_set() is not is_refused
    finally:
        release.join()
        turn.waiting = 0


def test_a_transaction_that_fails_leaves_the_turn_to_others(transactional_db):
    with pytest.raises(DatabaseError), transaction.atomic():
        connection.cursor().execute("SELECT * FROM no_such_table")
    assert connection._held is None


def test_installations_use_it():
    assert settings.DATABASES["default"]["ENGINE"] == "deploy.sqlite3"
