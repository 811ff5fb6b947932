"""The figures of the papers: what is drawn, what is said, and the numbers behind each."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lxml import etree

from metrics.errors import DegenerateInput
from metrics.figures import (
    accuracy_by_arm,
    exclusion_curve,
    forest,
    hj_frequency,
    huse_curves,
    k_sensitivity,
    pass_rates,
    score_histogram,
    tradeoff,
)
from metrics.figures.accuracy_by_arm import Arm
from metrics.figures.chart import Chart
from metrics.figures.hj_frequency import Phrase, Typicality
from metrics.figures.huse_curves import Place, SizeCurve
from metrics.figures.k_sensitivity import Row, Sensitivity
from metrics.figures.pass_rates import Rate
from metrics.figures.score_histogram import Scores
from metrics.figures.static import svg
from metrics.figures.tradeoff import Region, System
from metrics.inference.specification_curve import Exclusions, Removal, Specification
from metrics.types import MODEL, REFERENCE, Estimate, Interval

SVG = "{http://www.w3.org/2000/svg}"
LABELS = ("Definitely human", "Possibly human", "Possibly machine", "Definitely machine")


def estimate(
    value: float | None, low: float = 0.0, high: float = 1.0, *, n: int = 200, level: float = 0.95
) -> Estimate:
    interval = None if value is None else Interval(low, high, level, "half-samples")
    return Estimate(value, n, interval, {}, () if value is not None else ("none",), f"x|n:{n}")


def drawn(chart: Chart) -> etree._Element:
    return etree.fromstring(svg(chart, standalone=True).encode())


def texts(chart: Chart) -> list[str]:
    return [element.text or "" for element in drawn(chart).iter(f"{SVG}text")]


SYSTEMS = (
    System("t=1.0", "summaries", estimate(0.53, 0.4, 0.65), estimate(0.6, 0.5, 0.7), estimate(0.93, 0.8, 1.05)),
    System("t=0.7", "summaries", estimate(0.26, 0.2, 0.4), estimate(0.92, 0.8, 1.0), estimate(0.34, 0.2, 0.5)),
    System("bm25", "summaries", estimate(0.2), estimate(0.7, 0.6, 0.8), estimate(0.5, 0.4, 0.6), generates=False),
)


def test_the_trade_off_puts_quality_across_and_diversity_up_with_both_intervals() -> None:
    points = tradeoff.chart(SYSTEMS).points[0]
    assert (points.x, points.y) == ((0.6, 0.92), (0.93, 0.34))
    assert points.x_bounds == ((0.5, 0.7), (0.8, 1.0))
    assert points.y_bounds == ((0.8, 1.05), (0.2, 0.5))


def test_along_each_grey_line_of_the_trade_off_huse_is_the_same() -> None:
    chart = tradeoff.chart(SYSTEMS)
    sums = [[x + y - 1 for x, y in zip(guide.x, guide.y, strict=True)] for guide in chart.guides]
    assert all(start == pytest.approx(end) for start, end in sums)
    named = {note.text: note for note in chart.notes if note.text.startswith("HUSE")}
    assert named["HUSE 0.4"].x + named["HUSE 0.4"].y == pytest.approx(1.4)
    assert 0.4 in [pytest.approx(start) for start, _ in sums]


def test_a_model_that_does_not_generate_is_a_cross_in_the_colour_of_its_task() -> None:
    generating, retrieval = tradeoff.chart(SYSTEMS).points
    assert retrieval.shape == "x" != generating.shape
    assert retrieval.look == generating.look
    assert {"t=1.0", "t=0.7", "bm25"} <= set(texts(tradeoff.chart(SYSTEMS)))


def test_the_dominated_region_is_the_polygon_that_was_given() -> None:
    corners = ((0.0, 0.0), (0.6, 0.93), (0.92, 0.34))
    chart = tradeoff.chart(SYSTEMS, [Region("summaries", corners)])
    assert chart.areas[0].corners == corners
    assert chart.areas[0].look == chart.points[0].look
    assert len(drawn(chart).findall(f"{SVG}path[@class='area']")) == 1


def test_the_trade_off_says_who_is_best_at_what() -> None:
    words = tradeoff.alt(SYSTEMS)
    assert "of 3 models, t=0.7, at HUSE-Q 0.92 [0.80, 1.00] and HUSE-D 0.34 [0.20, 0.50] (n = 200)" in words
    assert "t=1.0, at HUSE-Q 0.60 [0.50, 0.70] and HUSE-D 0.93 [0.80, 1.05] (n = 200), the highest diversity" in words
    assert "has the highest estimates of both" in tradeoff.alt((SYSTEMS[0], replace(SYSTEMS[1], huse_q=estimate(0.1))))


def test_a_model_without_an_estimate_is_left_out_and_none_at_all_is_refused() -> None:
    undefined = replace(SYSTEMS[0], huse_d=estimate(None))
    assert len(tradeoff.chart((undefined, SYSTEMS[1])).points[0].x) == 1
    with pytest.raises(DegenerateInput, match="needs a model"):
        tradeoff.chart((undefined,))


def phrases(*pairs: tuple[float, float]) -> tuple[Phrase, ...]:
    return tuple(Phrase(f"p{f:g}", f, hj, Interval(hj - 0.5, hj + 0.5, 0.9, "t"), 20) for f, hj in pairs)


TYPICAL = Typicality(
    phrases((1, 1.0), (10, 2.2), (1000, 4.6)),
    pearson=estimate(0.92, 0.88, 0.95, n=3, level=0.9),
    spearman=estimate(1.0, 0.9, 1.0, n=3),
    excluded=2,
)


def test_typicality_stands_over_log_frequency_with_the_interval_of_each_hj() -> None:
    chart = hj_frequency.chart(TYPICAL)
    assert chart.points[0].x == pytest.approx((0, 1, 3))
    assert chart.points[0].y_bounds[0] == (0.5, 1.5)
    assert [label for _, label in chart.x.ticks] == ["1", "10", "100", "1,000"]


def test_the_caption_of_typicality_has_pearson_with_its_interval_and_what_was_left_out() -> None:
    words = hj_frequency.alt(TYPICAL)
    assert "HJ rises with log frequency: Pearson 0.92 [0.88, 0.95] (90% interval); Spearman 1.00" in words
    assert "Bars: 90% intervals of each HJ. 2 of frequency 0 are not shown." in words
    assert "no clear relation" in hj_frequency.alt(replace(TYPICAL, pearson=estimate(0.1, -0.2, 0.4, n=3)))
    assert "no correlation" in hj_frequency.alt(replace(TYPICAL, pearson=estimate(None, n=3)))


def test_a_frequency_of_zero_has_no_place_on_a_log_scale() -> None:
    with pytest.raises(DegenerateInput, match="frequency above 0"):
        hj_frequency.chart(replace(TYPICAL, phrases=phrases((0, 1.0))))


CURVE = SizeCurve(
    "t=1.0",
    "raters",
    (Place(20, 0.53, 0.5, 0.6, 15), Place(1, 0.86, 0.7, 1.0, 15), Place(5, 0.70, 0.6, 0.8, 15)),
    level=0.9,
    fixed="200 texts",
)


def test_accuracy_and_huse_are_drawn_together_as_two_minus_two_accuracy() -> None:
    chart = huse_curves.charts([CURVE])[0]
    huse, accuracy = chart.curves
    assert chart.y.low < min(accuracy.low) <= max(huse.high) < chart.y.high
    assert huse.x == (1, 5, 20)
    assert accuracy.y == pytest.approx([(2 - value) / 2 for value in (0.86, 0.70, 0.53)])
    assert accuracy.low == pytest.approx([(2 - high) / 2 for high in (1.0, 0.8, 0.6)])
    assert huse.dash != accuracy.dash
    assert huse.shape != accuracy.shape


def test_a_size_curve_says_how_far_huse_falls_and_what_its_band_is() -> None:
    words = huse_curves.alt(CURVE)
    assert "HUSE falls from 0.86 [0.70, 1.00] at 1 to 0.53 [0.50, 0.60] at 20" in words
    assert "accuracy rises from 0.57 [0.50, 0.65] at 1" in words
    assert words.endswith("Bands: 90% of 15 draws.")


# HUSE by k on the released data, method.md 2.3.
BY_K = dict(zip((5, 9, 13, 15, 16, 17, 21, 31), (0.44, 0.52, 0.51, 0.52, 0.53, 0.47, 0.46, 0.47), strict=True))
TRIED = Sensitivity("t=1.0", tuple(Row("exact", k, huse) for k, huse in BY_K.items()), 200)


def test_sensitivity_to_k_marks_the_k_that_was_fixed_and_says_how_far_huse_moves() -> None:
    chart = k_sensitivity.chart(TRIED)
    assert chart.guides[0].x == (16, 16)
    assert "k = 16" in texts(chart)
    assert "exact: between 0.44 (k = 5) and 0.53 (k = 16); at k = 16, fixed beforehand, it is 0.53." in chart.alt


def test_each_tie_rule_has_a_dash_of_its_own_and_its_name_at_its_end() -> None:
    both = replace(TRIED, rows=(*TRIED.rows, *(replace(row, rule="half", huse=row.huse + 0.01) for row in TRIED.rows)))
    chart = k_sensitivity.chart(both)
    assert [curve.dash for curve in chart.curves] == ["solid", "dash"]
    assert {"exact", "half"} <= {note.text for note in chart.notes}


HUMAN = Scores("human", REFERENCE, (30, 40, 20, 10), tuple(Interval(0.05, 0.5, 0.95, "t") for _ in range(4)), 25)
MACHINE = Scores("GPT-3", MODEL, (10, 40, 35, 15), (None, None, None, None), 25)


def test_score_histograms_show_shares_of_each_source_with_intervals_where_there_are_any() -> None:
    human, machine = score_histogram.chart(LABELS, [HUMAN, MACHINE]).bars
    assert human.height == pytest.approx((0.3, 0.4, 0.2, 0.1))
    assert human.bounds == ((0.05, 0.5),) * 4
    assert machine.bounds == (None,) * 4
    assert (human.look, machine.look) == (REFERENCE, MODEL)


def test_bars_of_one_label_stand_beside_each_other() -> None:
    human, machine = score_histogram.chart(LABELS, [HUMAN, MACHINE]).bars
    for left, right in zip(human.x, machine.x, strict=True):
        assert right - left >= human.width
        assert round(left) == round(right)


def test_score_histograms_say_where_the_sources_differ_most() -> None:
    words = score_histogram.alt(LABELS, [HUMAN, MACHINE])
    assert "Most frequent for human: “Possibly human” (40% of 100 ratings by 25 raters)" in words
    assert "The largest difference of GPT-3 and human is at “Definitely human”: 10% for GPT-3, 30% for human" in words


def test_a_histogram_whose_counts_do_not_fit_its_labels_is_refused() -> None:
    with pytest.raises(DegenerateInput, match="for each label"):
        score_histogram.chart(LABELS[:3], [HUMAN])
    with pytest.raises(DegenerateInput, match="needs a source"):
        score_histogram.chart(LABELS, [])


# Clark et al. 2021: stories 62% with GPT-2, 48% with GPT-3 (method.md, K27); the intervals are made up.
ARMS = (
    Arm("GPT-2, stories", estimate(0.62, 0.58, 0.66, n=130)),
    Arm("GPT-3, stories", estimate(0.48, 0.44, 0.52, n=130)),
)


def test_accuracy_by_arm_draws_chance_and_writes_each_value_with_interval_and_n() -> None:
    chart = accuracy_by_arm.chart(ARMS)
    assert chart.guides[0].x == (0.5, 0.5)
    assert chart.points[0].x_bounds == ((0.58, 0.66), (0.44, 0.52))
    assert {"GPT-2, stories 62.0% [58.0, 66.0], n = 130", "chance 50%"} <= {note.text for note in chart.notes}
    assert chart.points[0].y == (1.0, 0.0)


def test_accuracy_by_arm_says_who_is_above_chance_with_the_whole_interval() -> None:
    words = accuracy_by_arm.alt(ARMS)
    assert words.startswith("1 of 2 arms is above chance (50%) with its whole interval: GPT-2, stories.")
    assert "Lowest: GPT-3, stories 48.0% [44.0, 52.0], n = 130 evaluators." in words
    below = accuracy_by_arm.alt((Arm("x", estimate(0.4, 0.3, 0.45)),))
    assert "Below it: x." in below


def test_groups_of_arms_differ_in_shape_as_well_as_colour() -> None:
    grouped = [replace(ARMS[0], group="none"), replace(ARMS[1], group="examples")]
    first, second = accuracy_by_arm.chart(grouped).points
    assert first.shape != second.shape
    assert first.look != second.look
    assert {"none", "examples"} <= set(texts(accuracy_by_arm.chart(grouped)))


def test_an_arm_without_a_value_keeps_its_row_and_no_value_at_all_is_refused() -> None:
    nobody = Arm("empty", estimate(None, n=0))
    chart = accuracy_by_arm.chart((*ARMS, nobody))
    assert "empty –, n = 0" in [note.text for note in chart.notes]
    assert len(chart.points[0].x) == 2
    with pytest.raises(DegenerateInput, match="an arm with a value"):
        accuracy_by_arm.chart((nobody,))


# Overall rates of two models (method.md, N14); the category, the intervals and n are made up.
RATES = (
    Rate("mixqg-large", "overall", estimate(0.70886, 0.68, 0.74, n=900)),
    Rate("mixqg-large", "disfluent", estimate(0.9, 0.85, 0.95, n=200)),
    Rate("distilgpt2", "overall", estimate(0.44899, 0.42, 0.48, n=900)),
    Rate("distilgpt2", "disfluent", estimate(None, n=0)),
)


def test_pass_rates_stand_model_beside_model_in_each_category_above_a_line_at_chance() -> None:
    chart = pass_rates.chart(RATES)
    large, small = chart.bars
    assert (large.height, small.height) == ((0.70886, 0.9), (0.44899,))
    assert (round(large.x[0]), round(small.x[0]), round(large.x[1])) == (0, 0, 1)
    assert small.x[0] - large.x[0] >= large.width
    assert large.bounds == ((0.68, 0.74), (0.85, 0.95))
    assert chart.guides[0].y == (0.5, 0.5)


def test_pass_rates_name_the_best_and_the_worst_category_of_each_model() -> None:
    words = pass_rates.chart(RATES).alt
    best = "mixqg-large passes most of disfluent (90% [85, 95], n = 200), fewest of overall (71% [68, 74], n = 900)."
    assert words == f"{best} distilgpt2 passes 45% [42, 48], n = 900 of overall. Dashed: 50%, what chance gives."
    with pytest.raises(DegenerateInput, match="a model with a rate"):
        pass_rates.chart(RATES[3:])


LEFT = Exclusions(
    "huse", estimate(0.53, 0.4, 0.66),
    (
        Specification((), 0, 0, 20, 0.53, Removal(0.53, 0.53, 0.53, 200), 1.0, 0.53),
        Specification(("fast",), 2, 50, 18, 0.49, Removal(0.54, 0.5, 0.58, 200), 0.02, 0.5),
    ),
    18, 0.0, 1.0, 0.0, "all", {}, (), "huse|n:200",
)  # fmt: skip


def test_selections_of_rules_are_drawn_from_the_lowest_value_up_with_bars_of_random_removals() -> None:
    chart = exclusion_curve.chart(LEFT)
    assert not chart.curves, "a line joins selections, which have no order of size"
    assert [points.y for points in chart.points] == [(0.49, 0.53), (0.54, 0.53)]
    assert chart.points[1].y_bounds == ((0.5, 0.58), (0.53, 0.53))
    assert "Outside the middle 95% of random removals of the same size: 1 of 1." in chart.alt


MEANS = [
    forest.ForestRow("references", Estimate(4.1, 30, Interval(3.9, 4.3, 0.95, "t"), {}, (), "m"), "reference"),
    forest.ForestRow("gpt", Estimate(3.2, 28, Interval(2.7, 3.7, 0.95, "t"), {}, (), "m"), "model"),
    forest.ForestRow("unrated", Estimate(None, 0, None, {}, (), "m"), "model"),
]


def test_estimates_stand_from_the_first_down_with_their_intervals_and_without_what_has_no_value() -> None:
    chart = forest.chart(MEANS, name="means", title="Means", x_title="mean")
    assert [(layer.look, layer.x, layer.x_bounds) for layer in chart.points] == [
        ("reference", (4.1,), ((3.9, 4.3),)),
        ("model", (3.2,), ((2.7, 3.7),)),
    ]
    assert chart.points[0].y > chart.points[1].y
    assert (
        chart.alt == "Highest: references 4.10 [3.90, 4.30], n = 30 texts. Lowest: gpt 3.20 [2.70, 3.70], n = 28 texts."
    )
    assert chart.caption == "Estimates, with 95% intervals; n counts texts."
    with pytest.raises(DegenerateInput):
        forest.chart(MEANS[2:], name="means", title="Means", x_title="mean")


BY_KIND = {
    forest: forest.chart(MEANS, name="means", title="Means", x_title="mean"),
    tradeoff: tradeoff.chart(SYSTEMS, [Region("summaries", ((0, 0), (0.6, 0.9), (0.9, 0.3)))]),
    hj_frequency: hj_frequency.chart(TYPICAL),
    huse_curves: huse_curves.charts([CURVE])[0],
    k_sensitivity: k_sensitivity.chart(TRIED),
    score_histogram: score_histogram.chart(LABELS, [HUMAN, MACHINE]),
    accuracy_by_arm: accuracy_by_arm.chart(ARMS),
    pass_rates: pass_rates.chart(RATES),
    exclusion_curve: exclusion_curve.chart(LEFT),
}
CHARTS = tuple(BY_KIND.values())


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_every_still_picture_keeps_its_marks_inside_its_frame(chart: Chart) -> None:
    root = drawn(chart)
    places = [float(value) for element in root.iter() for name, value in element.items() if name in ("x", "cx")]
    assert places
    assert all(0 <= place <= 400 for place in places)
    assert root.get("aria-label") == chart.alt


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_every_still_picture_is_drawn_with_finite_numbers_only(chart: Chart) -> None:
    paths = [element.get("d", "") for element in drawn(chart).iter(f"{SVG}path")]
    assert paths
    assert not any(word in path for path in paths for word in ("nan", "inf", "None"))
