"""The bill of a design: numbers of the specification (mturk-api 4, method 2.33)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pricing.fees import Fees, bonus_fee_cents, fee_cents, split_places
from annotation.pricing.quotes import Terms, next_steps, quote

MTURK = Fees.MTURK


@pytest.mark.parametrize(
    ("cents", "places", "masters", "premium", "fee"),
    [
        (1, 9, False, 0, 1),
        (7, 9, False, 0, 1),
        (8, 9, False, 0, 2),
        (13, 9, False, 0, 3),
        (50, 9, False, 0, 10),
        (50, 10, False, 0, 20),
        (125, 9, True, 0, 31),
        (200, 9, False, 0, 40),
        (200, 10, False, 0, 80),
        (200, 9, True, 0, 50),
        (200, 10, True, 0, 90),
        (200, 9, False, 50, 90),
    ],
)
def test_fees_are_those_of_the_price_list(cents, places, masters, premium, fee):
    assert fee_cents(cents, max_assignments=places, fees=MTURK, masters=masters, premium_cents=premium) == fee


@pytest.mark.parametrize(("bonus", "fee"), [(3, 1), (100, 20)])
def test_fees_of_bonuses_are_those_of_the_price_list(bonus, fee):
    assert bonus_fee_cents(bonus, fees=MTURK) == fee


@pytest.mark.parametrize(
    ("raters", "reward", "one_hit", "in_nines", "hits"),
    [(200, 200, 560_00, 480_00, 23), (100, 50, 70_00, 60_00, 12), (1000, 10, 140_00, 120_00, 112)],
)
def test_nine_assignment_split_saves_what_the_examples_say(raters, reward, one_hit, in_nines, hits):
    whole = quote(1, raters, Terms(reward, MTURK, in_nines=False))
    nines = quote(1, raters, Terms(reward, MTURK))
    assert (whole.total, nines.total, nines.hits, nines.saving) == (one_hit, in_nines, hits, one_hit - in_nines)


def test_huse_study_costs_224_dollars_in_large_hits_and_192_in_nines():
    assert quote(8, 20, Terms(100, MTURK, in_nines=False)).total == 224_00
    assert quote(8, 20, Terms(100, MTURK)).total == 192_00


def test_200_raters_are_22_hits_of_nine_and_one_of_two():
    assert split_places(200) == (9,) * 22 + (2,)


def test_expected_exclusions_are_paid_and_replaced():
    """18.6 % of all submitted work was left out in Clark et al.: 780 kept of 958."""
    bill = quote(156, 5, Terms(125, MTURK, excluded=0.186))
    assert (bill.planned, bill.replaced, bill.assignments) == (780, 179, 959)
    assert bill.total == 959 * (125 + 25)


def test_bonuses_carry_a_fee_of_their_own():
    bill = quote(1, 10, Terms(100, MTURK, bonus_cents=50, in_nines=False))
    assert [(line.what, line.cents) for line in bill.lines] == [
        ("rewards", 1000),
        ("fees", 400),
        ("bonuses", 500),
        ("fees of bonuses", 100),
    ]


def test_a_budget_says_how_much_is_missing():
    bill = quote(8, 20, Terms(100, MTURK))
    assert (bill.missing(None), bill.missing(192_00), bill.missing(150_00)) == (0, 0, 42_00)


def test_100_dollars_more_buy_whole_raters_or_whole_pages():
    raters, texts = next_steps(8, 20, Terms(100, MTURK), cents=100_00)
    assert (raters.raters, raters.cents) == (30, 96_00)
    assert (texts.pages, texts.cents) == (12, 96_00)
    assert next_steps(8, 20, Terms(100, MTURK), cents=5_00) == ()


@given(
    pages=st.integers(1, 50),
    raters=st.integers(1, 60),
    reward=st.integers(0, 500),
    bonus=st.integers(0, 100),
    excluded=st.floats(0, 0.5),
    nines=st.booleans(),
)
def test_a_bill_grows_with_everything_it_counts(pages, raters, reward, bonus, excluded, nines):
    terms = Terms(reward, MTURK, bonus, excluded=excluded, in_nines=nines)
    bill = quote(pages, raters, terms)
    assert bill.total == sum(line.count * line.each for line in bill.lines)
    assert quote(pages + 1, raters, terms).total > bill.total
    assert quote(pages, raters + 1, terms).total > bill.total
    if nines:
        assert bill.total <= bill.other_total


@pytest.mark.parametrize("wrong", [{"reward_cents": -1}, {"reward_cents": 1, "excluded": 1.0}])
def test_terms_that_make_no_bill_are_refused(wrong):
    with pytest.raises(ValueError, match=r"not negative|excluded"):
        Terms(**{"fees": MTURK, **wrong})
