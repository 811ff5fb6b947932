"""Our PostgreSQL backend: a connection that the server has ended is noticed before it is used."""

from __future__ import annotations

import pytest
from django.db import connection, connections

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
