"""Verdicts: six outcomes, by rules that the tests state again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metrics.errors import BadInput
from metrics.inference.equivalence import Margin
from metrics.inference.rank_sets import rank_sets, separated, significance_groups
from metrics.inference.rating_differences import RatingDifference, rating_difference
from metrics.inference.verdicts import OUTCOMES, decide, not_comparable
from metrics.types import Interval

MARGIN = Margin(-0.5, 0.5, "the plan")


def compared(difference: float, *, sd: float = 1.0, contexts: int = 40, raters: int = 10, name: str = "b"):
    """A less `name`, whose mean difference is exactly that."""
    rng = np.random.default_rng(11)
    noise = rng.normal(0, sd, (contexts, raters))
    noise -= noise.mean()
    item, rater = (axis.ravel() for axis in np.indices(noise.shape))
    value = np.concatenate((difference + noise.ravel(), np.zeros(noise.size)))
    source = np.repeat(["a", name], noise.size)
    return rating_difference(np.tile(item, 2), np.tile(rater, 2), source, value, ("a", name))


def outcome(found: RatingDifference, margin: Margin | None = None) -> str:
    return decide([found], family="pairs", margin=margin)[0].outcome


def test_each_outcome_has_a_study_that_calls_for_it() -> None:
    calls = {
        "better": outcome(compared(1.0), MARGIN),
        "worse": outcome(compared(-1.0), MARGIN),
        "equivalent": outcome(compared(0.05), MARGIN),
        "undecided": outcome(compared(0.05, sd=5), MARGIN),
        "too small": outcome(compared(1.0, contexts=4), MARGIN),
        "not comparable": not_comparable("a", "b", "no context is shared").outcome,
    }
    assert calls == {name: name for name in OUTCOMES}


def test_without_a_margin_nothing_is_equivalent() -> None:
    assert outcome(compared(0.001)) == "undecided"
    assert outcome(compared(0.3, sd=0.3)) == "better"


def test_equivalent_is_what_two_one_sided_tests_show() -> None:
    """The margin holds the interval at 90%, and a difference within it goes before better."""
    found = compared(0.3, sd=0.3)
    verdict = decide([found], family="pairs", margin=MARGIN)[0]
    assert verdict.outcome == "equivalent"
    assert verdict.narrow.level == pytest.approx(0.9)
    assert verdict.narrow.low > -0.5
    assert verdict.narrow.high < 0.5
    edge = found.difference.value + found.interval(0.9).high - found.difference.value
    assert outcome(found, Margin(-edge * 1.0001, edge * 1.0001, "the plan")) == "equivalent"
    assert outcome(found, Margin(-edge * 0.9999, edge * 0.9999, "the plan")) == "better"


def test_few_raters_are_too_few_only_where_raters_are_drawn_again() -> None:
    assert outcome(compared(1.0, raters=4)) == "too small"
    few = compared(1.0, raters=4)
    assert outcome(replace(few, raters=None)) == "better"


def test_p_values_are_holms_over_the_family() -> None:
    differences = [compared(value, sd=2.5, name=name) for value, name in ((0.30, "b"), (0.2, "c"), (0.01, "d"))]
    verdicts = decide(differences, family="pairs")
    raw = [found.p for found in differences]
    assert raw == sorted(raw)
    expected = [3 * raw[0], max(3 * raw[0], 2 * raw[1]), max(3 * raw[0], 2 * raw[1], raw[2])]
    assert [verdict.adjusted_p for verdict in verdicts] == pytest.approx([min(1, p) for p in expected])
    assert {verdict.tests for verdict in verdicts} == {3}


def test_a_margin_that_does_not_hold_no_difference_is_refused() -> None:
    with pytest.raises(BadInput, match="holds 0"):
        decide([compared(1.0)], family="pairs", margin=Margin(0.1, 0.5, "the plan"))


def test_marginal_ranks_are_those_of_the_specification() -> None:
    spans = {"A": (0.5, 0.9), "B": (0.3, 0.6), "C": (-0.2, 0.2), "D": (-1, -0.5)}
    intervals = {name: Interval(low, high, 0.95, "t") for name, (low, high) in spans.items()}
    assert rank_sets("ABCD", separated(intervals)) == {"A": (1, 2), "B": (1, 2), "C": (3, 3), "D": (4, 4)}


def test_a_line_needs_every_system_above_to_beat_every_system_below() -> None:
    """A beats C and D, B beats D alone: comparing neighbours would draw none, comparing A with C one too many."""
    better = {("A", "C"), ("A", "D"), ("B", "D"), ("C", "D")}
    assert significance_groups("ABCD", better) == {"A": 1, "B": 1, "C": 1, "D": 2}
    assert rank_sets("ABCD", better) == {"A": (1, 2), "B": (1, 3), "C": (2, 3), "D": (4, 4)}
