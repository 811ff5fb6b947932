"""Variances that know which observations belong together, by item and by rater.

An estimate has an influence psi per observation. For clusters g, s_g is the sum of psi over g and
V = m / (m - 1) * sum of s_g^2, m the number of clusters. Over new items and new raters the variance is
V_item + V_rater - V_cell, a cell being one item with one rater (Cameron, Gelbach and Miller 2011); over new items
V_item; over new raters V_rater. Student's t has one degree of freedom less than the fewest clusters that count. An item
is the context that texts share, not the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metrics.data.arrays import Bools, Floats, Ints
from metrics.data.ratings import Names, encode_names
from metrics.errors import BadInput
from metrics.inference.distributions import t_quantile
from metrics.types import Interval

ClusterTarget = Literal["items and raters", "items", "raters"]
TARGETS: dict[ClusterTarget, str] = {
    "items and raters": "value over new items and new raters like these",
    "items": "value over new items like these, with these raters",
    "raters": "value over new raters like these, on these items",
}
FEW = 10
ROUNDING = 1e-12  # of the largest variance: what is smaller is 0
FEW_CLUSTERS, SINGLE_CLUSTER, SINGLE_WAY_USED = "few_clusters", "one_cluster", "one_way_used"
ITEMS_UNKNOWN, RATERS_UNKNOWN, NO_VARIATION = "items_unknown", "raters_unknown", "no_variation"

Sums = Callable[[Ints, int], Floats]


@dataclass(frozen=True, slots=True)
class Spread:
    """Variances of one or several estimates over new items, over new raters, and of single cells; equal shapes."""

    item: Floats
    rater: Floats
    cell: Floats


@dataclass(frozen=True, slots=True)
class Clusters:
    """What belongs together among N observations.

    item, rater, cell: (N,) codes from 0. items, raters, cells: how many there are. target: what the interval is for.
    flags: `items_unknown` (no interval but over raters), `raters_unknown` (a judgment without a rater is its own rater;
    no interval over raters), `one_cluster` (fewer than 2: no interval), `few_clusters` (fewer than 10).
    """

    item: Ints
    rater: Ints
    cell: Ints
    items: int
    raters: int
    cells: int
    target: ClusterTarget
    flags: tuple[str, ...]

    @property
    def known(self) -> bool:
        """Whether there can be an interval."""
        hidden = RATERS_UNKNOWN if self.target == "raters" else ITEMS_UNKNOWN
        return not {hidden, SINGLE_CLUSTER} & set(self.flags)

    @property
    def degrees(self) -> int:
        """Degrees of freedom of Student's t."""
        return min(_needed(self.target, self.items, self.raters)) - 1

    def covariances(self, sums: Sums) -> Spread:
        """(k, k) covariances of k estimates by each clustering. sums: from codes and their number m to (m, k) s_g."""

        def products(code: Ints, number: int) -> Floats:
            of_clusters = sums(code, number)
            return np.asarray(of_clusters.T @ of_clusters)

        return self.covariances_of_products(products)

    def covariances_of_products(self, products: Sums) -> Spread:
        """The same from the sums of s_g s_g' over clusters. products: from codes and their number m to (k, k)."""
        parts = ((self.item, self.items), (self.rater, self.raters), (self.cell, self.cells))
        factors = (number / (number - 1) if number > 1 else 0.0 for _, number in parts)
        return Spread(*(factor * products(*part) for part, factor in zip(parts, factors, strict=True)))

    def variance(self, spread: Spread) -> tuple[Floats, Bools]:
        """Return the variance for new units, and where a one-way variance replaced a two-way one of 0 or less.

        0 where nothing varies: there can be no interval then.
        """
        largest = np.maximum(np.maximum(spread.item, spread.rater), spread.cell)
        chosen = spread.rater if self.target == "raters" else spread.item
        used = np.zeros(np.shape(chosen), dtype=np.bool_)
        if self.target == "items and raters":
            chosen = spread.item + spread.rater - spread.cell
            used = chosen <= ROUNDING * largest
            chosen = np.where(used, np.maximum(spread.item, spread.rater), chosen)
        return np.where(chosen <= ROUNDING * largest, 0.0, chosen), used

    def interval(self, value: float, error: float, level: float) -> Interval:
        """value -+ t times its standard error, with the target by name."""
        half = t_quantile((1 + level) / 2, self.degrees) * error
        method = f"clustered sandwich, t with {self.degrees} df, for new {self.target}"
        return Interval(value - half, value + half, level, method, TARGETS[self.target])


def build_clusters(item: Names, rater: Names, *, target: ClusterTarget | None = None) -> Clusters:
    """Return the clusters of N observations.

    item, rater: (N,) names or whole numbers; None for one that is not known. target: None takes items and raters where
    both are known, and items where no rater is. Raises BadInput.
    """
    if len(item) != len(rater):
        raise BadInput(f"item and rater have {len(item)} and {len(rater)} entries, not one number")
    if target is not None and target not in TARGETS:
        raise BadInput(f"a target is one of {', '.join(map(repr, TARGETS))}", column="target")
    no_item, no_rater = _absent(item), _absent(rater)
    raters: Names = [("own", at) if name is None else name for at, name in enumerate(rater)] if no_rater else rater
    item_code, item_names = encode_names(item)
    rater_code, rater_names = encode_names(raters)
    cell_code, cell_names = encode_names(item_code * max(1, len(rater_names)) + rater_code)
    if no_rater == len(rater) and target != "raters":
        target = "items"
    chosen: ClusterTarget = target or "items and raters"
    fewest = min(_needed(chosen, len(item_names), len(rater_names)))
    few = (SINGLE_CLUSTER,) if fewest < 2 else (FEW_CLUSTERS,) if fewest < FEW else ()
    flags = (*((ITEMS_UNKNOWN,) if no_item else ()), *((RATERS_UNKNOWN,) if no_rater else ()), *few)
    sizes = len(item_names), len(rater_names), len(cell_names)
    return Clusters(item_code, rater_code, cell_code, *sizes, chosen, flags)


def _absent(names: Names) -> int:
    """How many are not known. Arrays of numbers or texts hold no None."""
    if isinstance(names, np.ndarray) and names.dtype != np.object_:
        return 0
    return sum(name is None for name in names)


def _needed(target: ClusterTarget, items: int, raters: int) -> Sequence[int]:
    return {"items and raters": (items, raters), "items": (items,), "raters": (raters,)}[target]
