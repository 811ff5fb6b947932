"""How often a token may call."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connections

from annotation.accounts.api_limits import count_call
from annotation.accounts.models import ApiToken, User
from annotation.client import connect
from tests.annotation.api.conftest import Caller, fault
from tests.annotation.locked_database import lock_out_writers

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_too_many_calls_are_refused_with_the_seconds_to_wait_and_another_token_is_not_concerned(
    db: None, settings: Any
) -> None:
    settings.API_CALLS_A_MINUTE = 3
    ada, bo = Caller("ada"), Caller("bo")
    assert [ada("get", "/me").status_code for _ in range(3)] == [200] * 3
    refused = ada("get", "/me")
    assert fault(refused)[:2] == (429, "limit")
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert f"Try again in {refused['Retry-After']} s" in refused.json()["detail"]
    assert bo("get", "/me").status_code == 200
    ApiToken.objects.update(minute_ends=datetime.now(UTC))
    assert ada("get", "/me").status_code == 200


def test_a_minute_begins_with_the_first_call_and_another_with_the_first_after_it(db: None) -> None:
    token, _ = ApiToken.objects.issue(User.objects.create_user("ada"), name="test", now=NOW)
    moments = [0, 59.5, 59.9, 60, 60, 60, 119]
    waits = [count_call(token, max_calls=2, now=NOW + timedelta(seconds=second)) for second in moments]
    assert waits == [0, 0, 1, 0, 0, 60, 1]
    assert count_call(token, max_calls=0, now=NOW + timedelta(seconds=119)) == 0


def test_a_clock_that_is_set_back_by_an_hour_refuses_no_call_for_an_hour(db: None) -> None:
    token, _ = ApiToken.objects.issue(User.objects.create_user("ada"), name="test", now=NOW)
    hour = timedelta(hours=1)
    assert [count_call(token, max_calls=1, now=NOW + hour) for _ in range(2)] == [0, 60]
    assert [count_call(token, max_calls=1, now=NOW) for _ in range(2)] == [0, 60]


@pytest.mark.database
def test_of_calls_at_one_moment_none_is_missed(transactional_db: None) -> None:
    token, _ = ApiToken.objects.issue(User.objects.create_user("ada"), name="test", now=NOW)
    waits: list[int] = []

    def call() -> None:
        try:
            waits.extend(count_call(token, max_calls=10, now=NOW) for _ in range(4))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(waits) == [0] * 10 + [60] * 6


@pytest.mark.database
def test_a_read_is_answered_and_logged_as_not_counted_while_another_session_keeps_writers_out(
    transactional_db: None, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.API_CALLS_A_MINUTE = 5
    ada = Caller("ada")
    with lock_out_writers(ApiToken._meta.db_table):
        assert [ada("get", path).status_code for path in ("/me", "/studies")] == [200, 200]
    assert caplog.text.count("was not counted") == 2
    assert ApiToken.objects.get().calls == 0
    assert ada("get", "/me").status_code == 200
    assert ApiToken.objects.get().calls == 1


def test_the_client_waits_as_long_as_the_studio_says(site: str, settings: Any) -> None:
    settings.API_CALLS_A_MINUTE = 1
    row, token = ApiToken.objects.issue(User.objects.create_user("ada"), name="test", now=NOW)
    # To connect is a call, which begins the minute: without the line that ends it early, a minute would pass.
    with connect(site, token) as studio:
        ends = datetime.now(UTC) + timedelta(seconds=1)
        ApiToken.objects.filter(pk=row.pk).update(minute_ends=ends, calls=1)
        studio.studies()
    assert datetime.now(UTC) >= ends
