"""What is resampled depends on neither the raters' names nor the order of the rows."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from metrics import krippendorff_alpha, mixed_model
from metrics.agreement.krippendorff_intervals import Resampled
from metrics.data.ratings import in_content_order, lay_out

ITEMS, RATERS = 12, 7


def rows(seed: int) -> list[tuple[str, str, float]]:
    """The same ratings each time, under other names of raters and in another order."""
    draw, values = Random(seed), np.random.default_rng(3).integers(1, 6, (ITEMS, RATERS))
    names = draw.sample([f"p{at}" for at in range(1000)], RATERS)
    made = [(f"t{item}", names[rater], float(values[item, rater])) for item in range(ITEMS) for rater in range(RATERS)]
    return draw.sample(made, len(made))


def columns(seed: int) -> tuple[tuple[str, ...], tuple[str, ...], tuple[float, ...]]:
    item, rater, value = zip(*rows(seed), strict=True)
    return item, rater, value


@pytest.mark.parametrize("resampled", ["items", "raters", "both"])
@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_an_interval_of_alpha_is_the_same_under_other_names(resampled: Resampled, level: str) -> None:
    first, second = (krippendorff_alpha(*columns(seed), level, draws=200, resampled=resampled) for seed in (1, 2))  # type: ignore[arg-type]
    assert first.interval is not None
    assert first == second


def test_an_interval_of_the_cluster_bootstrap_is_the_same_under_other_names() -> None:
    models = []
    for seed in (1, 2):
        item, rater, value = columns(seed)
        late = [float(name in {"t9", "t10", "t11"}) for name in item]
        models.append(mixed_model(value, item, rater, {"late": late}, draws=200, smallest=ITEMS + 1))
    assert "few_items" in models[0].flags
    ends = [[(each.interval.low, each.interval.high) for each in m.effects.values() if each.interval] for m in models]
    assert len(ends[0]) == 2
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-9)


def test_the_ordered_ratings_are_the_same_ratings() -> None:
    item, rater, value = columns(1)
    ratings = lay_out(item, rater, value)
    ordered, order = in_content_order(ratings)
    whose = {
        (ordered.items[i], ordered.raters[r], v)
        for i, r, v in zip(ordered.item, ordered.rater, ordered.value, strict=True)
    }
    assert whose == set(rows(1))
    assert list(ordered.items) == sorted(set(item))
    assert (ratings.value[order] == ordered.value).all()


def test_items_of_several_types_have_an_order() -> None:
    ordered, _ = in_content_order(lay_out(["a", 2, "a", 2], ["x", "x", "y", "y"], [1, 2, 3, 4]))
    assert ordered.items == ("a", 2)
