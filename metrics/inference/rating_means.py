"""Means and shares of ratings over new raters as well, or with these raters alone.

The influence of a rating is psi = w (y - mean), w its weight in the mean. Over new items and new raters the variance is
that of `metrics.inference.rating_differences`: V_item + V_rater - V_cell, or the larger one-way variance where that is
larger. With these raters a task is drawn beside its items: which of these people do a task decides about all of its
texts. So the variance is V_item + V_task - V_both, a "both" being the ratings of one item in one task, with one degree
of freedom less than the fewer of items and tasks (Cameron, Gelbach and Miller 2011, section 2.2: two-way clustering).
Where the same people did every task, and where tasks are not known, nothing depends on them, and V_item is left.

The interval of a share is Wilson's with the answers that its variance stands for (`metrics.inference.proportions`).
What both hold in studies by tasks: docs/validity.md, "Task types". Before, texts counted as independent, and intervals
that said .95 held .915 to .93 there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.arrays import Floats
from metrics.data.ratings import Names, encode_names
from metrics.inference.cluster_variances import ITEMS_UNKNOWN, RATERS_UNKNOWN, SINGLE_CLUSTER, TARGETS
from metrics.inference.distributions import t_quantile, t_two_sided
from metrics.inference.proportions import WILSON, wilson
from metrics.inference.rating_differences import mean_rating
from metrics.types import Estimate, Interval, Setting


@dataclass(frozen=True, slots=True)
class RatedBy:
    """Who rated what, by rating. item: (N,) the context of the text, or what else belongs together. rater, task: (N,),
    None where it is not known."""

    item: Names
    rater: Names
    task: Names

    def __len__(self) -> int:
        return len(self.item)


def mean_of_ratings(
    by: RatedBy, value: ArrayLike, *, weight: Floats | None = None, these_raters: bool = False, level: float = 0.95
) -> Estimate:
    """Estimate the mean of ratings with its interval.

    Args:
        by: who rated what; N ratings.
        value: (N,) finite ratings.
        weight: (N,) of each rating in the mean, adding to 1; None: each item counts alike, and each rating in it.
        these_raters: the interval is for new items with these raters; else for new raters as well, where all are known.
        level: of the interval, in (0, 1).

    Returns:
        The mean; settings as those of `metrics.inference.rating_differences.rating_difference`, and with tasks `tasks`
        and `v_task` in place of `raters` and `v_rater`.

    Raises:
        InsufficientData: without a rating. BadInput: columns that break a rule.

    Source:
        Cameron, Gelbach and Miller (2011), section 2.2; docs/validity.md.

    Example:
        >>> from metrics.inference.rating_means import RatedBy, mean_of_ratings
        >>> by = RatedBy([0, 0, 1, 1, 2, 2], ["w1", "w2"] * 3, ["h1", "h1", "h2", "h2", "h3", "h3"])
        >>> mean_of_ratings(by, [1, 2, 3, 4, 4, 4]).value
        3.0
    """
    if not these_raters:
        return mean_rating(by.item, by.rater, value, weight=weight, level=level)
    if not _tasks_differ(by):
        estimate = mean_rating(by.item, [None] * len(by), value, weight=weight, level=level)
        return replace(estimate, flags=tuple(flag for flag in estimate.flags if flag != RATERS_UNKNOWN))
    estimate = mean_rating(by.item, by.task, value, weight=weight, variance="two-way", level=level)
    names = {"raters": "tasks", "v_rater": "v_task"}
    settings = {names.get(name, name): held for name, held in estimate.settings.items()} | {"target": "items"}
    signature = estimate.signature.replace("raters:", "tasks:").replace("target:items_and_raters", "target:items")
    interval = estimate.interval and replace(
        estimate.interval,
        method=estimate.interval.method.replace("items and raters", "items and tasks"),
        target=f"mean rating {TARGETS['items'].removeprefix('value ')}",
    )
    return replace(estimate, settings=settings, interval=interval, signature=signature)


def share_of_answers(
    by: RatedBy, held: ArrayLike, *, weight: Floats | None = None, these_raters: bool = False, level: float = 0.95
) -> Estimate:
    """Estimate the share of answers that are so, with its interval, whose limits lie in [0, 1].

    by: who answered about what; N answers. held: (N,) in [0, 1], such as 1, 0, and .5 for a tie. weight: (N,) of each
    answer, adding to 1; None: each counts alike. these_raters, level: as in `mean_of_ratings`. Raises InsufficientData
    without an answer, BadInput.

    >>> share_of_answers(RatedBy([0, 0, 1, 1], ["w1", "w2"] * 2, ["h"] * 4), [1, 1, 1, 0]).value
    0.75
    """
    parts = np.asarray(held, dtype=float)
    estimate = _mean_of_answers(by, parts, weight, these_raters=these_raters, level=level)
    share, signature = _share(parts, weight), estimate.signature.replace("rating_mean", "share_of_answers")
    estimate = replace(estimate, value=share, interval=None, signature=signature)
    if {SINGLE_CLUSTER, ITEMS_UNKNOWN} & set(estimate.flags):
        return estimate
    effective, df = _effective_answers(estimate, parts, share)
    low, high = wilson(share, effective, t_quantile((1 + level) / 2, df))
    drawn = _drawn(estimate.settings)
    target = f"expected share {TARGETS['items and raters' if 'raters' in drawn else 'items'].removeprefix('value ')}"
    return replace(estimate, interval=Interval(low, high, level, f"{WILSON}, for new {' and '.join(drawn)}", target))


def share_p_value(
    by: RatedBy, held: ArrayLike, chance: float, *, weight: Floats | None = None, these_raters: bool = False
) -> float | None:
    """Test whether the expected share of answers is `chance`, in (0, 1), by the score test that the interval of
    `share_of_answers` inverts: below .05 where a 95% interval lies beside `chance`.

    by, held, weight, these_raters: as there. Returns the two-sided p; None where there is no interval.

    >>> round(share_p_value(RatedBy([0, 0, 1, 1], ["w1", "w2"] * 2, ["h"] * 4), [1, 1, 1, 0], 0.5), 2)
    0.55
    """
    parts = np.asarray(held, dtype=float)
    estimate = _mean_of_answers(by, parts, weight, these_raters=these_raters, level=0.95)
    if {SINGLE_CLUSTER, ITEMS_UNKNOWN} & set(estimate.flags):
        return None
    share = _share(parts, weight)
    effective, df = _effective_answers(estimate, parts, share)
    return t_two_sided((share - chance) / np.sqrt(chance * (1 - chance) / effective), df)


def _mean_of_answers(
    by: RatedBy, parts: Floats, weight: Floats | None, *, these_raters: bool, level: float
) -> Estimate:
    alike = np.full(len(by), 1 / max(1, len(by)))
    weights = alike if weight is None else weight
    return mean_of_ratings(by, parts, weight=weights, these_raters=these_raters, level=level)


def _share(parts: Floats, weight: Floats | None) -> float:
    """Exact where all count alike, where the sum of the products with the weights can pass 1 by a rounding."""
    share = parts.sum() / len(parts) if weight is None else weight @ parts
    return float(np.clip(share, 0, 1))


def _effective_answers(estimate: Estimate, parts: Floats, share: float) -> tuple[float, float]:
    """Independent answers that the variance of the share stands for, and degrees of freedom."""
    settings = estimate.settings
    fewest = min(_number(settings[name]) for name in _drawn(settings))
    error, df = _number(settings.get("se")), _number(settings.get("df")) or fewest - 1
    # Where nothing varies, each answer counts as one.
    effective = share * (1 - share) / error**2 if error and np.ptp(parts) else float(len(parts))
    return max(effective, float(np.finfo(float).tiny)), df


def weights_by_text(text: Names) -> Floats:
    """(N,) weights that add to 1, in which each text counts alike, and each rating of it."""
    code, names = encode_names(text)
    counts = np.bincount(code, minlength=len(names))
    return np.asarray(1 / (len(names) * counts[code]))


def _tasks_differ(by: RatedBy) -> bool:
    """Whether all tasks are known, and not all were done by the same people."""
    people: dict[object, set[object]] = {}
    for task, rater in zip(by.task, by.rater, strict=True):
        if task is None or rater is None:
            return False
        people.setdefault(task, set()).add(rater)
    crews = list(people.values())
    return any(crew != crews[0] for crew in crews)


def _drawn(settings: Mapping[str, Setting]) -> Sequence[str]:
    """What a new study would draw anew, by the names of the settings that count it."""
    if "tasks" in settings:
        return ("items", "tasks")
    return ("items", "raters") if settings["target"] == "items and raters" else ("items",)


def _number(setting: Setting | None) -> float:
    return float(setting or 0)
