"""Fees and wages by the table of the marketplace specification."""

import pytest

from annotation.pricing.fees import fee_cents, wage_cents


@pytest.mark.parametrize(
    ("reward", "assignments", "fee"),
    [(1, 9, 1), (7, 9, 1), (8, 9, 2), (13, 9, 3), (50, 9, 10), (50, 10, 20), (200, 9, 40), (200, 10, 80)],
)
def test_the_fee_is_that_of_the_published_table(reward: int, assignments: int, fee: int) -> None:
    assert fee_cents(reward, max_assignments=assignments) == fee


def test_the_wage_of_the_huse_study_is_what_its_median_time_makes() -> None:
    assert wage_cents(100, seconds=804) == 448


def test_work_of_no_time_has_no_wage() -> None:
    with pytest.raises(ValueError, match="longer than no time"):
        wage_cents(100, seconds=0)
