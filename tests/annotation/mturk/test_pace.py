"""Calls of all processes together keep to the limit of their account."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from annotation.models import Turn
from annotation.mturk.rate_limit import Pace
from annotation.mturk.records import Endpoint

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
GAP = timedelta(milliseconds=250)


def pace(waits: list[float], *, rate: float = 4, key: str = "AK") -> Pace:
    endpoint = Endpoint("http://127.0.0.1/mturk/", key, "secret", calls_a_second=rate)
    return Pace(endpoint, clock=lambda: NOW, sleep=waits.append)


@pytest.mark.django_db
@pytest.mark.database
def test_two_processes_wait_for_each_other_and_accounts_do_not() -> None:
    waits: list[float] = []
    one, two, other = pace(waits), pace(waits), pace(waits, key="AK2")
    for each in (one, two, one, other, two):
        each.wait()
    assert waits == [0.25, 0.5, 0.75]


@pytest.mark.django_db
def test_without_a_limit_nothing_is_written() -> None:
    waits: list[float] = []
    pace(waits, rate=0).wait()
    assert (waits, Turn.objects.count()) == ([], 0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.database
def test_of_callers_at_one_moment_each_has_a_turn_of_its_own() -> None:
    Turn.objects.take("account", gap=GAP, now=NOW)
    taken: list[datetime] = []

    def take() -> None:
        try:
            for _ in range(5):
                taken.append(Turn.objects.take("account", gap=GAP, now=NOW))
        finally:
            connection.close()

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [NOW + GAP * number for number in range(1, 21)]
