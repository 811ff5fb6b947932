"""Fifty workers at nine places, at the same moment (case 80)."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from annotation.marketplace.models import Assignment
from tests.marketplace.people import Person, reason

pytestmark = pytest.mark.database

WORKERS = 50
PLACES = 9


def test_nine_places_are_taken_by_exactly_nine_of_fifty(lab, people):
    hit = lab.hit(MaxAssignments=PLACES)
    path = f"/hits/{hit['HITId']}/accept/"
    crowd = people(WORKERS)
    for person in crowd:
        person.get(f"/hits/{hit['HITId']}/")
    together = threading.Barrier(WORKERS)

    def accept(person: Person) -> httpx.Response:
        together.wait(timeout=60)
        fields = {"csrfmiddlewaretoken": person.site.cookies["csrftoken"]}
        return person.site.post(person.origin + path, data=fields, timeout=60, follow_redirects=False)

    with ThreadPoolExecutor(WORKERS) as pool:
        answers = list(pool.map(accept, crowd))
    told = Counter("accepted" if answer.status_code == 302 else reason(answer) for answer in answers)
    assert told == {"accepted": PLACES, "full": WORKERS - PLACES}
    assert Assignment.objects.count() == PLACES
    assert lab.places(hit) == ("Unassignable", 0, PLACES, 0)


def test_one_worker_pressing_twice_holds_one_place(lab, ann):
    hit = lab.hit(MaxAssignments=PLACES)
    ann.get(f"/hits/{hit['HITId']}/")
    fields = {"csrfmiddlewaretoken": ann.site.cookies["csrftoken"]}

    def accept(_: int) -> int:
        address = f"{ann.origin}/hits/{hit['HITId']}/accept/"
        with httpx.Client(trust_env=False, cookies=ann.site.cookies) as tab:
            return tab.post(address, data=fields, timeout=60).status_code

    with ThreadPoolExecutor(8) as pool:
        codes = Counter(pool.map(accept, range(8)))
    assert codes == {302: 1, 409: 7}
    assert lab.places(hit) == ("Assignable", PLACES - 1, 1, 0)


def test_one_token_used_by_eight_at_once_makes_one_hit(lab):
    def create(_: int) -> str:
        try:
            return lab.hit(UniqueRequestToken="one")["HITId"]
        except lab.client.exceptions.RequestError as error:
            return str(error).split('"')[1]

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(create, range(8)))) == 1
    assert lab.client.list_hits()["NumResults"] == 1


def test_money_is_not_spent_twice_by_approvals_at_once(open_lab, people):
    lab = open_lab("tight", balance=60 * 3)
    hit = lab.hit(Reward="0.50", MaxAssignments=8)
    work = [worker.do(hit) for worker in people(8)]

    def approve(assignment: str) -> str:
        try:
            lab.client.approve_assignment(AssignmentId=assignment)
        except lab.client.exceptions.RequestError as error:
            return error.response["TurkErrorCode"].rpartition(".")[2]
        return "approved"

    with ThreadPoolExecutor(8) as pool:
        assert Counter(pool.map(approve, work)) == {"approved": 3, "InsufficientFunds": 5}
    assert lab.balance() == "0.00"
