"""How values are written for people."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from metrics.data.sentence import Template
from metrics.report import wording
from metrics.tables.record import Column
from metrics.tables.shown import format_cell
from metrics.types import Estimate, Interval


@pytest.mark.parametrize(
    ("value", "digits", "written"),
    [
        (0.534, 2, "0.53"),
        (-1.5, 1, "−1.5"),
        (-0.001, 2, "0.00"),
        (3.025, 2, "3.03"),
        (3.0249999999999995, 2, "3.03"),  # the same mean, added up in another order
        (-31.25, 1, "−31.3"),
        (None, 2, "–"),
        (float("-inf"), 2, "−∞"),
        (float("inf"), 2, "∞"),
    ],
)
def test_numbers_have_a_true_minus_sign_and_no_negative_zero(value: float | None, digits: int, written: str) -> None:
    assert wording.number(value, digits) == written


def test_an_estimate_is_followed_by_its_interval_where_it_has_one() -> None:
    interval = Interval(0.414, 0.648, 0.95, "half-samples")
    assert wording.estimate(Estimate(0.53, 200, interval, {}, (), "s")) == "0.53 [0.41, 0.65]"
    assert wording.estimate(Estimate(0.53, 200, None, {}, (), "s")) == "0.53"
    assert wording.interval(None) == "–"


@pytest.mark.parametrize(
    ("cents", "written"),
    [(16000, "160.00 USD"), (5, "0.05 USD"), (-250, "−2.50 USD"), (0, "0.00 USD"), (None, "not recorded")],
)
def test_money_is_written_from_whole_cents(cents: int | None, written: str) -> None:
    assert wording.money(cents) == written


@pytest.mark.parametrize(
    ("seconds", "written"), [(804, "13 min 24 s"), (59.4, "59 s"), (60, "1 min 00 s"), (None, "not recorded")]
)
def test_durations_are_minutes_and_seconds(seconds: float | None, written: str) -> None:
    assert wording.duration(seconds) == written


def test_moments_say_the_weekday_and_the_zone() -> None:
    assert wording.moment(datetime(2026, 11, 3, 14, 5, tzinfo=UTC)) == "Tuesday, 3 November 2026, 14:05 UTC"
    assert wording.moment(None) == "not recorded"


@pytest.mark.parametrize(
    ("fact", "written"), [(0, "0"), (None, "not recorded"), ("", "not recorded"), ((), "not recorded")]
)
def test_zero_is_a_fact_and_nothing_is_not_recorded(fact: object, written: str) -> None:
    assert wording.known(fact) == written


def test_counts_agree_with_their_nouns() -> None:
    assert [wording.plural(n, "text") for n in (0, 1, 2)] == ["0 texts", "1 text", "2 texts"]
    assert wording.plural(2, "person", "people") == "2 people"


def test_sums_of_money_times_p_and_n_are_kept_on_one_line() -> None:
    space = "\u00a0"
    said = "Paid 1.25 USD (none) in 13 min 24 s, p = .005 and n = 40 of 8 HITs."
    bound = f"Paid 1.25{space}USD (none) in 13{space}min{space}24{space}s, p{space}={space}.005 and n{space}={space}40"
    assert wording.bind_values(said) == f"{bound} of 8 HITs."


def test_an_interval_is_kept_on_one_line() -> None:
    assert wording.bind_values("HUSE 0.53 [0.41, 0.65] at 200") == "HUSE 0.53\u00a0[0.41,\u00a00.65] at 200"


def test_a_range_of_one_number_is_that_number() -> None:
    assert (wording.describe_range(4, 4), wording.describe_range(4, 9)) == ("4", "4 to 9")


def test_a_half_is_rounded_in_a_sentence_as_in_a_table_and_a_figure() -> None:
    sentence = Template("a", "{value:.2f}, {share:.0%}", ("a",)).fill(value=0.325, share=0.125)
    assert sentence == "0.33, 13%"
    assert wording.share(0.3125, Interval(0.0625, 0.6875, 0.95, "t")) == "31.3% [6.3, 68.8]"
    assert format_cell(Column("a", "A", "share", digits=1), 0.3125) == "31.3%"
    assert wording.p_value(0.0625) == "p\u00a0=\u00a0.063"
