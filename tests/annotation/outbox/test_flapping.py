"""Bonuses on a marketplace that is away most of the time: all are paid, each once, when it is well."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any, cast

import pytest
from django.db.models import Q

from annotation.exceptions import MarketError
from annotation.ledger import promise_bonuses
from annotation.models import Intent, LedgerEntry, Study, Submission
from annotation.mturk.client import Market
from annotation.outbox.queue import LONGEST_PAUSE
from annotation.outbox.worker import work
from tests.annotation.review.factories import NOW, make

pytestmark = pytest.mark.django_db

BONUSES, CENTS = 24, 15
AWAY = timedelta(seconds=100)
ANSWERS_EVERY = 12  # of so many calls while it is away


class FlappingMarketplace:
    """Pays a bonus once by its token. Until it is well, most calls fail, half of them after the payment."""

    def __init__(self) -> None:
        self.time, self.well_from = NOW, NOW + AWAY
        self.calls, self.paid = 0, Counter[str]()

    def now(self) -> datetime:
        return self.time

    def send_bonus(self, assignment: str, *, cents: int, token: str, **_: Any) -> None:
        self.calls += 1
        answers = self.time >= self.well_from or self.calls % ANSWERS_EVERY == 0
        if (answers or self.calls % 2) and token not in self.paid:
            self.paid[token] = cents
        if not answers:
            raise MarketError("The marketplace could not be reached.", permanent=False)


def test_no_bonus_is_given_up_while_a_marketplace_flaps_and_each_is_paid_once_when_it_is_well() -> None:
    study = make(workers=BONUSES, hits=1, texts=2, straight=0, now=NOW)
    Study.objects.filter(pk=study.pk).update(budget_cents=10_000)
    submissions = Submission.objects.filter(hit__study=study).select_related("hit__study", "hit__cell__arm__study")
    promise_bonuses(study, [(each, CENTS) for each in submissions], occasion="thanks", reason="Thank you.", now=NOW)
    market = FlappingMarketplace()
    # No action waits for longer than the longest pause, and the first that succeeds brings all others forward.
    while market.time < market.well_from + timedelta(seconds=LONGEST_PAUSE + 1):
        work(Q(study=study), market=cast(Market, market), clock=market.now)
        market.time += timedelta(seconds=1)
    assert market.calls > 5 * BONUSES
    assert Counter(Intent.objects.filter(study=study).values_list("state", flat=True)) == {"done": BONUSES}
    assert list(market.paid.values()) == [CENTS] * BONUSES
    assert LedgerEntry.objects.filter(study=study, kind=LedgerEntry.Kind.BONUS).count() == BONUSES
    assert Study.objects.get(pk=study.pk).reserved_cents == 0
