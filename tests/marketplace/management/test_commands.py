"""The commands: requesters, workers, the clock, the sweep and the proof."""

from __future__ import annotations

import json
from io import StringIO

import httpx
import pytest
from django.core.management import CommandError, call_command, load_command_class
from django.db import IntegrityError

from annotation.accounts.models import User
from annotation.marketplace.core import clock
from annotation.marketplace.models import LedgerEntry, Requester, WorkerAccount
from tests.marketplace.conftest import mturk
from tests.marketplace.people import enter

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("transactional_db")]


def printed(*arguments: str) -> dict:
    out = StringIO()
    call_command(*arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


def test_a_requester_is_made_with_a_key_that_works(site):
    made = printed("create_requester", "lab", "--balance", "12.30")
    assert made["endpoint_url"] == f"{site}/mturk/"
    client = mturk(made["endpoint_url"], made["access_key"], made["secret_key"])
    assert client.get_account_balance()["AvailableBalance"] == "12.30"
    client.close()


def test_in_development_the_same_name_has_the_same_key():
    assert printed("create_requester", "lab") == printed("create_requester", "lab", "--balance", "5")
    assert printed("create_requester", "lab")["access_key"] != printed("create_requester", "other")["access_key"]


def test_outside_development_a_secret_is_shown_once(settings):
    settings.MARKETPLACE_DEVELOPMENT = False
    first, second = printed("create_requester", "lab"), printed("create_requester", "lab")
    assert first["secret_key"]
    assert second == {**first, "secret_key": None}
    renewed = printed("create_requester", "lab", "--new-key")
    assert renewed["secret_key"]
    assert renewed["access_key"] != first["access_key"]


def test_a_requesters_user_cannot_sign_in_by_password():
    printed("create_requester", "lab")
    assert not User.objects.get(username="lab").has_usable_password()


def test_a_balance_is_set_by_ledger_rows():
    for balance in ("100.00", "40.00", "40.00"):
        printed("create_requester", "lab", "--balance", balance)
    own = LedgerEntry.objects.filter(account="requester").order_by("pk")
    assert list(own.values_list("amount_cents", flat=True)) == [10_000, -6_000]
    assert Requester.objects.get().balance_cents == 4_000


@pytest.mark.parametrize("balance", ["-1", "1.234", "much", "NaN", "Infinity", "1e30"])
def test_a_balance_is_dollars_and_cents(balance):
    with pytest.raises(CommandError, match="--balance must be"):
        call_command("create_requester", "lab", f"--balance={balance}")


def test_a_worker_is_made_once_and_signs_in_each_time(site):
    first, second = printed("create_worker", "ann"), printed("create_worker", "ann")
    assert first["worker_id"] == second["worker_id"]
    assert first["sign_in_url"] != second["sign_in_url"]
    assert len(first["worker_id"]) == 14
    with httpx.Client(trust_env=False, follow_redirects=True) as browser:
        assert first["worker_id"] in enter(browser, second["sign_in_url"]).text


def test_a_worker_can_be_given_an_id_and_a_record():
    made = printed(
        "create_worker", "ann", "--worker-id", "A1B2C3", "--approved", "1000", "--percent", "96", "--locale", "US-CA"
    )
    worker = WorkerAccount.objects.get()
    assert made["worker_id"] == worker.worker_id == "A1B2C3"
    assert (worker.approved_count, worker.rejected_count, worker.submitted_count) == (1000, 41, 1041)
    assert (worker.country, worker.subdivision) == ("US", "CA")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--worker-id", "lower"], "A worker id is"),
        (["--worker-id", "ATAKEN"], "belongs to another"),
        (["--locale", "Germany"], "A locale is"),
        (["--locale", "FR-CA"], "A locale is"),
        (["--percent", "0"], "1 to 100 percent"),
        (["--approved=-1"], "0 or more"),
    ],
)
def test_a_worker_that_cannot_be_is_refused_whole(arguments, sentence):
    printed("create_worker", "bob", "--worker-id", "ATAKEN")
    with pytest.raises(CommandError, match=sentence):
        call_command("create_worker", "ann", *arguments)
    assert WorkerAccount.objects.count() == 1


def test_the_clock_moves_on_and_comes_back():
    for seconds, offset in (("+90000", 90_000), ("+10", 90_010), ("-10", 90_000), ("0", 0)):
        call_command("marketplace_clock", seconds, stdout=StringIO())
        assert clock.offset() == offset


def test_the_clock_stands_outside_development(settings):
    call_command("marketplace_clock", "+90000", stdout=StringIO())
    settings.MARKETPLACE_DEVELOPMENT = False
    assert clock.offset() == 0
    with pytest.raises(CommandError, match="development only"):
        call_command("marketplace_clock", "+1")


def test_the_sweep_does_what_is_due(lab, ann, pass_time):
    hit = lab.hit(AssignmentDurationInSeconds=60, LifetimeInSeconds=120)
    ann.take(hit)
    pass_time(300)
    out = StringIO()
    call_command("marketplace_sweep", stdout=out)
    assert out.getvalue().startswith("1 HITs")
    assert lab.places(hit) == ("Reviewable", 0, 0, 0)


def test_the_proof_finds_money_out_of_nowhere():
    printed("create_requester", "lab", "--balance", "10")
    out = StringIO()
    call_command("check_balances", stdout=out)
    assert out.getvalue().startswith("1 accounts and 1 postings agree")
    Requester.objects.update(balance_cents=1_001)
    with pytest.raises(CommandError, match="1 differences"):
        call_command("check_balances", stderr=StringIO())


def test_the_database_keeps_a_balance_from_going_below_zero():
    printed("create_requester", "lab")
    with pytest.raises(IntegrityError):
        Requester.objects.update(balance_cents=-1)


@pytest.mark.parametrize(
    ("earlier", "name"),
    [("requester", "create_requester"), ("worker", "create_worker"), ("prove_balances", "check_balances")],
)
def test_an_earlier_name_runs_the_same_command_for_one_release(earlier, name):
    assert type(load_command_class("annotation.marketplace", earlier)) is type(
        load_command_class("annotation.marketplace", name)
    )
