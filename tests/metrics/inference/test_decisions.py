"""The worlds that verdicts are tried in are what they say, and a few studies of them come out as the tables do."""

from __future__ import annotations

import numpy as np
import pytest

from tests.benchmarks.simulation_studies import decision_studies
from tests.benchmarks.simulation_studies.decision_worlds import DEVELOPED_IN, WORLDS


@pytest.mark.parametrize("name", WORLDS)
def test_nobody_rates_a_text_twice_and_every_text_has_its_ratings(name: str) -> None:
    world = WORLDS[name]
    context, rater, of_b, rating = world.study(np.random.default_rng(1), 0.3)
    assert len({*zip(context.tolist(), rater.tolist(), of_b.tolist(), strict=True)}) == len(rating)
    for side, texts in ((~of_b, world.contexts), (of_b, world.of_b)):
        assert np.bincount(context[side]).tolist() == [world.ratings[int(of_b[side][0])]] * texts
    if world.crowd == "two crowds":
        assert not {*rater[of_b]} & {*rater[~of_b]}


def test_the_worlds_of_the_tables_are_not_those_of_the_rule() -> None:
    assert len(WORLDS) == 8
    assert not {*WORLDS.values()} & {*DEVELOPED_IN.values()}


def test_the_true_difference_is_that_of_many_studies() -> None:
    world = WORLDS["80 contexts x 6, pool of 25"]
    rng = np.random.default_rng(2)
    differences = []
    for _ in range(80):
        _, _, of_b, rating = world.study(rng, 0.8)
        differences.append(rating[~of_b].mean() - rating[of_b].mean())
    error = np.std(differences, ddof=1) / len(differences) ** 0.5
    assert abs(np.mean(differences) - world.true_difference(0.8, 200_000)) < 4 * error


def test_intervals_of_a_few_studies_hold_no_difference_where_there_is_none() -> None:
    """Of 60 studies fewer than 51 hold it with a chance below 1 in 500 where 95 % do."""
    ends = decision_studies.covered(WORLDS["two crowds of 16 and 8"], 0.0, 60, (4,))["intervals"][:, 1]
    assert ((ends[:, 0] <= 0) & (ends[:, 1] >= 0)).sum() >= 51
