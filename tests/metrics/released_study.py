"""The 4,000 ratings of the released summarisation study by column, and HUSE with other judgments or fewer of them."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from scipy import stats

from metrics import Item, evaluate
from tests.metrics.factories import batch_items, batch_ratings


@dataclass(frozen=True)
class Released:
    """The 4,000 ratings by column, and what removal goes by."""

    items: tuple[Item, ...]
    item: np.ndarray
    rater: np.ndarray
    hit: np.ndarray
    value: np.ndarray
    seconds: np.ndarray

    @property
    def ids(self) -> list[str]:
        return [item.id for item in self.items]

    def of(self, name: str) -> np.ndarray:
        return self.value[self.item == name]

    @cached_property
    def others(self) -> np.ndarray:
        """Mean of the other ratings of the same item, for each rating."""
        total = {name: self.of(name).sum() for name in self.ids}
        return np.array([(total[name] - v) / 19 for name, v in zip(self.item, self.value, strict=True)])

    def agreement(self, rows: np.ndarray) -> float:
        """Pearson correlation of some ratings with the others' means; NaN where they are all equal."""
        mine = self.value[rows]
        return float("nan") if len(set(mine)) == 1 else float(np.corrcoef(mine, self.others[rows])[0, 1])

    @cached_property
    def by_worker(self) -> dict[str, float]:
        return {name: self.agreement(self.rater == name) for name in dict.fromkeys(self.rater)}

    @cached_property
    def assignments(self) -> list[np.ndarray]:
        return [(self.hit == h) & (self.rater == w) for h, w in dict.fromkeys(zip(self.hit, self.rater, strict=True))]


@lru_cache
def study_of(data_dir: Path) -> Released:
    ratings = batch_ratings(data_dir)
    with (data_dir / "huse" / "summarization_batch_results.csv").open(newline="", encoding="utf-8") as file:
        seconds = {(row["HITId"], row["WorkerId"]): float(row["WorkTimeInSeconds"]) for row in csv.DictReader(file)}
    columns = ([getattr(r, name) for r in ratings] for name in ("item", "rater", "unit", "value"))
    item, rater, hit, value = map(np.array, columns)
    times = np.array([seconds[r.unit, r.rater] for r in ratings])
    return Released(tuple(batch_items(data_dir, 20)), item, rater, hit, value.astype(int), times)


def huse_with(study: Released, judged, mode: str = "paper") -> tuple[float, float, float]:
    """HUSE, HUSE-Q and HUSE-D with other judgments of the items."""
    items = [replace(item, hj=Fraction(judged[item.id]), ratings=0) for item in study.items]
    found = evaluate(items, [mode], draws=0)[mode]
    return found.huse.value, found.huse_q.value, found.huse_d.value


def kept_only(study: Released, removed: np.ndarray) -> tuple[int, int, dict[str, Fraction]]:
    """Ratings left, fewest of an item, means of what is left."""
    left = {name: study.value[(study.item == name) & ~removed] for name in study.ids}
    means = {name: Fraction(int(values.sum()), len(values)) for name, values in left.items()}
    return int((~removed).sum()), min(map(len, left.values())), means


def spearman(study: Released, judged) -> float:
    mean = [study.of(name).mean() for name in study.ids]
    return float(stats.spearmanr(mean, [float(judged[name]) for name in study.ids]).statistic)
