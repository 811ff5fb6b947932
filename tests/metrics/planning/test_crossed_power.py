"""Power of crossed designs: size without an effect, and the closed form where there is one."""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest

from metrics.errors import BadInput
from metrics.inference.power import t_power
from metrics.planning import CrossedDesign, Spreads, crossed_power
from metrics.planning.crossed import HIGH_VARIANCE, LOW_VARIANCE

NOISE_ONLY = Spreads(0, 0, 0, 0, 1)


@pytest.mark.parametrize("layout", ["within", "between"])
@pytest.mark.parametrize("spreads", [HIGH_VARIANCE, LOW_VARIANCE])
def test_without_an_effect_about_five_in_a_hundred_studies_find_one(layout, spreads):
    found = crossed_power(CrossedDesign(60, 40, 10, layout), spreads, 0.0, studies=2000)
    assert 0.02 <= found.power <= 0.07


def test_spread_of_the_effect_is_the_sum_of_its_parts():
    """Var = slope^2/items + slope^2/raters + 2 noise^2/ratings for a balanced design within raters and items."""
    design = CrossedDesign(items=100, raters=20, raters_per_item=4)
    s = HIGH_VARIANCE
    variance = s.item_slope**2 / 100 + s.rater_slope**2 / 20 + 2 * s.noise**2 / 400
    found = crossed_power(design, s, 0.1, studies=4000)
    assert found.sd == pytest.approx(math.sqrt(variance), rel=0.05)
    assert found.mean == pytest.approx(0.1, abs=0.005)


def test_power_is_near_the_normal_one_where_clusters_are_many():
    design, s = CrossedDesign(400, 200, 3), LOW_VARIANCE
    sd = math.sqrt(s.item_slope**2 / 400 + s.rater_slope**2 / 200 + 2 * s.noise**2 / 1200)
    normal = NormalDist()
    expected = 1 - normal.cdf(1.96 - 0.03 / sd)
    assert crossed_power(design, s, 0.03, studies=2000).power == pytest.approx(expected, abs=0.04)


def test_arms_without_item_spread_have_about_the_power_of_a_t_test_on_evaluators():
    """35 evaluators an arm, 5 ratings each: the mean of 5 noises of sd 1 has sd 1/sqrt(5)."""
    effect = 0.8 / math.sqrt(5)
    found = crossed_power(CrossedDesign(175, 35, 1, "between"), NOISE_ONLY, effect, studies=3000)
    assert found.power == pytest.approx(t_power(0.8, 35), abs=0.06)


def test_raters_who_differ_in_the_effect_cost_power_that_items_do_not_buy_back():
    few = crossed_power(CrossedDesign(100, 10, 5), HIGH_VARIANCE, 0.1, studies=1000)
    more_items = crossed_power(CrossedDesign(400, 10, 5), HIGH_VARIANCE, 0.1, studies=1000)
    more_raters = crossed_power(CrossedDesign(100, 40, 5), HIGH_VARIANCE, 0.1, studies=1000)
    assert more_raters.power > more_items.power + 0.1 > few.power


@pytest.mark.parametrize(
    "design", [CrossedDesign(1, 5, 2), CrossedDesign(5, 1, 1), CrossedDesign(5, 5, 6), CrossedDesign(5, 5, 0)]
)
def test_a_design_that_cannot_be_run_is_refused(design):
    with pytest.raises(BadInput):
        crossed_power(design, HIGH_VARIANCE, 0.1)
