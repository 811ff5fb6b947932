"""Deleting an account: who it was goes, work and money stay with the worker id."""

from __future__ import annotations

import pytest

from annotation.marketplace.core import clock
from annotation.marketplace.models import Assignment, Payout, Requester, WorkerAccount, WorkerMessage, WorkerSession
from annotation.marketplace.money.balance_check import check_balances
from annotation.marketplace.workers import payouts
from tests.marketplace.people import Person, reason

pytestmark = pytest.mark.database


def close(person: Person):
    page = "/hits/account/delete/"
    token = person.site.get(person.origin + page).text.split('csrfmiddlewaretoken" value="')[1].split('"')[0]
    return person.site.post(person.origin + page, data={"csrfmiddlewaretoken": token, "sure": "on"})


def test_who_it_was_is_erased_and_the_work_stays(lab, sign_in):
    ann = sign_in("Ann", locale="US-CA", email="ann@example.org", payee="IBAN 1")
    work = ann.do(lab.hit())
    lab.client.approve_assignment(AssignmentId=work)
    lab.client.notify_workers(Subject="Hello", MessageText="Ann!", WorkerIds=[ann.worker_id])
    assert reason(close(ann)) == "gone"
    row = WorkerAccount.objects.get(worker_id=ann.worker_id)
    assert (row.email, row.called, row.password, row.country, row.subdivision, row.active) == (
        "",
        "",
        "",
        "",
        "",
        False,
    )
    assert "Ann" not in row.name
    assert not WorkerMessage.objects.exists()
    assert not WorkerSession.objects.exists()
    found = lab.client.get_assignment(AssignmentId=work)["Assignment"]
    assert (found["WorkerId"], found["AssignmentStatus"]) == (ann.worker_id, "Approved")
    assert check_balances().faults == ()


def test_the_page_says_what_is_owed_and_the_payee_is_kept_until_it_is_paid(lab, sign_in):
    ann = sign_in("Ann", payee="IBAN 1")
    lab.client.approve_assignment(AssignmentId=ann.do(lab.hit(Reward="1.25")))
    page = ann.get("/hits/account/delete/").text
    assert "You are owed $1.25." in page
    assert "IBAN 1" in page
    close(ann)
    assert WorkerAccount.objects.get().payee == "IBAN 1"
    payouts.make_batch(now=clock.now())
    sent = Payout.objects.get()
    assert WorkerAccount.objects.get().payee == "IBAN 1"
    payouts.settle([payouts.Mark(1, sent.payout_id, "paid", "")], now=clock.now())
    assert WorkerAccount.objects.get().payee == ""


def test_work_that_is_undecided_is_paid_all_the_same(lab, sign_in):
    ann = sign_in("Ann", payee="IBAN 1")
    work = ann.do(lab.hit(Reward="1.25"))
    assert "1 task waits for a decision" in ann.get("/hits/account/delete/").text
    close(ann)
    lab.client.approve_assignment(AssignmentId=work)
    row = WorkerAccount.objects.get()
    assert (row.owed_cents, row.payee) == (125, "IBAN 1")


def test_who_holds_a_task_returns_it_first(lab, ann):
    task = ann.take(lab.hit())
    assert "Submit or return your open task" in ann.get("/hits/account/delete/").text
    token = ann.get("/hits/").text.split('csrfmiddlewaretoken" value="')[1].split('"')[0]
    answer = ann.site.post(f"{ann.origin}/hits/account/delete/", data={"csrfmiddlewaretoken": token, "sure": "on"})
    assert answer.status_code == 409
    assert WorkerAccount.objects.get().active
    ann.give_back(task)
    assert reason(close(ann)) == "gone"
    assert Assignment.objects.get().worker.worker_id == ann.worker_id


def test_a_closed_account_is_not_found_by_links_or_mail(lab, sign_in):
    ann = sign_in("Ann", email="ann@example.org")
    close(ann)
    assert ann.get("/hits/account/").url.path == "/hits/sign-in/"
    again = sign_in("Ann", email="ann@example.org")
    assert again.worker_id != ann.worker_id
    assert Requester.objects.exists()
