"""Our PostgreSQL backend: a connection that the server has ended is noticed before it is used; requests wait less."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from django.db import OperationalError, connection, connections, transaction
from django.http import HttpResponse

from annotation.accounts.models import User
from deploy.postgresql import request_patience

pytestmark = [
    pytest.mark.database,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="asked of PostgreSQL, in the run on PostgreSQL"),
]


@pytest.fixture
def other(transactional_db):
    """A second connection to the same database."""
    made = connections.create_connection("default")
    yield made
    made.close()


def pid(made) -> int:
    with made.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]


def test_a_connection_ended_by_the_server_is_replaced(other):
    ended = pid(other)
    assert other.is_usable()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [ended])
    other.health_check_enabled, other.health_check_done = True, False
    assert not other.is_usable()
    other.close_if_health_check_failed()
    assert pid(other) != ended


def test_a_notice_from_the_server_does_not_end_a_connection(other):
    before = pid(other)
    with other.cursor() as cursor:
        cursor.execute("LISTEN gossip")
    with connection.cursor() as cursor:
        cursor.execute("NOTIFY gossip, 'hello'")
    assert other.is_usable()
    assert pid(other) == before


@pytest.fixture
def locked_user(other, monkeypatch) -> Iterator[User]:
    """A row that another session holds; requests wait a tenth of a second for it, then a hundredth."""
    monkeypatch.setattr(request_patience, "FIRST_SECONDS", 0.1)
    monkeypatch.setattr(request_patience, "NEXT_SECONDS", 0.01)
    monkeypatch.setattr(request_patience, "waits", request_patience.Waits())
    yield User.objects.create(username="ada")
    connection.close()


def limit_of(made) -> str:
    with made.cursor() as cursor:
        return cursor.execute("SHOW lock_timeout").fetchone()[0]


def answer_writing(pk: int, seen: list[str]) -> HttpResponse:
    """A request that renames a user, in a transaction."""

    def view(_request) -> HttpResponse:
        seen.append(limit_of(connection))
        with transaction.atomic():
            seen.append(limit_of(connection))
            User.objects.filter(pk=pk).update(username="grace")
        return HttpResponse("renamed")

    return request_patience.limit_lock_waits(view)(None)


def test_a_request_waits_less_than_a_command_and_after_a_wait_in_vain_less_again(other, locked_user):
    limit_of_commands = limit_of(other)
    other.set_autocommit(False)
    with other.cursor() as holder:
        holder.execute("SELECT 1 FROM accounts_user WHERE id = %s FOR UPDATE", [locked_user.pk])
    assert limit_of(connection) == limit_of_commands
    for first in ("100ms", "10ms"):
        seen: list[str] = []
        with pytest.raises(OperationalError, match="lock timeout"):
            answer_writing(locked_user.pk, seen)
        assert seen == [first, first]
        assert limit_of(connection) == limit_of_commands
    other.rollback()
    request_patience.waits.stuck_until = time.monotonic() - 1
    for is_new in (False, True):
        if is_new:
            connection.close()
        assert answer_writing(locked_user.pk, seen).content == b"renamed"
        assert seen[-2:] == ["100ms", "100ms"]


def test_while_a_row_goes_from_hand_to_hand_requests_wait_as_long_as_commands(other, locked_user, monkeypatch):
    monkeypatch.setattr(request_patience, "FIRST_SECONDS", 15.0)
    limit_of_commands = limit_of(other)
    other.set_autocommit(False)
    with other.cursor() as holder:
        holder.execute("SELECT 1 FROM accounts_user WHERE id = %s FOR UPDATE", [locked_user.pk])
    # Whoever holds the row lets it go once the request waits for it, by some more than counts as no wait.
    ends = threading.Thread(target=let_go, args=(other.connection, pid(connection)))
    ends.start()
    seen: list[str] = []
    for _ in range(2):
        assert answer_writing(locked_user.pk, seen).content == b"renamed"
    ends.join()
    assert seen == ["15s", "15s", limit_of_commands, limit_of_commands]


def let_go(holder, waiter: int) -> None:
    """Roll back when the session `waiter` waits for a lock."""
    while not holder.execute("SELECT 1 FROM pg_locks WHERE pid = %s AND NOT granted", [waiter]).fetchone():
        time.sleep(0.01)
    time.sleep(0.05)
    holder.rollback()


def test_behind_a_pool_that_shares_connections_a_request_leaves_no_limit(other):
    other.settings_dict = {**other.settings_dict, "OPTIONS": {"prepare_threshold": None}}
    other.lock_seconds = 0.1
    assert limit_of(other) == "0"
    other.lock_seconds = 0.2
    other.send_lock_seconds()
    assert limit_of(other) == "0"
