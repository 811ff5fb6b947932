"""Means and shares over new raters or with these: the specification's hand example, slow sums, degenerate crews."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from metrics.inference.proportions import wilson
from metrics.inference.rating_means import RatedBy, mean_of_ratings, share_of_answers, share_p_value, weights_by_text

# Hand example A of specification 1.2: 4 items by 3 raters; its variances are of log odds, those of shares (2/9)^2 as
# large.
VOTES = np.array([[1, 1, 1], [1, 1, 0.5], [0, 1, 0], [1, 0.5, 0]])
TO_SHARE = (2 / 9) ** 2
ITEM = [item for item in range(4) for _ in range(3)]
RATER = [f"w{rater}" for _ in range(4) for rater in range(3)]


def by_tasks(tasks: Sequence[str | None], rater: Sequence[str] = RATER) -> RatedBy:
    return RatedBy(ITEM, list(rater), list(tasks))


@pytest.mark.parametrize(
    ("these", "variance", "t", "over"),
    [(False, 0.593395, 4.302653, "new raters"), (True, 0.468750, 3.182446, "with these raters")],
)
def test_the_win_rate_has_the_variances_of_the_hand_example(these: bool, variance: float, t: float, over: str) -> None:
    share = share_of_answers(by_tasks(["h"] * 12), VOTES.ravel(), these_raters=these)
    effective = (2 / 9) / (variance * TO_SHARE)
    assert share.value == pytest.approx(2 / 3)
    assert share.interval is not None
    assert (share.interval.low, share.interval.high) == pytest.approx(wilson(2 / 3, effective, t), abs=1e-6)
    assert over in share.interval.target


def slow_variance(parts: Sequence[float], key: Callable[[int], object]) -> float:
    sums: dict[object, float] = {}
    for at, part in enumerate(parts):
        sums[key(at)] = sums.get(key(at), 0.0) + part
    return len(sums) / (len(sums) - 1) * sum(total**2 for total in sums.values())


def dealt() -> tuple[RatedBy, list[str], np.ndarray]:
    """10 documents of 3 texts in 5 tasks of 2 documents, each by 3 of 8 people."""
    rng = np.random.default_rng(7)
    rows = [
        (f"d{document}", f"w{rater}", f"h{task}", f"d{document}.{text}")
        for task in range(5)
        for rater in rng.choice(8, 3, replace=False)
        for document in (2 * task, 2 * task + 1)
        for text in range(3)
    ]
    item, rater, task, text = (list(column) for column in zip(*rows, strict=True))
    return RatedBy(item, rater, task), text, rng.integers(1, 6, len(rows)).astype(float)


def test_with_these_raters_the_texts_of_a_task_belong_together() -> None:
    by, text, value = dealt()
    estimate = mean_of_ratings(by, value, weight=weights_by_text(text), these_raters=True)
    means = {name: np.mean(value[[each == name for each in text]]) for name in text}
    mean = float(np.mean(list(means.values())))
    parts = [(each - mean) / (len(means) * text.count(name)) for each, name in zip(value, text, strict=True)]
    item, task = (slow_variance(parts, lambda at, names=names: names[at]) for names in (by.item, by.task))
    both = slow_variance(parts, lambda at: (by.item[at], by.task[at]))
    assert estimate.value == pytest.approx(mean)
    assert estimate.settings["se"] ** 2 == pytest.approx(item + task - both)
    assert (estimate.settings["df"], estimate.settings["tasks"], estimate.settings["target"]) == (4, 5, "items")
    assert estimate.interval is not None
    assert "with these raters" in estimate.interval.target
    assert "new raters" not in estimate.interval.target


@pytest.mark.parametrize("tasks", [["h1"] * 6 + ["h2"] * 6, [None] * 12])
def test_where_the_same_people_did_every_task_only_items_are_drawn(tasks: list[str | None]) -> None:
    estimate = mean_of_ratings(by_tasks(tasks), VOTES.ravel(), these_raters=True)
    assert estimate.settings["se"] ** 2 == pytest.approx(0.468750 * TO_SHARE, abs=1e-7)
    assert estimate.settings["df"] == 3
    assert "raters_unknown" not in estimate.flags


def test_a_share_of_all_or_of_one_item_has_the_interval_that_it_can_have() -> None:
    everything = share_of_answers(by_tasks(["h"] * 12), [1] * 12)
    assert everything.interval is not None
    assert (everything.interval.low, everything.interval.high) == pytest.approx(wilson(1, 12, 4.302653))
    # 49 times 1 / 49 is not 1.
    rounded = share_of_answers(RatedBy([*range(49)], ["w1", *["w2"] * 48], [None] * 49), [1] * 49)
    assert rounded.value == 1.0
    assert rounded.interval is not None
    assert (rounded.interval.low, rounded.interval.high) == pytest.approx(wilson(1, 49, 12.706205))
    assert share_of_answers(RatedBy([0, 0], ["w1", "w2"], ["h", "h"]), [1, 0]).interval is None


def test_without_raters_the_interval_is_for_these() -> None:
    share = share_of_answers(RatedBy(ITEM, [None] * 12, [None] * 12), VOTES.ravel())
    assert share.interval is not None
    assert "with these raters" in share.interval.target
    assert "raters_unknown" in share.flags


@pytest.mark.parametrize("weight", [None, weights_by_text([*range(11), 10])])
def test_the_p_value_of_a_share_is_5_percent_at_the_ends_of_its_95_percent_interval(weight: np.ndarray | None) -> None:
    by, held = RatedBy([*range(11), 10], RATER, ["h"] * 12), VOTES.ravel() > 0.7
    interval = share_of_answers(by, held, weight=weight).interval
    assert interval is not None
    for end in (interval.low, interval.high):
        assert share_p_value(by, held, end, weight=weight) == pytest.approx(0.05, abs=1e-9)
    assert share_p_value(RatedBy([0, 0], ["w1", "w2"], ["h", "h"]), [1, 0], 0.5) is None


def test_two_raters_who_disagree_leave_a_share_within_0_and_1() -> None:
    share = share_of_answers(RatedBy([0, 1] * 2, ["w1", "w1", "w2", "w2"], ["h"] * 4), [1, 1, 0, 0])
    assert share.value == 0.5
    assert share.interval is not None
    assert 0 <= share.interval.low < 0.1 < 0.9 < share.interval.high <= 1
