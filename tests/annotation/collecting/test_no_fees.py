"""On our own marketplace nothing is charged beside the rewards: quote, balance, books and report agree on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import Q

from annotation.collecting.collect import collect
from annotation.collecting.counts import crowd_counts
from annotation.collecting.parse_submissions import read
from annotation.models import Hit, LedgerEntry, Study, Submission
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.publishing.preflight import preflight
from annotation.publishing.publish import publish
from annotation.reports.study_facts import money_facts
from annotation.review import assignment as desk
from annotation.review.approve import approve
from annotation.studies.audit_check import prove
from tests.annotation.conftest import NOW

pytestmark = pytest.mark.django_db(transaction=True)
WHOLE = 2 * 2 * 50  # two HITs for two raters at 50 cents


def go(study: Study, market: Market) -> None:
    work(Q(study=study), market=market, clock=lambda: NOW)


@pytest.mark.database
def test_quote_balance_books_and_report_agree_that_only_rewards_are_charged(
    study: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    quoted = preflight(study, market=market)
    assert (quoted.reward_cents, quoted.fee_cents, quoted.errors) == (WHOLE, 0, ())
    assert publish(study, actor="ada", now=NOW).reserved_cents == WHOLE
    go(study, market)
    assert market.balance_cents() == 10_000 - WHOLE
    everybody_rates("bea", "cy")
    collect(study, market=market, now=NOW)
    read(study, now=NOW)
    asked = desk.preview_of(study, Submission.objects.all())
    assert (len(asked.submissions), asked.total_cents) == (4, WHOLE)
    approve(study, Submission.objects.all(), actor=None, now=NOW)
    go(study, market)
    study.refresh_from_db()
    assert (study.spent_cents, study.reserved_cents) == (WHOLE, 0)
    assert not LedgerEntry.objects.filter(kind="fee").exists()
    assert market.balance_cents() == 10_000 - WHOLE
    told = money_facts(study, crowd_counts(study))
    assert (told.paid_cents, told.fee_cents, told.total_cents) == (WHOLE, 0, WHOLE)
    assert prove(study).faults == ()


def test_published_hits_keep_their_rules_when_the_operator_sets_others(
    study: Study, market: Market, everybody_rates: Callable[..., None], settings: Any
) -> None:
    publish(study, actor="ada", now=NOW)
    go(study, market)
    settings.MARKETPLACE_FEES = settings.MTURK_FEES = "mturk"
    everybody_rates("bea", "cy")
    collect(study, market=market, now=NOW)
    approve(study, Submission.objects.all(), actor=None, now=NOW)
    go(study, market)
    study.refresh_from_db()
    assert (study.spent_cents, study.reserved_cents) == (WHOLE, 0)
    assert market.balance_cents() == 10_000 - WHOLE
    assert set(Hit.objects.values_list("fees", flat=True)) == {"none"}


@pytest.mark.parametrize(("charged", "expected"), [("none", "mturk"), ("mturk", "none")])
def test_a_marketplace_that_says_it_charges_otherwise_stops_the_study(
    study: Study, market: Market, settings: Any, charged: str, expected: str
) -> None:
    settings.MARKETPLACE_FEES, settings.MTURK_FEES = charged, expected
    (found,) = [one for one in preflight(study, market=market).errors if one.rule == "fees"]
    assert f"set MTURK_FEES={charged}" in found.sentence
