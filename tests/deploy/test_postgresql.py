"""Our PostgreSQL backend: a connection that the server has ended is noticed before it is used; requests wait less."""

from __future__ import annotations

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
    monkeypatch.setattr(request_patience, "_stuck_until", 0.0)
    yield User.objects.create(username="ada")
    connection.lock_seconds = None
    connection.close()


def waits(made) -> str:
    with made.cursor() as cursor:
        return cursor.execute("SHOW lock_timeout").fetchone()[0]


def answer_writing(pk: int, seen: list[str]) -> HttpResponse:
    """A request that renames a user, in a transaction."""

    def view(_request) -> HttpResponse:
        seen.append(waits(connection))
        with transaction.atomic():
            seen.append(waits(connection))
            User.objects.filter(pk=pk).update(username="grace")
        return HttpResponse("renamed")

    return request_patience.limit_lock_waits(view)(None)


def test_a_request_waits_less_than_a_command_and_after_a_wait_in_vain_less_again(other, locked_user, monkeypatch):
    waits_of_commands = waits(other)
    other.set_autocommit(False)
    with other.cursor() as holder:
        holder.execute("SELECT 1 FROM accounts_user WHERE id = %s FOR UPDATE", [locked_user.pk])
    assert waits(connection) == waits_of_commands
    for first in ("100ms", "10ms"):
        seen: list[str] = []
        with pytest.raises(OperationalError, match="lock timeout"):
            answer_writing(locked_user.pk, seen)
        assert seen == [first, first]
    other.rollback()
    monkeypatch.setattr(request_patience, "_stuck_until", time.monotonic() - 1)
    for is_new in (False, True):
        if is_new:
            connection.close()
        assert answer_writing(locked_user.pk, seen).content == b"renamed"
        assert seen[-2:] == ["100ms", "100ms"]


def test_behind_a_pool_that_shares_connections_a_request_leaves_no_limit(other):
    other.settings_dict = {**other.settings_dict, "OPTIONS": {"prepare_threshold": None}}
    other.lock_seconds = 0.1
    assert waits(other) == "0"
    other.lock_seconds = 0.2
    other.send_lock_seconds()
    assert waits(other) == "0"
