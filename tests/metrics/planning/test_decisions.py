"""Plans for a decision, against textbook formulas and against studies made without the planner."""

from __future__ import annotations

import math

import numpy as np
import pytest

from metrics.errors import BadInput, InsufficientData
from metrics.huse.subsampling import huse_arrays
from metrics.inference.power import t_power
from metrics.planning import expected_precision, fit_pilot, prior_pilot
from metrics.planning.decisions import Assumed, Decision, contexts_needed, detectable
from metrics.planning.rating_power import RatingSpreads, detectable_rating_difference, fit_spreads, rating_power
from metrics.planning.study_size import StudySize
from tests.benchmarks.worlds import World

PRIOR = "huse-2019-summarization"


def test_with_many_people_the_power_of_ratings_is_that_of_the_paired_t_test_of_contexts():
    """sd of a context's difference: sqrt(2 (.8^2 + 1.2^2 / 10))."""
    size, spreads = StudySize(100, 10, per_hit=6), RatingSpreads(text=0.8, slope=0, severity=0.5, noise=1.2)
    sd = math.sqrt(2 * (0.8**2 + 1.2**2 / 10))
    assert size.people == 500
    assert rating_power(size, spreads, 0.44) == pytest.approx(t_power(0.44 / sd, 100, design="one_sample"), abs=0.02)


def test_few_people_who_lean_limit_what_more_contexts_can_show():
    spreads = RatingSpreads(text=0.5, slope=0.5, severity=0.5, noise=1.0)
    few, many = (detectable_rating_difference(StudySize(100, 10, tasks=tasks), spreads) for tasks in (12, 1))
    assert few > 1.5 * many


def test_a_task_of_one_source_costs_power_where_people_differ_in_severity():
    spreads = RatingSpreads(text=0.5, slope=0, severity=0.6, noise=1.0)
    mixed, separate = (rating_power(StudySize(100, 10, mixed=mixed), spreads, 0.3) for mixed in (True, False))
    assert separate < mixed - 0.1


def test_spreads_are_recovered_from_ratings_of_three_sources():
    rng, shape = np.random.default_rng(4), (200, 3, 30)
    c, g, r = (each.ravel() for each in np.mgrid[: shape[0], : shape[1], : shape[2]])
    parts = rng.normal(size=200)[c] * 0.9 + rng.normal(size=shape[:2])[c, g] * 0.7 + rng.normal(size=30)[r] * 0.5
    value = parts + rng.normal(size=(30, 3))[r, g] * 0.4 + rng.normal(size=len(c)) * 1.1 - 0.5 * g
    spreads = fit_spreads(c, r, g, value)
    expected = pytest.approx([0.7, 0.4, 0.5, 1.1], abs=0.08)
    assert [spreads.text, spreads.slope, spreads.severity, spreads.noise] == expected


def test_the_difference_of_huse_q_that_a_size_was_planned_for_is_what_it_can_show():
    assumed, decision = Assumed(prior_pilot(PRIOR), None, 200), Decision("huse_q", 0.2, 0.8)
    size = contexts_needed(decision, assumed, StudySize(20, 10))
    assert detectable(decision, assumed, size) == pytest.approx(0.2, abs=0.03)


def test_more_power_and_more_comparisons_need_more_contexts():
    assumed = Assumed(spreads=RatingSpreads(0.8, 0.1, 0.5, 1.2))
    plain, surer, family = (
        contexts_needed(decision, assumed, StudySize(20, 10)).contexts
        for decision in (
            Decision("ratings", 0.4),
            Decision("ratings", 0.4, 0.9),
            Decision("ratings", 0.4, comparisons=3),
        )
    )
    assert plain < surer
    assert plain < family


def test_what_cannot_be_reached_has_no_plan():
    assumed = Assumed(spreads=RatingSpreads(0.8, 0.1, 0.5, 1.2))
    assert contexts_needed(Decision("ratings", 0.01), assumed, StudySize(20, 3)) is None


@pytest.mark.parametrize(
    ("decision", "rule"),
    [
        (Decision("ratings"), "difference to find"),
        (Decision("huse_q", -0.1), "difference to find"),
        (Decision("ratings", 0.1, 0.01), "power lies between"),
        (Decision("ratings", 0.1, comparisons=0), "at least 1 comparison"),
        (Decision("huse_q", 1.5), "can fall by"),
    ],
)
def test_a_decision_that_is_none_is_refused(decision, rule):
    with pytest.raises(BadInput, match=rule):
        contexts_needed(decision, Assumed(prior_pilot(PRIOR), RatingSpreads(1, 0, 0, 1), 20), StudySize(20, 5))


def test_a_pilot_too_small_for_spreads_is_refused():
    with pytest.raises(InsufficientData, match="5 contexts by 3 raters"):
        fit_spreads([1, 1, 2, 2], ["a", "b", "a", "b"], ["x", "y", "x", "y"], [1, 2, 3, 4])


@pytest.mark.parametrize(("world", "truth"), [(World(sep=0.5), 0.846), (World(), 0.643)], ids=["high", "middle"])
def test_pilots_of_30_pairs_expect_what_larger_studies_show(world, truth):
    """Means of 10,000 studies of 100 pairs (docs/validity.md). Pilots' own texts, smoothed, gave .08 and .04 less."""
    rng = np.random.default_rng(8)
    small = World(world.sep, pairs=30)
    expected = []
    for seed in range(60):
        made = small.study(rng)
        pilot = fit_pilot(made.rated, made.q - 10, made.z, made.context)
        expected.append(expected_precision(pilot, texts=200, raters=20, per_hit=1, studies=5, seed=seed).mean["huse"])
    assert np.mean(expected) == pytest.approx(truth, abs=0.03)


def test_log_p_above_0_of_a_simulated_text_is_not_cut_off():
    """Cut at 0, half of the texts would be ties, and the sources hard to tell apart."""
    made = World(sep=3, q_sep=2.5).study(np.random.default_rng(3))
    expected = [
        expected_precision(fit_pilot(made.rated, made.q - by, made.z, made.context), texts=200, raters=20, studies=20)
        for by in (0, 50)
    ]
    assert expected[0].mean["huse"] == pytest.approx(expected[1].mean["huse"], abs=0.02)
    assert huse_arrays(made.sums, made.q, made.z)[0] < 0.2
