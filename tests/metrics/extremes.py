"""Arguments of named extremes: nothing, one of a kind, all alike, not a number."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

from metrics import EvaluatorJudgment, Item, Rating
from metrics.inference.equivalence import Margin
from tests.metrics.fuzzing import (
    Args,
)

EMPTY_COLUMNS: Args = ([], [], [])
COLUMN_EXTREMES: dict[str, Args] = {
    "empty": EMPTY_COLUMNS,
    "one rating": (["a"], ["w"], [1]),
    "one item": (["a"] * 4, list("wxyz"), [1, 2, 3, 3]),
    "one rater": (list("abcd"), ["w"] * 4, [1, 2, 3, 3]),
    "all equal": (list("aabb"), list("wxwx"), [2, 2, 2, 2]),
    "each item agreed on": (list("aabb"), list("wxwx"), [1, 1, 2, 2]),
    "not a number": (list("aabb"), list("wxwx"), [1, 2, math.nan, 2]),
}


def flat(hj: int | None, log_prob: float | None, size: int = 20) -> list[Item]:
    value = None if hj is None else Fraction(hj)
    return [Item(f"t{i}", "reference" if i % 2 else "model", value, log_prob, 1, f"c{i // 2}") for i in range(size)]


def item_extremes(*more: Any) -> dict[str, Args]:
    one_source = [replace(item, source="model") for item in flat(2, -1.0)]
    return {
        "empty": ([], *more),
        "one item": (flat(2, -1.0, 1), *more),
        "all equal": (flat(2, -1.0), *more),
        "one source": (one_source, *more),
        "no probability anywhere": (flat(2, -math.inf), *more),
        "no log p": (flat(2, None), *more),
        "no judgment": (flat(None, -1.0), *more),
    }


def rated_extremes() -> dict[str, Args]:
    ratings = [Rating(item.id, "w", Fraction(2)) for item in flat(2, -1.0)]
    two = [replace(item, ratings=1) for item in flat(2, -1.0)]
    return {"empty": ([], []), "no ratings": (flat(2, -1.0), []), "one rater, all equal": (two, ratings)}


def one_judge(count: int, rating: int = 4) -> list[EvaluatorJudgment]:
    return [EvaluatorJudgment("w", f"i{i}", "machine", rating, {"arm": "a"}) for i in range(count)]


JUDGMENT_EXTREMES: dict[str, Args] = {
    "empty": ([],),
    "one judgment": (one_judge(1),),
    "one rater, all right": (one_judge(6),),
    "one rater, all wrong": (one_judge(6, 1),),
    "one item": ([EvaluatorJudgment(f"w{r}", "i", "human", 1, {"arm": "ab"[r % 2]}) for r in range(4)],),
    "rating 5": (one_judge(2, 5),),
}
SAMPLES: dict[str, Args] = {
    "empty": ([],),
    "one value": ([0.5],),
    "all equal": ([0.5] * 4,),
    "not a number": ([0.5, math.nan],),
    "without end": ([0.5, math.inf],),
    "very large": ([1e308, -1e308],),
    "very small": ([1e-320, 2e-320, 0.0],),
}
TWO_SAMPLES = {name: (*args, [0.4, 0.6]) for name, args in SAMPLES.items()}
GROUP_EXTREMES = {name: ({"a": args[0], "b": [0.4, 0.6]},) for name, args in SAMPLES.items()} | {"none": ({},)}
BY = ("arm",)
MARGIN = Margin(-0.1, 0.1, "plan")
