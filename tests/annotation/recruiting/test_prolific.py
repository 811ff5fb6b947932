"""Recruiting on Prolific from the requester's side: money reserved and booked, rejections by Prolific's rules."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import Q, QuerySet

from annotation import ledger
from annotation.accounts.models import User
from annotation.exceptions import BudgetError, ChangedError, MarketError, StateError
from annotation.models import AuditEvent, Intent, LedgerEntry, Rejection, Study, Submission
from annotation.mturk import prolific
from annotation.mturk.client import Market
from annotation.mturk.prolific import ChosenFilter, ProlificDraft
from annotation.outbox.worker import work
from annotation.publishing.end import close
from annotation.publishing.publish import publish
from annotation.recruiting.publish_prolific import (
    add_places,
    failed_recruiting,
    is_publishing,
    publish_on_prolific,
    quote_on_prolific,
    set_draft,
    settle_batch,
    settle_costs,
)
from annotation.review import reject
from annotation.review.approve import approve
from annotation.review.prolific_work import ask_to_return, category_for, suggest_category
from tests.annotation.conftest import NOW
from tests.annotation.recruiting.prolific_double import CHANNEL, PretendMarketplace, pretend
from tests.annotation.review.factories import make

pytestmark = pytest.mark.django_db
LONG = "In nine of twelve sentences the same answer was chosen within a second, before the sentence could be read."


@pytest.fixture
def marketplace(live: Study, monkeypatch: pytest.MonkeyPatch) -> PretendMarketplace:
    double = pretend(monkeypatch)
    Study.objects.filter(pk=live.pk).update(channel_tag="headlines-1")
    live.channel_tag = double.tag = "headlines-1"
    return double


@pytest.fixture
def market(ours: Market) -> Market:
    return ours


def by(market: Market) -> dict[str, Any]:
    return {"market": market, "actor": "ada", "now": NOW}


def reserved(study: Study) -> int:
    sums = ledger.sums(study)
    assert sums.agree
    return sums.reserved


def recruit(study: Study, market: Market, total: int = 2519) -> int:
    added = publish_on_prolific(study, CHANNEL, total_minor=total, **by(market))
    work(Q(kind=Intent.Kind.RECRUIT), market=market, clock=lambda: NOW)
    return added


@pytest.mark.database
def test_a_draft_names_only_what_is_set(live: Study, market: Market, marketplace: PretendMarketplace) -> None:
    chosen = (ChosenFilter("age", lower=18, upper=60), ChosenFilter("country", ("1",)))
    set_draft(live, CHANNEL, ProlificDraft(minutes=12, filters=chosen), **by(market))
    assert marketplace.last("set_prolific_draft") == {
        "ChannelId": CHANNEL,
        "Minutes": 12,
        "Filters": [
            {"FilterId": "age", "Lower": 18.0, "Upper": 60.0},
            {"FilterId": "country", "Values": ["1"]},
        ],
    }
    assert prolific.get_study(market, CHANNEL).filters == chosen


@pytest.mark.database
def test_publishing_reserves_what_prolific_takes_beyond_the_tasks_rewards(
    live: Study, market: Market, marketplace: PretendMarketplace
) -> None:
    publish(live, actor="ada", now=NOW)
    tasks = reserved(live)
    assert recruit(live, market) == 2519 + 840 - tasks
    assert reserved(live) == 2519 + 840
    token = Intent.objects.get(kind=Intent.Kind.RECRUIT).key
    wish = {"ChannelId": CHANNEL, "TotalMinor": 2519, "ClientToken": token}
    assert marketplace.last("publish_prolific_study") == wish
    assert recruit(live, market) == 0, "the same call again intends nothing more"
    assert sum(name == "publish_prolific_study" for name, _ in marketplace.calls) == 1


def test_publishing_is_refused_before_anything_is_reserved(
    live: Study, market: Market, marketplace: PretendMarketplace
) -> None:
    with pytest.raises(StateError, match="Publish the study first"):
        recruit(live, market)
    publish(live, actor="ada", now=NOW)
    before = reserved(live)
    with pytest.raises(ChangedError, match=r"\$25.19 by now, not \$25.18"):
        recruit(live, market, total=2518)
    marketplace.quote["Problems"] = ["The balance is too low."]
    with pytest.raises(StateError, match="balance is too low"):
        recruit(live, market)
    marketplace.quote |= {"Problems": [], "Currency": "GBP"}
    with pytest.raises(StateError, match="Prolific pays in GBP"):
        recruit(live, market)
    # The page of the price says so before anybody presses the button.
    (problem,) = quote_on_prolific(live, CHANNEL, market).problems
    assert problem.startswith("Prolific pays in GBP, and this study is planned in USD.")
    marketplace.quote["Currency"] = "USD"
    Study.objects.filter(pk=live.pk).update(budget_cents=before + 10)
    with pytest.raises(BudgetError):
        recruit(live, market)
    assert reserved(live) == before
    assert not Intent.objects.filter(kind=Intent.Kind.RECRUIT).exists()


def test_what_failed_is_said_and_asked_for_again_with_its_money_once(
    live: Study, market: Market, marketplace: PretendMarketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(**_members: Any) -> dict[str, Any]:
        raise MarketError("The balance is too low.", code="RequestError")

    publish(live, actor="ada", now=NOW)
    before = reserved(live)
    with monkeypatch.context() as failing:
        failing.setattr(marketplace, "publish_prolific_study", refused, raising=False)
        added = recruit(live, market)
    assert (added > 0, reserved(live)) == (True, before + added)
    assert "The balance is too low." in failed_recruiting(live, CHANNEL)
    assert not is_publishing(live, CHANNEL)
    assert recruit(live, market) == added
    assert (reserved(live), failed_recruiting(live, CHANNEL)) == (before + added, "")
    assert marketplace.last("publish_prolific_study")["TotalMinor"] == 2519


def test_more_places_cost_as_much_each(live: Study, market: Market, marketplace: PretendMarketplace) -> None:
    publish(live, actor="ada", now=NOW)
    recruit(live, market)
    marketplace.study["Status"] = "active"
    with pytest.raises(StateError, match="more than 12") as refused:
        add_places(live, CHANNEL, 12, **by(market))
    assert refused.value.field == "places"
    # 3 of 12 places: a quarter of 25.19, rounded up.
    assert add_places(live, CHANNEL, 15, **by(market)) == 630
    work(Q(kind=Intent.Kind.RECRUIT), market=market, clock=lambda: NOW)
    assert marketplace.last("add_prolific_places") == {"ChannelId": CHANNEL, "Places": 15}


def test_fees_are_booked_at_the_end_and_the_rest_is_free(
    live: Study, market: Market, marketplace: PretendMarketplace
) -> None:
    publish(live, actor="ada", now=NOW)
    tasks = reserved(live)
    recruit(live, market)
    Study.objects.filter(pk=live.pk).update(status="ending")
    with pytest.raises(StateError, match="1 costs of Prolific are not settled"):
        close(live, actor="ada", now=NOW)
    with pytest.raises(StateError, match="Stop recruitment on Prolific"):
        settle_costs(live, CHANNEL, **by(market))
    waiting = {"Kind": "cost", "Since": NOW, "Error": "", "Attempts": 1, "Failed": False}
    marketplace.study |= {"Status": "completed", "FeesMinor": 500, "Waiting": [waiting]}
    with pytest.raises(StateError, match="does not hold all bonuses"):
        settle_costs(live, CHANNEL, **by(market))
    marketplace.study |= {"FeesMinor": 600, "Waiting": []}
    held = 2519 + 840 - tasks
    assert settle_costs(live, CHANNEL, **by(market)) == held - 600
    assert (reserved(live), ledger.sums(live).spent) == (tasks, 600)
    assert LedgerEntry.objects.get(study=live, kind="fee").cents == 600
    assert settle_costs(live, CHANNEL, **by(market)) == 0, "booked once"
    assert ledger.sums(live).spent == 600


def test_an_unanswered_payment_is_settled_by_a_person(
    live: Study, market: Market, marketplace: PretendMarketplace
) -> None:
    with pytest.raises(StateError) as refused:
        settle_batch(live, CHANNEL, "b1", outcome="perhaps", **by(market))
    assert refused.value.field == "outcome"
    settle_batch(live, CHANNEL, "b1", outcome="paid", **by(market))
    assert AuditEvent.objects.filter(study=live, verb="settle_prolific_batch", actor="ada").exists()


def test_a_status_nobody_knows_is_passed_on(live: Study, market: Market, marketplace: PretendMarketplace) -> None:
    marketplace.study |= {"Status": "hibernating", "Counts": [{"Status": "UNDER DISPUTE", "Count": 2}]}
    known = prolific.get_study(market, CHANNEL)
    assert (known.status, known.counts) == ("hibernating", {"UNDER DISPUTE": 2})
    assert [option.is_known for option in prolific.list_filters(market)] == [True, True, False]


@pytest.fixture
def judged(market: Market, marketplace: PretendMarketplace) -> Study:
    """Work handed in, the first of it by a person from Prolific."""
    study = make(workers=2, hits=1, texts=4)
    Study.objects.filter(pk=study.pk).update(channel_tag="headlines-1")
    study.channel_tag = "headlines-1"
    intent = Intent.of(study, Intent.Kind.RECRUIT, study.pk, slot=CHANNEL, details={"channel": CHANNEL})
    intent.save()
    ledger.reserve(study, [(intent, 1000)], now=NOW)
    first = study_work(study)[0]
    marketplace.submissions = [{"Key": "k1", "Status": "AWAITING REVIEW", "AssignmentIds": [first.market_id]}]
    return study


def study_work_rows(study: Study) -> QuerySet[Submission]:
    return Submission.objects.filter(hit__study=study).order_by("pk")


def study_work(study: Study) -> list[Submission]:
    return list(study_work_rows(study))


def test_people_from_prolific_are_rejected_with_a_category_and_a_hundred_characters(
    judged: Study, market: Market, marketplace: PretendMarketplace
) -> None:
    theirs, another = study_work(judged)
    ada, ben = (User.objects.create_user(name) for name in ("ada", "ben"))
    assert category_for(judged, theirs, market, "LOW_EFFORT") == "LOW_EFFORT"
    assert category_for(judged, another, market, "LOW_EFFORT") is None
    who = {"actor": ada, "now": NOW}
    with pytest.raises(StateError, match="100 to 1024 characters") as refused:
        reject.propose_rejection(judged, theirs, reason=LONG[:99], category="LOW_EFFORT", **who)
    assert refused.value.field == "reason"
    with pytest.raises(StateError, match="Choose Prolific's category") as refused:
        reject.propose_rejection(judged, theirs, reason=LONG, category="", **who)
    assert refused.value.field == "category"
    reject.propose_rejection(judged, theirs, reason=LONG, category="LOW_EFFORT", **who)
    reject.confirm_rejection(judged, theirs, actor=ben, now=NOW, window=timedelta(0))
    work(Q(kind=Intent.Kind.REJECT), market=market, clock=lambda: NOW)
    assert marketplace.last("reject_prolific_work") == {
        "AssignmentId": theirs.market_id,
        "RequesterFeedback": LONG,
        "Category": "LOW_EFFORT",
    }
    assert Rejection.objects.get(submission=theirs).seconded_by == ben
    assert suggest_category(another) in {"", *prolific.CATEGORIES}


def test_the_approval_of_who_returned_on_prolific_books_nothing_and_keeps_the_money_for_who_comes_instead(
    judged: Study, market: Market, marketplace: PretendMarketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Market, "approve", lambda *_args, **_options: None)
    theirs, another = study_work(judged)
    marketplace.submissions[0]["Status"] = "RETURNED"
    before = reserved(judged)
    approve(judged, study_work_rows(judged), actor=User.objects.create_user("ada"), now=NOW)
    work(Q(kind=Intent.Kind.APPROVE), market=market, clock=lambda: NOW)
    paid = LedgerEntry.objects.get(study=judged, kind="reward")
    assert paid.intent.subject == another.pk
    assert (
        before - reserved(judged)
        == ledger.sums(judged).spent
        == paid.cents + sum(LedgerEntry.objects.filter(study=judged, kind="fee").values_list("cents", flat=True))
    )
    assert AuditEvent.objects.get(study=judged, verb="approve_unpaid").facts["assignment"] == theirs.market_id


def test_a_rejection_that_was_sent_before_is_not_sent_in_vain(
    judged: Study, market: Market, marketplace: PretendMarketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(**_members: Any) -> dict[str, Any]:
        raise MarketError("It has another status.", code="AWS.MechanicalTurk.InvalidAssignmentState")

    monkeypatch.setattr(marketplace, "reject_prolific_work", refused, raising=False)
    theirs, _another = study_work(judged)
    for status, is_rejected in (("Rejected", True), ("Approved", False)):
        answer = {"Assignment": {"AssignmentStatus": status}}
        monkeypatch.setattr(Market, "_call", lambda *_args, answer=answer, **_options: answer)
        done = prolific.reject_work(market, theirs.market_id, feedback=LONG, category="LOW_EFFORT")
        assert done is is_rejected


def test_only_people_from_prolific_are_asked_to_return(
    judged: Study, market: Market, marketplace: PretendMarketplace
) -> None:
    theirs, another = study_work(judged)
    ask_to_return(judged, theirs, reason="You did not finish.", **by(market))
    wish = {"AssignmentId": theirs.market_id, "Reasons": ["You did not finish."]}
    assert marketplace.last("request_prolific_return") == wish
    with pytest.raises(StateError, match="did not come from Prolific"):
        ask_to_return(judged, another, reason="You did not finish.", **by(market))
    with pytest.raises(StateError) as refused:
        ask_to_return(judged, theirs, reason=" ", **by(market))
    assert refused.value.field == "reason"
