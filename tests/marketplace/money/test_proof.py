"""After a random life with faults the books agree: balances, holds, earnings and payouts equal their rows.

A longer one, of 10,000 steps: `python -m tests.benchmarks.prove_ledger`.
"""

from __future__ import annotations

import pytest

from annotation.marketplace.core import clock
from annotation.marketplace.models import LedgerEntry, Requester, WorkerAccount
from annotation.marketplace.money.balance_check import check_balances
from tests.marketplace.random_life import Life, counted_faults, doubled_hits, hold_faults

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("transactional_db")]


@pytest.mark.parametrize("unfunded", [False, True])
def test_a_random_life_leaves_the_books_in_order(settings, unfunded):
    settings.MARKETPLACE_PUBLISH_UNFUNDED = unfunded
    life = Life(seed=7 + unfunded, now=clock.now())
    for _ in range(3):
        life.run(250)
        assert (check_balances().faults, hold_faults(life.now), counted_faults(), doubled_hits()) == ((), [], [], [])
    for step in (
        "publish",
        "accept",
        "hand_in",
        "approve",
        "reject",
        "bonus",
        "pay_out",
        "settle",
        "fault: answer dropped",
    ):
        assert life.counts[step] > 0, life.counts
    purposes = set(LedgerEntry.objects.values_list("purpose", flat=True))
    assert purposes == {"deposit", "reward", "bonus", "hold", "payout"}


@pytest.mark.parametrize(
    ("model", "field"),
    [
        (Requester, "balance_cents"),
        (Requester, "held_cents"),
        (WorkerAccount, "earned_cents"),
        (WorkerAccount, "owed_cents"),
    ],
)
def test_a_cent_that_is_nowhere_posted_is_found(model, field):
    life = Life(seed=1, now=clock.now())
    life.run(60)
    row = model.objects.order_by("pk").first()
    model.objects.filter(pk=row.pk).update(**{field: getattr(row, field) + 1})
    faults = check_balances().faults
    assert faults
    assert all(field in fault for fault in faults)
