"""What people read before they start is what they are paid: some dozens of them, and lies that must be found."""

from __future__ import annotations

import pytest

from tests.benchmarks.pay_as_shown.findings import compare
from tests.benchmarks.pay_as_shown.people import HIT_ORIGIN, SITE, WORKER_ORIGIN, Town
from tests.benchmarks.pay_as_shown.planted import PLANTED

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def origins(settings):
    settings.WORKER_ORIGIN, settings.HIT_ORIGIN = WORKER_ORIGIN, HIT_ORIGIN
    settings.ALLOWED_HOSTS = [SITE, "hits.example"]


def live(people, seed=7):
    town = Town(people, seed=seed)
    town.run()
    town.decide()
    return town


def test_what_people_read_is_what_they_are_paid():
    town = live(28)
    comparison = compare(town)
    assert comparison.faults == ()
    assert comparison.equal == 28
    assert set(comparison.paid) == {"USD", "EUR", "JPY", "CHF"}


@pytest.mark.parametrize(("lie", "words"), PLANTED, ids=lambda value: getattr(value, "__name__", ""))
def test_a_lie_about_pay_is_found(monkeypatch, lie, words):
    lie(monkeypatch.setattr)
    assert any(words in fault for fault in compare(live(7)).faults)
