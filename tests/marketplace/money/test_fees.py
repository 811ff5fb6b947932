"""Fees by the last price list (specification 4)."""

from __future__ import annotations

import pytest

from annotation.marketplace.cents import cents, dollars
from annotation.marketplace.money.fees import MTURK, NONE, bonus_fee, reward_fee


@pytest.mark.parametrize(
    ("reward", "places", "masters", "fee"),
    [
        ("0.01", 9, False, "0.01"), ("0.07", 9, False, "0.01"), ("0.08", 9, False, "0.02"),
        ("0.13", 9, False, "0.03"), ("0.50", 9, False, "0.10"), ("0.50", 10, False, "0.20"),
        ("1.25", 9, True, "0.31"), ("2.00", 9, False, "0.40"), ("2.00", 10, False, "0.80"),
        ("2.00", 9, True, "0.50"), ("2.00", 10, True, "0.90"), ("0.00", 1, False, "0.01"),
    ],
)  # fmt: skip
def test_rewards_bear_the_published_fee(reward, places, masters, fee):
    assert dollars(reward_fee(cents(reward), max_assignments=places, masters=masters, rules=MTURK)) == fee


@pytest.mark.parametrize(("bonus", "fee"), [("0.03", "0.01"), ("1.00", "0.20")])
def test_bonuses_bear_a_fifth(bonus, fee):
    assert dollars(bonus_fee(cents(bonus), rules=MTURK)) == fee


def test_without_such_a_list_nothing_is_charged():
    assert {reward_fee(200, max_assignments=n, masters=m, rules=NONE) for n in (1, 9, 10) for m in (False, True)} == {0}
    assert bonus_fee(100, rules=NONE) == 0


@pytest.mark.parametrize(("splits", "total"), [([200], 560), ([9] * 22 + [2], 480)])
def test_nine_places_a_hit_save_eighty_dollars_on_two_hundred(splits, total):
    fees = {places: reward_fee(200, max_assignments=places, rules=MTURK) for places in splits}
    assert sum(places * (200 + fees[places]) for places in splits) == total * 100


@pytest.mark.parametrize(("text", "amount"), [("5", 500), ("5.", 500), ("0.1", 10), ("0.10", 10), ("1234.56", 123_456)])
def test_amounts_are_read_to_the_cent(text, amount):
    assert cents(text) == amount
