"""Hourly pay: the HUSE release's numbers (method 2.33, H13) and what follows from them."""

from __future__ import annotations

import pytest

from annotation.pricing.wages import (
    WorkTime,
    estimated_time,
    floor_cents,
    measured_time,
    reward_for_floor,
    wage,
    wage_cents,
)


def test_a_dollar_for_804_seconds_is_4_48_an_hour():
    """4.477612 dollars; 2.87 at the mean of 1254.7 seconds."""
    assert (wage_cents(100, seconds=804), wage_cents(100, seconds=1254.7)) == (448, 287)


def test_quartiles_of_measured_times_are_kept_with_their_number():
    assert measured_time([100, 200, 300, 400, 500]) == WorkTime(200, 300, 400, measured=True, n=5)


def test_slow_workers_earn_least_and_are_held_against_the_floor():
    found = wage(300, WorkTime(600, 720, 1440, measured=True))
    assert (found.quick, found.median, found.slow) == (1800, 1500, 750)
    assert (found.below_floor, found.slow_below_floor) == (False, True)


def test_the_reward_for_the_floor_pays_it_and_a_cent_less_does_not():
    time = WorkTime(500, 804, 1500, measured=True)
    least = reward_for_floor(time, slow=False)
    assert least == 335
    assert wage_cents(least, seconds=804) >= 1500 > wage_cents(least - 1, seconds=804)
    assert not wage(reward_for_floor(time), time).slow_below_floor


def test_an_estimate_reads_238_words_a_minute_and_says_it_is_one():
    found = estimated_time(2380, judgments=25, seconds_a_judgment=8, other_seconds=60)
    assert found.median == pytest.approx(600 + 200 + 60)
    assert found.quick < found.median < found.slow
    assert not found.measured


def test_floors_go_by_country_then_by_the_general_one():
    floors = {"DE": 1400, "": 1200}
    assert (floor_cents("DE", floors), floor_cents("FR", floors), floor_cents("US")) == (1400, 1200, 1500)


@pytest.mark.parametrize("seconds", [[], [5], [0, 10]])
def test_times_that_are_none_are_refused(seconds):
    with pytest.raises(ValueError, match="at least 2"):
        measured_time(seconds)
