"""Figures of extreme data: long and right-to-left names, thousands of points, many models, no intervals."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.figures import accuracy_by_arm, embed, hj_frequency, score_histogram, tradeoff
from metrics.figures.accuracy_by_arm import Arm
from metrics.figures.hj_frequency import Phrase, Typicality
from metrics.figures.interactive import figure
from metrics.figures.score_histogram import Scores
from metrics.figures.static import svg
from metrics.figures.texts import ROW_LETTERS, format_count, isolate_right_to_left, shorten
from metrics.figures.theme import mark_scale
from metrics.figures.tradeoff import System
from metrics.types import Estimate, Interval

LONG = "a-model-with-a-very-long-name-and-many-options-2026 (temperature 0.7)"
ARABIC = "نموذج جديد"
LABELS = ("Definitely human", "Possibly human", "Possibly machine", "Definitely machine")


def estimate(value: float, n: int = 200, *, alone: bool = False) -> Estimate:
    return Estimate(value, n, None if alone else Interval(value - 0.1, value + 0.1, 0.95, "t"), {}, (), "x|n:1")


@given(st.text(max_size=80), st.integers(8, 60))
def test_a_short_name_fits_and_keeps_both_ends(name, letters):
    made = shorten(name, letters)
    assert len(made) <= letters
    assert made == name or (made[0] == name[0] and made[-1] == name[-1] and "…" in made)


def test_right_to_left_words_are_isolated_and_nothing_else_changes():
    assert isolate_right_to_left(f"{ARABIC} 3.5 [3.2, 3.8]") == f"\u2068{ARABIC}\u2069 3.5 [3.2, 3.8]"
    assert isolate_right_to_left("Модель 模型 5") == "Модель 模型 5"


def test_one_is_not_many():
    assert (format_count(1, "rating"), format_count(1200, "rating")) == ("1 rating", "1,200 ratings")


def test_a_long_name_never_drives_the_numbers_out_of_a_row():
    chart = accuracy_by_arm.chart([Arm(LONG, estimate(0.6), "none"), Arm("b", estimate(0.5), "examples")])
    value, name = chart.notes[0].text, chart.notes[1].text
    assert value == "60.0% [50.0, 70.0], n = 200"
    assert len(name) == ROW_LETTERS
    assert LONG in chart.alt
    assert LONG in chart.points[0].hover[0]


def test_captions_of_right_to_left_names_keep_their_numbers_in_order():
    page = embed.page([accuracy_by_arm.chart([Arm(ARABIC, estimate(0.6))])], title="t")
    assert f"\u2068{ARABIC}\u2069 60.0%" in page


def test_many_models_are_numbered_and_named_in_the_caption():
    systems = [System(f"m{i}", "t", estimate(0.5), estimate(i / 30), estimate(1 - i / 30)) for i in range(30)]
    chart = tradeoff.chart(systems)
    assert [note.text for note in chart.notes if not note.quiet] == [str(at) for at in range(1, 31)]
    assert chart.caption.count("; ") == 29
    assert "(1) m0; (2) m1;" in chart.caption
    assert len(tradeoff.chart(systems).points[0].x) == 30


def test_several_generators_in_one_histogram_look_different():
    found = [Scores(name, source, (5, 5, 5, 5), (None,) * 4, 1) for name, source in
             (("human", "reference"), ("a", "model"), ("b", "model"))]  # fmt: skip
    bars = score_histogram.chart(LABELS, found).bars
    assert len({one.look for one in bars}) == 3
    assert score_histogram.chart(LABELS, found[:2]).bars[1].look == "model"
    assert "(20 ratings)" in bars[0].name
    assert "by 1 rater)" in score_histogram.alt(LABELS, found)


def test_sources_of_equal_shares_are_not_said_to_differ():
    rows = (("human", "reference", (2, 4, 2, 0)), ("GPT-3", "model", (1, 2, 1, 0)))
    found = [Scores(name, source, counts, (None,) * 4, 3) for name, source, counts in rows]
    words = score_histogram.alt(LABELS, found)
    assert words.endswith("Every label has the same share for GPT-3 and human.")
    assert "differ" not in words


def test_a_correlation_without_an_interval_claims_nothing():
    phrases = tuple(Phrase(f"p{i}", 10.0**i, float(i), None, 1) for i in range(3))
    found = Typicality(phrases, estimate(1.0, 3, alone=True), estimate(1.0, 3, alone=True), 0)
    assert "HJ and log frequency: Pearson 1.00 (no interval)" in hj_frequency.alt(found)
    drawn = json.loads(figure(hj_frequency.chart(found)).to_json())
    assert all("error_y" not in trace or not trace["error_y"].get("array") for trace in drawn["data"])


@pytest.mark.parametrize(("marks", "size"), [(0, 1.0), (400, 1.0), (1600, 0.5), (10**6, 0.4)])
def test_many_marks_are_small(marks, size):
    assert mark_scale(marks) == pytest.approx(size)


def test_five_thousand_points_are_drawn_small_both_ways():
    phrases = tuple(Phrase(f"p{i}", float(i + 1), 3.0, None, 1) for i in range(5000))
    chart = hj_frequency.chart(Typicality(phrases, estimate(0.1), estimate(0.1), 0))
    assert json.loads(figure(chart).to_json())["data"][0]["marker"]["size"] == pytest.approx(2.8)
    assert svg(chart).count("<title>") >= 5000


def test_conditions_of_long_names_can_be_told_from_each_other_on_a_phone() -> None:
    trainings, domains = ("none", "instructions", "examples", "comparison"), ("stories", "news", "recipes")
    names = [f"{one} × {two} × t={at}" for one in trainings for two in domains for at in (0.7, 1.0)]
    value = Estimate(0.65, 4, Interval(0.483, 0.787, 0.95, "wilson", "evaluators"), {}, (), "s")
    labels = [note.text for note in accuracy_by_arm.chart([Arm(name, value) for name in names]).notes]
    assert labels[1:48:2] == names
    assert set(labels[:48:2]) == {"65.0% [48.3, 78.7], n = 4"}
