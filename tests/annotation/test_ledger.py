"""The budget holds whatever runs: money is set aside before a call, spent with its outcome, given back otherwise."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import Q

from annotation import ledger as books
from annotation.accounts.models import User
from annotation.collecting.collect import collect
from annotation.collecting.parse_submissions import read
from annotation.exceptions import BudgetError, StateError
from annotation.models import AuditEvent, Decision, Intent, LedgerEntry, Study, Submission
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from annotation.review.approve import approve, undo_decisions
from annotation.review.fair_pay import raise_pay
from annotation.studies.audit_check import prove
from tests.annotation.conftest import NOW

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.usefixtures("mturk_fees")]

# Two HITs for two raters at 50 cents and a fee of 10 (20 % below ten assignments).
WHOLE = 2 * 2 * 60


def budget(study: Study, cents: int) -> None:
    Study.objects.filter(pk=study.pk).update(budget_cents=cents)


def go(study: Study, market: Market) -> None:
    work(Q(study=study), market=market, clock=lambda: NOW)


def test_publishing_sets_every_place_aside(study: Study) -> None:
    budget(study, WHOLE)
    assert publish(study, actor="ada", now=NOW).reserved_cents == WHOLE
    study.refresh_from_db()
    assert (study.reserved_cents, study.spent_cents) == (WHOLE, 0)


def test_a_budget_that_is_a_cent_short_refuses_and_says_how_much_is_missing(study: Study) -> None:
    budget(study, WHOLE - 1)
    with pytest.raises(BudgetError, match=r"\$0\.01 are missing") as refused:
        publish(study, actor="ada", now=NOW)
    assert refused.value.missing_cents == 1
    study.refresh_from_db()
    assert (study.status, Intent.objects.count(), LedgerEntry.objects.count()) == ("draft", 0, 0)


def test_the_database_itself_refuses_to_pass_the_budget(study: Study) -> None:
    budget(study, 100)
    with pytest.raises(DatabaseError), transaction.atomic():
        Study.objects.filter(pk=study.pk).update(reserved_cents=60, spent_cents=41)


def test_of_reservations_at_one_moment_only_those_that_fit_are_made(study: Study) -> None:
    budget(study, 250)
    intents = [Intent.of(study, Intent.Kind.BONUS, number, slot=str(number)) for number in range(8)]
    Intent.objects.bulk_create(intents)
    made: list[int] = []

    def reserve(intent: Intent) -> None:
        try:
            with transaction.atomic():
                made.append(books.reserve(study, [(intent, 60)], now=NOW))
        except BudgetError:
            pass
        finally:
            connection.close()

    threads = [threading.Thread(target=reserve, args=[intent]) for intent in intents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    study.refresh_from_db()
    assert (len(made), study.reserved_cents) == (4, 240)


def test_approved_work_is_paid_out_of_what_was_set_aside_and_the_log_agrees(
    study: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    budget(study, WHOLE)
    publish(study, actor="ada", now=NOW)
    go(study, market)
    everybody_rates("bea", "cy")
    collect(study, market=market, now=NOW)
    approve(study, Submission.objects.all(), actor=None, now=NOW)
    go(study, market)
    study.refresh_from_db()
    assert (study.spent_cents, study.reserved_cents) == (WHOLE, 0)
    assert market.balance_cents() == 10_000 - WHOLE
    assert prove(study).faults == ()
    LedgerEntry.objects.filter(kind="reward").order_by("pk").first().delete()  # type: ignore[union-attr]
    assert any("missing from the ledger" in fault for fault in prove(study).faults)


def test_fair_pay_lifts_the_median_to_the_floor_once(
    study: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    publish(study, actor="ada", now=NOW)
    go(study, market)
    everybody_rates("bea", "cy")
    collect(study, market=market, now=NOW)
    with pytest.raises(StateError, match="measured time"):
        raise_pay(study, floor_cents=1500, actor="ada", now=NOW)
    read(study, now=NOW)
    approve(study, Submission.objects.all(), actor=None, now=NOW)
    # The page measured 4 x 1.5 s = 6 s: 50 cents for them are $300 an hour, and $600 an hour would be 100 cents.
    paid = [raise_pay(study, floor_cents=60_000, actor="ada", now=NOW) for _ in range(2)]
    assert [(one.bonuses, one.cents) for one in paid] == [(4, 200), (0, 0)]
    go(study, market)
    # Fees: 10 cents a reward, 10 cents a bonus (20 %).
    assert market.balance_cents() == 10_000 - WHOLE - 4 * 60
    study.refresh_from_db()
    assert (study.spent_cents, study.reserved_cents) == (WHOLE + 240, 0)


def test_a_bonus_whose_answer_was_lost_is_not_paid_again_even_after_a_day(
    study: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    publish(study, actor="ada", now=NOW)
    go(study, market)
    everybody_rates("bea")
    collect(study, market=market, now=NOW)
    one = Submission.objects.order_by("pk")[0]
    with transaction.atomic():
        books.promise_bonuses(study, [(one, 30)], occasion="thanks", reason="Thank you.", now=NOW)
    go(study, market)
    bonus = Intent.objects.get(kind=Intent.Kind.BONUS)
    for first_call in (bonus.first_called_at, market.now().replace(year=2025)):
        # We died before the outcome was written; then a token still holds, or is forgotten.
        LedgerEntry.objects.filter(intent=bonus).exclude(kind="hold").delete()
        Study.objects.filter(pk=study.pk).update(spent_cents=0, reserved_cents=WHOLE + 36)
        Intent.objects.filter(pk=bonus.pk).update(state="waiting", first_called_at=first_call)
        go(study, market)
        assert [paid.cents for paid in market.bonuses(one.market_id)] == [30]
    assert AuditEvent.objects.filter(study=study, verb="pay").count() == 3


def test_each_decision_on_pay_is_in_the_log_from_the_moment_it_is_taken(
    study: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    publish(study, actor="ada", now=NOW)
    go(study, market)
    everybody_rates("bea", "cy")
    collect(study, market=market, now=NOW)
    work_of = Submission.objects.filter(hit__study=study).order_by("pk")
    approve(study, work_of.filter(pk__in=work_of.values("pk")[:3]), actor=None, now=NOW)
    assert prove(study).faults == ()
    first, _, third, fourth = work_of
    Decision.objects.filter(submission=first).update(verdict="reject", reason="By hand.")
    Decision.objects.filter(submission=third).delete()
    Decision.objects.create(submission=fourth, matter="payment", verdict="approve", at=NOW)
    altered, beside, gone = prove(study).faults
    assert f"on {first.market_id} says reject; the log says that it was decided: approve" in altered
    assert f"on {fourth.market_id} says approve; the log does not record it" in beside
    assert f"a decision on {third.market_id} (approve) that does not exist" in gone


def test_a_decision_that_is_taken_back_is_taken_back_in_the_log(
    study: Study, market: Market, everybody_rates: Callable[..., None], django_user_model: type[User]
) -> None:
    publish(study, actor="ada", now=NOW)
    go(study, market)
    everybody_rates("bea")
    collect(study, market=market, now=NOW)
    ada, work_of = django_user_model.objects.create(username="ada"), Submission.objects.filter(hit__study=study)
    approve(study, work_of, actor=ada, now=NOW, window=timedelta(minutes=10))
    undo_decisions(study, work_of, actor=ada, now=NOW)
    assert prove(study).faults == ()
    approve(study, work_of, actor=ada, now=NOW)
    assert prove(study).faults == ()
