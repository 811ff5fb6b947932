"""Arrivals at the same moment, at the last places: no cell holds more than its places, and nobody waits for ever."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from annotation.accounts.models import User
from annotation.marketplace.assignments import accept_submit
from annotation.marketplace.core import clock
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.models import Assignment, Draw, DrawEvent, Hit, Requester, WorkerAccount
from annotation.marketplace.operations import TABLE, Call
from annotation.marketplace.workers.open_accounts import fund
from tests.benchmarks.arrivals.findings import replay
from tests.marketplace.question_samples import hit_parameters

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

PEOPLE, CELLS, PLACES = 12, "abcd", 2


@pytest.fixture
def hits() -> list[str]:
    """A study of four cells with two places each, in two HITs."""
    now = clock.now()
    requester = Requester.objects.create(user=User.objects.create(username="lab"), created_at=now)
    fund(requester, balance=100_000, now=now)
    call = Call(requester, now, "at once")
    parameters = [hit_parameters(Keywords=f"assay:cell=arrivals.{cell}") for cell in CELLS for _ in range(PLACES)]
    return [TABLE["CreateHIT"].handler(call, each)["HIT"]["HITId"] for each in parameters]


def test_the_last_places_are_taken_once_each(hits):
    people = [
        WorkerAccount.objects.create(worker_id=f"A{number}", name=f"{number}", created_at=clock.now())
        for number in range(PEOPLE)
    ]
    together = threading.Barrier(PEOPLE)

    def come(person: WorkerAccount) -> str:
        try:
            together.wait(timeout=60)
            for _ in range(3):
                # Everybody returns once or twice, and comes back.
                held = accept_submit.accept(hits[person.pk % len(hits)], worker=person, now=clock.now())
                if _ < person.pk % 3:
                    accept_submit.return_assignment(held, now=clock.now())
            return "accepted"
        except WorkRefusedError as refused:
            return refused.reason
        finally:
            connections.close_all()

    with ThreadPoolExecutor(PEOPLE) as pool:
        outcomes = Counter(pool.map(come, people))
    assert set(outcomes) <= {"accepted", "full"}
    held = Assignment.objects.filter(state="Accepted")
    inside = Counter(Hit.objects.filter(assignments__in=held).values_list("hit_type__cell", flat=True))
    assert all(count <= PLACES for count in inside.values())
    assert inside == Counter(Draw.objects.filter(counted=True).values_list("cell", flat=True))
    events = list(DrawEvent.objects.order_by("number"))
    assert replay(events, events[0].study_draw.seed) == []
