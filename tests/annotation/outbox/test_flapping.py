"""Bonuses on a marketplace that is away most of the time: all are paid, each once, when it is well."""

from __future__ import annotations

import os
from collections import Counter
from datetime import datetime, timedelta
from random import Random
from typing import Any, cast
from uuid import UUID

import pytest
from django.db.models import Q
from django.utils import timezone

from annotation.exceptions import MarketError
from annotation.jobs import celery_tasks
from annotation.ledger import promise_bonuses
from annotation.models import Intent, LedgerEntry, Study, Submission
from annotation.mturk.client import Market
from annotation.outbox import queue
from annotation.outbox.worker import work
from tests.annotation.review.factories import NOW, make

pytestmark = [pytest.mark.django_db, pytest.mark.database]

BONUSES, CENTS = 24, 15
AWAY = timedelta(seconds=100)
SECONDS_TO_RECOVER = 7  # a probe every 5, and a pass of the work loop each second
# Whose keys spread the pauses; ASSAY_SEEDS=200 tries so many.
STUDIES = [UUID(int=seed) for seed in range(int(os.environ.get("ASSAY_SEEDS", "1")))]


class FlappingMarketplace:
    """Pays a bonus once by its token. Until it is well, a call succeeds with a chance of `answers`; of those that fail,
    half do so after the payment."""

    def __init__(self, *, answers: float = 0.0, seed: int = 0, away: timedelta = AWAY) -> None:
        self.time, self.well_from = NOW, NOW + away
        self.chance, self.random = answers, Random(seed)
        self.calls, self.paid = list[datetime](), Counter[str]()

    def now(self) -> datetime:
        return self.time

    def send_bonus(self, assignment: str, *, cents: int, token: str, **_: Any) -> None:
        self.calls.append(self.time)
        answers = self.time >= self.well_from or self.random.random() < self.chance
        if (answers or len(self.calls) % 2) and token not in self.paid:
            self.paid[token] = cents
        if not answers:
            raise MarketError("The marketplace could not be reached.", permanent=False, away=True)


def promise(uuid: UUID, *, bonuses: int) -> Study:
    """A study with bonuses to be paid, in one go. uuid: the keys of its actions follow from it."""
    study = make(workers=bonuses, hits=1, texts=2, straight=0, now=NOW)
    Study.objects.filter(pk=study.pk).update(budget_cents=10_000, uuid=uuid)
    submissions = Submission.objects.filter(hit__study=study).select_related("hit__study", "hit__cell__arm__study")
    study.refresh_from_db()
    promise_bonuses(study, [(each, CENTS) for each in submissions], occasion="thanks", reason="Thank you.", now=NOW)
    return study


def carry_on(market: FlappingMarketplace, *, until: datetime) -> None:
    """A pass of the work loop each second."""
    while market.time < until:
        work(Q(), market=cast(Market, market), clock=market.now)
        market.time += timedelta(seconds=1)


@pytest.mark.parametrize("uuid", STUDIES)
def test_all_bonuses_are_paid_once_within_seconds_after_a_marketplace_that_flaps_is_well(uuid: UUID) -> None:
    study = promise(uuid, bonuses=BONUSES)
    market = FlappingMarketplace(answers=1 / 12, seed=uuid.int)
    carry_on(market, until=market.well_from + timedelta(seconds=SECONDS_TO_RECOVER))
    assert Counter(Intent.objects.filter(study=study).values_list("state", flat=True)) == {"done": BONUSES}
    assert list(market.paid.values()) == [CENTS] * BONUSES
    assert LedgerEntry.objects.filter(study=study, kind=LedgerEntry.Kind.BONUS).count() == BONUSES
    assert Study.objects.get(pk=study.pk).reserved_cents == 0


