"""The area under the ROC curve and its interval over new texts."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from metrics.errors import InsufficientData
from metrics.text_scores.roc import METHOD, UNPAIRED, auc_estimate


def test_the_variance_is_that_of_the_placements() -> None:
    """By hand: of 3 x 3 pairs 8 are right; placements 2/3, 1, 1 of the higher side and 1, 1, 2/3 of the lower one."""
    found = auc_estimate([1.0, 2.0, 4.0], [3.0, 5.0, 6.0])
    assert found.value == pytest.approx(8 / 9)
    placed = np.array([1, 1, 2 / 3])
    sd = math.sqrt(2 * placed.var(ddof=1) / 3)
    middle, half = math.log(8), 1.959964 * sd / (8 / 81)
    ends = [1 / (1 + math.exp(-(middle + side * half))) for side in (-1, 1)]
    assert [found.interval.low, found.interval.high] == pytest.approx(ends, abs=1e-6)
    assert found.interval.method == METHOD


def test_sources_that_are_fully_apart_have_an_interval_all_the_same() -> None:
    found = auc_estimate([0.1] * 5, [0.9] * 5)
    assert (found.value, found.interval.high, found.interval.method) == (1.0, 1.0, UNPAIRED)
    area, more = found.interval.low, 4
    spread = area * (1 - area) * (1 + more * (1 - area) / (2 - area) + more * area / (1 + area)) / 25
    assert 1 - area == pytest.approx(1.959964 * math.sqrt(spread), abs=1e-6)  # the score equation at its root
    other = auc_estimate([0.9] * 5, [0.1] * 5)
    assert (other.interval.low, other.interval.high) == pytest.approx((0, 1 - area), abs=1e-9)


def test_texts_of_one_context_are_taken_together() -> None:
    rng = np.random.default_rng(3)
    shared = rng.normal(size=40)
    low, high = shared + rng.normal(0, 0.4, 40), shared + 0.5 + rng.normal(0, 0.4, 40)
    names = [str(at) for at in range(40)]
    apart, paired = (auc_estimate(low, high, contexts=contexts).interval for contexts in (None, (names, names)))
    assert paired.high - paired.low < 0.8 * (apart.high - apart.low)
    missing = auc_estimate(low, high, contexts=([None, *names[1:]], names)).interval
    assert (missing.low, missing.high) == (apart.low, apart.high)


def test_one_text_has_no_interval_and_none_has_no_area() -> None:
    assert auc_estimate([0.1], [0.5, 0.9]).flags == ("too_few_for_interval",)
    with pytest.raises(InsufficientData):
        auc_estimate([], [0.5])


@pytest.mark.parametrize(("area", "texts"), [(0.6, 10), (0.85, 30), (0.97, 10), (0.97, 100)])
@pytest.mark.parametrize("shared", [0.0, 0.7])
def test_intervals_hold_the_area_about_as_often_as_they_say(area: float, texts: int, shared: float) -> None:
    """Normal scores, a part of which the texts of one context share; 300 studies each."""
    rng = np.random.default_rng(5)
    apart, names, held = NormalDist().inv_cdf(area) * math.sqrt(2), [str(at) for at in range(texts)], 0
    for _ in range(300):
        context = rng.normal(size=texts) * math.sqrt(shared)
        low = context + rng.normal(size=texts) * math.sqrt(1 - shared)
        high = apart + context + rng.normal(size=texts) * math.sqrt(1 - shared)
        span = auc_estimate(low, high, contexts=(names, names)).interval
        held += span.low <= area <= span.high
    assert 0.89 <= held / 300 <= 1
