"""Our own marketplace charges nothing beside rewards and bonuses unless its operator sets a price list."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.marketplace.models import BonusPayment, LedgerEntry
from annotation.marketplace.money.balance_check import check_balances

pytestmark = pytest.mark.database


@pytest.fixture
def free(settings: Any) -> None:
    """As a marketplace is whose operator has set nothing."""
    settings.MARKETPLACE_FEES = "none"


def test_a_hold_an_approval_and_a_bonus_cost_what_the_worker_gets(free: None, lab: Any, ann: Any) -> None:
    hit = lab.hit(Reward="0.50", MaxAssignments=10)
    assert lab.money() == ("9995.00", "5.00")
    work = ann.do(hit)
    lab.client.approve_assignment(AssignmentId=work)
    assert lab.money() == ("9995.00", "4.50")
    lab.client.send_bonus(WorkerId=ann.worker_id, AssignmentId=work, BonusAmount="1.00", Reason="Well done.")
    assert lab.money() == ("9994.00", "4.50")
    assert BonusPayment.objects.get().fee_cents == 0
    assert not LedgerEntry.objects.filter(account="house").exists()
    assert check_balances().faults == ()


def test_a_hit_keeps_the_price_list_under_which_it_was_published(
    settings: Any, free: None, lab: Any, people: Any
) -> None:
    before = lab.hit(Reward="0.50", MaxAssignments=2)
    settings.MARKETPLACE_FEES = "mturk"
    after = lab.hit(Reward="0.50", MaxAssignments=2)
    # Two places of $0.50, then two with a fifth more.
    assert lab.money() == ("9997.80", "2.20")
    ann, bob = people(2)
    settings.MARKETPLACE_FEES = "none"
    works = [(worker, worker.do(hit)) for worker, hit in ((ann, before), (bob, after))]
    for worker, work in works:
        lab.client.approve_assignment(AssignmentId=work)
        lab.client.send_bonus(WorkerId=worker.worker_id, AssignmentId=work, BonusAmount="1.00", Reason="Well done.")
    # Paid: 0.50 + 1.00, and 0.60 + 1.20; of the rest, one place of each is on hold.
    assert lab.money() == ("9995.60", "1.10")
    assert check_balances().faults == ()