@pytest.mark.parametrize("uuid", STUDIES)
def test_a_single_bonus_is_paid_within_seconds_after_a_marketplace_that_was_away_for_long(uuid: UUID) -> None:
    promise(uuid, bonuses=1)
    market = FlappingMarketplace(away=timedelta(minutes=4, seconds=uuid.int))
    carry_on(market, until=market.well_from + timedelta(seconds=SECONDS_TO_RECOVER))
    assert Intent.objects.get().state == "done"
    assert list(market.paid.values()) == [CENTS]


def test_a_marketplace_that_is_away_gets_one_probe_in_five_seconds_which_uses_up_no_attempt() -> None:
    promise(STUDIES[0], bonuses=BONUSES)
    market = FlappingMarketplace(away=timedelta(days=1))
    Intent.objects.update(refusals=8, not_before=NOW + timedelta(minutes=5), away_at=NOW, state="waiting")
    carry_on(market, until=NOW + timedelta(minutes=2))
    assert [call - NOW for call in market.calls] == [timedelta(seconds=at) for at in range(5, 120, 5)]
    assert set(Intent.objects.values_list("state", "refusals", "not_before")) == {
        ("waiting", 8, NOW + timedelta(minutes=5))
    }
    # In turn, so that an action which fails for a reason of its own does not keep the others waiting.
    assert set(Intent.objects.values_list("attempts", flat=True)) == {0, 1}


def test_beat_s_task_carries_out_what_waits_for_a_marketplace_that_was_away(monkeypatch: pytest.MonkeyPatch) -> None:
    promise(STUDIES[0], bonuses=2)
    market = FlappingMarketplace(away=timedelta(0))
    monkeypatch.setattr(celery_tasks, "Market", lambda _: market)
    monkeypatch.setattr(celery_tasks.conf, "endpoint", lambda: None)
    celery_tasks.probe_off()
    assert not market.calls
    Intent.objects.update(refusals=8, not_before=timezone.now() + timedelta(minutes=5), away_at=NOW)
    celery_tasks.probe_off()
    assert set(Intent.objects.values_list("state", flat=True)) == {"done"}


@pytest.mark.parametrize(("probes", "pause"), [(0, 5), (60, 5), (61, 5.5), (67, 9.74), (100, 226.3), (10_000, 300)])
def test_an_action_that_fails_for_a_reason_of_its_own_is_probed_less_and_less_often(probes: int, pause: float) -> None:
    """After five minutes, each pause is a tenth longer than the last, up to five minutes."""
    promise(STUDIES[0], bonuses=1)
    later = NOW + timedelta(hours=1)
    Intent.objects.update(attempts=8 + probes, refusals=8, not_before=later, away_at=NOW)
    assert queue.take(Q(), now=NOW + timedelta(seconds=pause - 0.05)) is None
    assert queue.take(Q(), now=NOW + timedelta(seconds=pause + 0.05)) is not None


def test_no_second_probe_is_made_while_the_first_waits_for_an_answer() -> None:
    promise(STUDIES[0], bonuses=2)
    Intent.objects.update(refusals=8, not_before=NOW + timedelta(minutes=5), away_at=NOW)
    first = queue.take(Q(), now=NOW + timedelta(seconds=10))
    assert first is not None
    assert queue.take(Q(), now=NOW + timedelta(seconds=60)) is None
    # Its worker has died: another probe is made, and it is not lost.
    second = queue.take(Q(), now=NOW + timedelta(seconds=140))
    assert second is not None
    assert second.pk != first.pk


def test_what_the_marketplace_answered_itself_waits_for_its_own_pause() -> None:
    promise(STUDIES[0], bonuses=1)
    taken = queue.take(Q(), now=NOW)
    assert taken is not None
    error = MarketError("The qualification is there, but is not listed yet.", permanent=False)
    queue.put_off(taken, error, now=NOW)
    Intent.objects.update(not_before=NOW + timedelta(minutes=5))
    assert queue.take(Q(), now=NOW + timedelta(minutes=4)) is None
